import { dataOf, type EventData } from "../../../ledger/event-data.ts";
import type { LedgerEvent } from "../../../ledger/ledger.ts";
import type { RunContext } from "../../attempt/run-context.ts";

/** Events that go into the session's memory (S1-162). Batches, loops and rollbacks are written elsewhere. */
const remembered: { readonly [Type in keyof EventData]?: (data: Partial<EventData[Type]>) => string } = {
  "decision.asked": ({ id }) => `decision ${id} asked`,
  "decision.answered": ({ id, answer }) => `decision ${id} answered: ${answer}`,
  "decision.cancelled": ({ id }) => `decision ${id} cancelled`,
  "task.escalated": ({ reason }) => `escalated: ${reason}`,
  "task.resolved": ({ note }) => `resolved: ${note}`,
};

export function rememberEvent({ remember }: Pick<RunContext, "remember">, event: LedgerEvent): void {
  for (const type of Object.keys(remembered) as (keyof EventData)[]) {
    const words = wordsOf(event, type);
    if (words !== undefined) remember("activeContext.md", `${event.task}: ${words}`);
  }
}

function wordsOf<Type extends keyof EventData>(event: LedgerEvent, type: Type): string | undefined {
  const data = dataOf(event, type);
  return data === undefined ? undefined : remembered[type]?.(data);
}
