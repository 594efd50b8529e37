import { allow, type Verdict } from "../../core/rules/verdict.ts";
import type { Engine } from "../change/engine.ts";
import { judgeResult } from "./submit-result.ts";

/** Runs PostExecution on an agent's work so far, as if it were submitted, but without checking evidence. */
export async function judgeUnsubmitted(
  engine: Pick<Engine, "ledger" | "world" | "findSecrets">,
  key: string,
  changed: readonly string[],
): Promise<Verdict> {
  const task = await engine.ledger.task(key);
  if (task === undefined) return allow();
  const changes = changed.map((resource) => ({ resource, action: "edit" }));
  const result = { status: "done", changes, acceptance_check: [], notes_for_orchestrator: [] } as const;
  const attempt = await engine.ledger.attempt(key);
  return judgeResult(engine, { task, attempt, read: { result, agentForm: true } });
}
