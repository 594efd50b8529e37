import { field } from "../core/points/fields.ts";
import type { Decision } from "../ledger/ledger.ts";
import type { Engine } from "./engine.ts";

/** Questions that an answer still changes something about: of an attempt that is over nobody needs one. */
export async function openDecisions({ ledger }: Pick<Engine, "ledger">): Promise<readonly Decision[]> {
  const open: Decision[] = [];
  for (const decision of await ledger.decisions({ state: "pending" })) {
    const task = await ledger.task(decision.task);
    const asked = decision.kind === "widen" ? field(decision.data, "epoch") : undefined;
    if (asked === undefined || (task?.state === "IN_PROGRESS" && task.epoch === asked)) open.push(decision);
  }
  return open;
}
