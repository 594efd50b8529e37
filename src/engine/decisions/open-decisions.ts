import type { Task } from "../../core/tasks/task.ts";
import type { Decision } from "../../ledger/ledger.ts";
import type { Engine } from "../change/engine.ts";
import { isNeedless } from "./session-decisions.ts";

/** Also by an earlier run: work in review that a person is asked about takes nobody's place. */
export async function isAskedAbout(
  engine: Pick<Engine, "ledger">,
  { key, state }: Pick<Task, "key" | "state">,
): Promise<boolean> {
  return state === "REVIEW" && (await openDecisions(engine)).some(({ task }) => task === key);
}

/** Questions that an answer still changes something about. */
export async function openDecisions(engine: Pick<Engine, "ledger">): Promise<readonly Decision[]> {
  const open: Decision[] = [];
  for (const decision of await engine.ledger.decisions({ state: "pending" }))
    if (!(await isNeedless(engine, decision))) open.push(decision);
  return open;
}
