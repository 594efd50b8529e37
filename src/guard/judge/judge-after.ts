import { callName } from "../world/call-file.ts";
import type { Judged } from "../world/guard-world.ts";
import type { Caller } from "../world/who-is-calling.ts";
import { foundAfterwards, passed } from "./answers.ts";
import { finishCall } from "./finish-calls.ts";
import type { Judging } from "./judge-task-call.ts";

/** Finds what a call wrote that could not be known before it ran, by comparing its tree before and after. */
export async function judgeAfter(
  caller: Extract<Caller, { kind: "task" | "subagent" }>,
  judging: Judging,
): Promise<Judged> {
  const strayed = await finishCall(caller, callName(judging.call), judging);
  return strayed === undefined
    ? passed(caller)
    : foundAfterwards(caller, { ...strayed, reason: `this call ${strayed.reason}` });
}
