import type { Details } from "../core/rules/verdict.ts";
import type { TaskEvent, TaskEventType } from "../core/tasks/task-event.ts";
import { isObject } from "../core/values/fields.ts";
import type { LedgerEvent } from "./ledger.ts";

type StepData<Type extends TaskEventType> = Omit<Extract<TaskEvent, { type: Type }>, "type">;

/** What one agent says of another's work. */
export interface Review {
  readonly agent: string;
  /** What it was asked to look at, such as `qa`; null: everything. */
  readonly focus: string | null;
  /** undecided: only a person can say. */
  readonly verdict: "approved" | "refused" | "undecided";
  readonly summary: string;
  readonly findings: readonly string[];
}

/** A budget's warning has numbers, under the name of its signal too; a loop's has a reason. */
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

/** What the events hold that are read again; all others are for people. */
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
    /** A person has to do something first. */
    readonly waiting?: true;
    /** What they are asked. */
    readonly decision?: unknown;
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
  readonly "decision.asked": Details & { readonly id: string };
  readonly "decision.answered": { readonly id: string; readonly answer: string };
  readonly "decision.cancelled": { readonly id: string; readonly answer: string };
  readonly "guard.refused": Refused;
  readonly "guard.strayed": Refused;
  readonly "guard.sent-back": Refused;
  readonly "guard.let-go": Refused;
}

/** What an event of that type holds; undefined for any other. An older Lockstep may have written less. */
export function dataOf<Type extends keyof EventData>(
  event: Pick<LedgerEvent, "type" | "data">,
  type: Type,
): Partial<EventData[Type]> | undefined {
  return event.type === type && isObject(event.data) ? (event.data as Partial<EventData[Type]>) : undefined;
}
