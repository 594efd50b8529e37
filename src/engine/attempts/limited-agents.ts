import { allow } from "../../core/rules/verdict.ts";
import { dataOf } from "../../ledger/event-data.ts";
import type { LedgerEvent } from "../../ledger/ledger.ts";
import type { Admitted } from "../change/door.ts";
import { internal } from "../change/door.ts";
import { Draft } from "../change/draft.ts";
import type { Engine } from "../change/engine.ts";
import { settle } from "../change/settle.ts";

/** Records that the agents of one account are out of quota, so that waiting tasks can show the reason. */
export const recordLimit = internal("record-limit", noteLimit);

function noteLimit(
  engine: Engine,
  limit: { readonly agents: readonly string[]; readonly until: string; readonly reason: string },
  call: Admitted,
) {
  return settle(engine, { operation: "limit", input: limit, call }, async () => {
    const draft = new Draft(engine, { by: call, cause: "run" });
    draft.note({ type: "agent.limited", task: null, from: null, to: null, data: limit });
    return { verdict: allow(), change: await draft.toChange() };
  });
}

/** For each agent without quota, the time until which it lasts; `events` are newest first. */
export function limitsIn(events: readonly LedgerEvent[], nowMs: number): ReadonlyMap<string, string> {
  const limits = new Map<string, string>();
  for (const event of events) {
    const { agents = [], until = "" } = dataOf(event, "agent.limited") ?? {};
    for (const agent of agents) if (!limits.has(agent)) limits.set(agent, until);
  }
  return new Map([...limits].filter(([, until]) => Date.parse(until) > nowMs));
}
