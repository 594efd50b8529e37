import { deny } from "../core/rules/verdict.ts";
import { passed } from "./answers.ts";
import type { Judged } from "./guard-world.ts";
import type { Judging } from "./judge-task-call.ts";
import { violationOf } from "./refuse-and-record.ts";
import type { Caller } from "./who-is-calling.ts";

/** A client gives up after a few refused stops anyway. */
const sentBackMax = 2;

/**
 * An agent that claimed its task hands in a result before it stops; `submit` runs PostExecution's checks. Agents that
 * Lockstep started are asked by whoever started them.
 */
export async function judgeStop(
  caller: Extract<Caller, { kind: "task" }>,
  { call, desk, world }: Judging,
): Promise<Judged> {
  const { id, state } = caller.holder;
  if (world.environment.LOCKSTEP_TASK !== undefined || state !== "IN_PROGRESS") return passed(caller);
  const why = `task \`${id}\` is not handed in yet: append to its worklog, then \`lockstep submit ${id} FILE\``;
  const refusal = deny("R-PO-001", `${why} with what was done, or with what blocks it`);
  const violation = violationOf(caller, call, { kind: "sent-back", refusal, target: id });
  const { times } = await desk.record(violation);
  if (times > sentBackMax) return passed(caller);
  const judged = passed(caller);
  return { ...judged, answer: { allow: false, reason: refusal.reason, goOn: refusal.reason } };
}
