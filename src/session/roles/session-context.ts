import type { Deny } from "../../core/rules/verdict.ts";
import type { Session } from "../../core/session/session.ts";
import type { SessionEvent } from "../../core/session/session-event.ts";
import type { Decision } from "../../ledger/ledger.ts";
import type { RunContext } from "../../run/attempt/run-context.ts";
import type { Stops } from "../../run/conduct/conduct.ts";
import type { OpenedRun } from "../../run/conduct/open-run.ts";
import type { RoleAgents } from "./role-agents.ts";

/** Everything that is needed to run a session. */
export interface SessionContext {
  readonly name: string;
  readonly run: OpenedRun;
  readonly context: RunContext;
  readonly roles: RoleAgents;
  readonly stops: Stops;
  /** Reads the session from the ledger. */
  load(): Promise<Session>;
  /**
   * Applies an event to the session and publishes it in status.json. The event's conditions are looked up; if one
   * does not hold, the session is blocked with the reason.
   */
  move(event: SessionEvent, decisions?: readonly Decision[]): Promise<Session>;
  /** Writes the session to status.json. */
  publish(): Promise<void>;
  now(): string;
  say(text: string): void;
}

/** The result of a step. */
export type StepEnd = "again" | "waiting" | "stopped";

/** Nothing new may begin in this process. */
export function isStopping({ stops, context }: Pick<SessionContext, "stops" | "context">): boolean {
  return stops.gently.aborted || context.fleet?.isDraining === true;
}

/** The session cannot continue, because something cannot be stored, published or done. */
export class SessionFault extends Error {
  readonly code: Deny["code"];

  constructor({ code, reason }: Deny) {
    super(reason);
    this.code = code;
  }
}
