import { type Deny, deny } from "../../core/rules/verdict.ts";
import { reclaimIfLapsed } from "../../engine/reclaim.ts";
import { isTaken } from "../../engine/take-task.ts";
import type { RunContext, RunTask } from "../attempt/run-context.ts";
import type { AttemptEnd } from "./work-on-task.ts";

/**
 * How an attempt ended whose heartbeat was refused. A person's word is no fault of the agent's; that the lease is over
 * is said to the agent, and why it is, the ledger has.
 */
export async function endedBy({ engine }: RunContext, { key }: RunTask, lost: Deny): Promise<AttemptEnd> {
  await reclaimIfLapsed(engine, key, "run");
  const task = await engine.ledger.task(key);
  if (task?.hold?.kind === "stopped") return { how: "ended", told: "stopped by a person" };
  if (task !== undefined && isTaken(task, await engine.ledger.attempt(key)))
    return { how: "ended", told: "taken over by a person" };
  const { code, reason, details } = task?.state === "IN_PROGRESS" ? {} : (task?.refusal ?? {});
  const isKnown = lost.code === "R-LS-001" && code != null && reason !== undefined;
  return { how: "refused", verdict: isKnown ? deny(code, reason, details) : lost, started: true };
}
