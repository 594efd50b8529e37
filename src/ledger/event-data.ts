import type { Details } from "../core/rules/verdict.ts";
import type { TaskEvent, TaskEventType } from "../core/tasks/task-event.ts";
import { isObject } from "../core/values/fields.ts";
import type { LedgerEvent } from "./ledger.ts";

type StepData<Type extends TaskEventType> = Omit<Extract<TaskEvent, { type: Type }>, "type">;

/** One agent's review of another agent's work. */
export interface Review {
  readonly agent: string;
  /** The aspect that it was asked to review, such as `qa`; null: everything. */
  readonly focus: string | null;
  /** undecided: the reviewer leaves the decision to a person. */
  readonly verdict: "approved" | "refused" | "undecided";
  readonly summary: string;
  readonly findings: readonly string[];
}

/** The warning of a budget has numbers, also under the name of its signal. The warning of a loop has a reason. */
interface Warning {
  readonly signal: string;
  readonly reason?: string;
  readonly halt?: number | null;
  readonly [signal: string]: unknown;
}

interface Refused {
  readonly epoch: number | null;
  readonly agent: string | null;
  readonly target: string;
}

/** The data of those event types that the program reads back. The data of all other events is only for people. */
export interface EventData {
  readonly "task.started": StepData<"start">;
  readonly "task.rejected": StepData<"reject">;
  readonly "task.halted": StepData<"halt">;
  readonly "task.escalated": StepData<"escalate">;
  readonly "task.resolved": StepData<"resolve">;
  readonly "task.reviewed": Review & { readonly commit: string };
  readonly "task.warned": Warning;
  readonly "land.refused": {
    readonly branch: string;
    readonly refusal: { readonly code: string; readonly reason: string };
    /** The merge waits for a person. */
    readonly waiting?: true;
    /** The decision that the person is asked for. */
    readonly decision?: unknown;
    /** Repeats the landing with the same options. */
    readonly command?: string;
  };
  readonly "agent.limited": {
    readonly agents: readonly string[];
    readonly until: string;
    readonly reason: string;
  };
  readonly "breaker.set": {
    readonly before: string;
    readonly mode: "CLEAR" | "PAUSE" | "STOP";
    readonly reason: string | null;
  };
  readonly "machine.drained": { readonly machine: string; readonly name: string };
  readonly "machine.forgotten": { readonly machine: string; readonly name: string };
  /** The files of the session are at the remote, so that other machines can take part. */
  readonly "session.shared": {
    readonly session: string;
    readonly base: string;
    /** Files of `workspace.include` that its agents get where it began; Lockstep does not move them. */
    readonly includes: readonly string[];
  };
  readonly "decision.asked": Details & { readonly id: string };
  readonly "decision.answered": { readonly id: string; readonly answer: string };
  readonly "decision.cancelled": { readonly id: string; readonly answer: string };
  readonly "guard.refused": Refused;
  readonly "guard.strayed": Refused;
  readonly "guard.sent-back": Refused;
  readonly "guard.let-go": Refused;
}

/**
 * The data of an event of that type; undefined for an event of another type. Fields may be missing if an older
 * Lockstep wrote the event.
 */
export function dataOf<Type extends keyof EventData>(
  event: Pick<LedgerEvent, "type" | "data">,
  type: Type,
): Partial<EventData[Type]> | undefined {
  return event.type === type && isObject(event.data) ? (event.data as Partial<EventData[Type]>) : undefined;
}
