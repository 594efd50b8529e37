import { join } from "node:path";
import { findForbidden, findOutside } from "../core/rules/judge-write.ts";
import { deny } from "../core/rules/verdict.ts";
import type { CommandLimits } from "../core/shell/judge-command.ts";
import { foundAfterwards, listed, passed } from "./answers.ts";
import { limitsOf, limitsWithoutTask } from "./call-limits.ts";
import type { Judged } from "./guard-world.ts";
import type { Judging } from "./judge-task-call.ts";
import { violationOf } from "./refuse-and-record.ts";
import { callName } from "./trees/call-file.ts";
import { changedSince } from "./watched-changes.ts";
import type { Caller } from "./who-is-calling.ts";

/** So many are kept of one call. */
export const recordedMax = 20;

/** What a call did that could not be known before: its tree is compared with the one before it. */
export async function judgeAfter(
  caller: Extract<Caller, { kind: "task" | "subagent" }>,
  judging: Judging,
): Promise<Judged> {
  const { call, world, desk, settings } = judging;
  const { trees } = world;
  const changed = await changedSince(callName(call), world, settings);
  if (trees === undefined || changed === undefined) return passed(caller);
  const limits =
    caller.kind === "task"
      ? limitsOf(caller.holder, judging)
      : limitsWithoutTask(judging, settings.unclaimed);
  const strayed = changed.filter((path) => strays(path, limits));
  const kept = strayed.length > 0 ? await trees.undo?.(callName(call), strayed) : undefined;
  trees.forget(callName(call));
  if (strayed.length === 0) return passed(caller);
  const what =
    kept === undefined ? "if that was this call, put it back" : `it was put back, and is kept on \`${kept}\``;
  const where =
    caller.kind === "task" ? "outside the lock scope" : "in the project, by a caller without a task";
  const verdict = deny("R-PW-001", `changed ${where} while it ran: ${listed(strayed)}; ${what}`, {
    paths: strayed.slice(0, recordedMax),
  });
  for (const target of strayed.slice(0, recordedMax))
    await desk.record(violationOf(caller, call, { kind: "strayed", refusal: verdict, target }));
  return foundAfterwards(caller, verdict);
}

/** A path within the tree that was compared. */
export function strays(path: string, limits: CommandLimits): boolean {
  const root = limits.place.realRoot ?? limits.place.root;
  const target = { resource: join(root, path), wholeTree: false };
  return findForbidden(target, limits) !== undefined || findOutside(target, limits) !== undefined;
}
