import { deny } from "../../core/rules/verdict.ts";
import type { Judged } from "../world/guard-world.ts";
import type { Caller } from "../world/who-is-calling.ts";
import type { Judging } from "./judge-task-call.ts";
import { refuseAndRecord } from "./refuse-and-record.ts";

type TaskCaller = Extract<Caller, { kind: "task" }>;

/** Refuses the call that reaches a halt limit for loops (C-19). Undefined for all other calls. */
export async function refuseLoop(caller: TaskCaller, judging: Judging): Promise<Judged | undefined> {
  const { call, settings } = judging;
  const { holder } = caller;
  const halt = watchedBy(judging)?.before(holder, call, settings);
  if (halt === undefined) return undefined;
  const way =
    "stop, and report the task as blocked with what you have tried; a person can raise `limits.tokens`, which raises this limit too, or dispatch the task again";
  const reason = `task \`${holder.key}\` is in a loop: ${halt.reason}: ${way}`;
  const { signal, count, limit } = halt;
  return refuseAndRecord(caller, deny("R-BG-001", reason, { signal, count, limit }), judging);
}

/** Adds a loop warning to a tool result, which every client can show. */
export function warnOfLoop(caller: TaskCaller, judged: Judged, judging: Judging): Judged {
  const warning = watchedBy(judging)?.after(caller.holder, judging.call, judging.settings);
  if (warning === undefined) return judged;
  const text = `Lockstep: you may be going round in circles: ${warning}. Try another approach, or report the task as blocked.`;
  const context = [judged.answer.context, text].filter((part) => part !== undefined).join("\n\n");
  return { ...judged, answer: { ...judged.answer, context } };
}

/** Agents that Lockstep started are watched by the process that started them. */
function watchedBy({ world }: Judging) {
  return world.environment.LOCKSTEP_TASK === undefined ? world.loops : undefined;
}
