import type { Decision } from "../ledger/ledger.ts";
import type { Engine } from "./engine.ts";

/** Questions that an answer still changes something about: of a task that is over nobody needs one. */
export async function openDecisions({ ledger }: Pick<Engine, "ledger">): Promise<readonly Decision[]> {
  const open: Decision[] = [];
  for (const decision of await ledger.decisions({ state: "pending" })) {
    const state = (await ledger.task(decision.task))?.state;
    const isOver = state === "MERGED" || state === "FAILED";
    if (!isOver) open.push(decision);
  }
  return open;
}
