import { foundAfterwards, passed } from "./answers.ts";
import type { Judged } from "./guard-world.ts";
import { findStrayed } from "./judge-strays.ts";
import type { Judging } from "./judge-task-call.ts";
import { callName } from "./trees/call-file.ts";
import type { Caller } from "./who-is-calling.ts";

/** What a call did that could not be known before: its tree is compared with the one before it. */
export async function judgeAfter(
  caller: Extract<Caller, { kind: "task" | "subagent" }>,
  judging: Judging,
): Promise<Judged> {
  const { call, world } = judging;
  const strayed = await findStrayed(caller, callName(call), judging);
  world.trees?.forget(callName(call));
  return strayed === undefined ? passed(caller) : foundAfterwards(caller, strayed);
}
