import { field } from "../../core/points/fields.ts";
import type { LedgerEvent } from "../../ledger/ledger.ts";
import type { RunContext } from "./run-context.ts";

/** What people look for later in the session's memory (S1-162); batches, loops and rollbacks are written where they are made. */
const remembered: Readonly<Record<string, (data: unknown) => string>> = {
  "decision.asked": (data) => `decision ${field(data, "id")} asked`,
  "decision.answered": (data) => `decision ${field(data, "id")} answered: ${field(data, "answer")}`,
  "decision.cancelled": (data) => `decision ${field(data, "id")} cancelled`,
  "task.escalated": (data) => `escalated: ${field(data, "reason")}`,
  "task.resolved": (data) => `resolved: ${field(data, "note")}`,
};

export function rememberEvent(
  { remember }: Pick<RunContext, "remember">,
  { task, type, data }: LedgerEvent,
): void {
  const told = Object.hasOwn(remembered, type) ? remembered[type]?.(data) : undefined;
  if (told !== undefined) remember("activeContext.md", `${task}: ${told}`);
}
