import type { Task } from "../../core/tasks/task.ts";
import type { Decision } from "../../ledger/ledger.ts";
import type { Engine } from "../change/engine.ts";
import { isNeedless } from "./session-decisions.ts";

/** Whether a person is asked about work in review, also by an earlier run: such work does not occupy a slot. */
export async function isAskedAbout(
  engine: Pick<Engine, "ledger">,
  { key, state }: Pick<Task, "key" | "state">,
): Promise<boolean> {
  return state === "REVIEW" && (await openDecisions(engine)).some(({ task }) => task === key);
}

/** Pending questions whose answer still matters. */
export async function openDecisions(engine: Pick<Engine, "ledger">): Promise<readonly Decision[]> {
  const open: Decision[] = [];
  for (const decision of await engine.ledger.decisions({ state: "pending" }))
    if (!(await isNeedless(engine, decision))) open.push(decision);
  return open;
}
