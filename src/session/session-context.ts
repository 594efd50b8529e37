import type { Session } from "../core/session/session.ts";
import type { SessionEvent } from "../core/session/session-event.ts";
import type { Decision } from "../ledger/ledger.ts";
import type { RunContext } from "../run/attempt/run-context.ts";
import type { Stops } from "../run/conduct/conduct.ts";
import type { OpenedRun } from "../run/conduct/open-run.ts";
import type { RoleAgents } from "./role-agents.ts";

/** Everything that taking a session from its goal to done needs. */
export interface SessionContext {
  readonly name: string;
  readonly run: OpenedRun;
  readonly context: RunContext;
  readonly roles: RoleAgents;
  readonly stops: Stops;
  /** The session as the ledger has it. */
  load(): Promise<Session>;
  /**
   * Lets something happen to the session and shows it in status.json. What going on needs is looked up; where it
   * does not hold, the session is blocked and says why.
   */
  move(event: SessionEvent, decisions?: readonly Decision[]): Promise<Session>;
  /** Shows the session in status.json. */
  publish(): Promise<void>;
  now(): string;
  say(text: string): void;
}

/** What became of a step. */
export type StepEnd = "again" | "waiting" | "stopped";
