import type { Decision } from "../ledger/ledger.ts";
import type { Engine } from "./engine.ts";
import { isNeedless } from "./session-decisions.ts";

/** Questions that an answer still changes something about. */
export async function openDecisions(engine: Pick<Engine, "ledger">): Promise<readonly Decision[]> {
  const open: Decision[] = [];
  for (const decision of await engine.ledger.decisions({ state: "pending" }))
    if (!(await isNeedless(engine, decision))) open.push(decision);
  return open;
}
