import { hasLiveHolder } from "../world/active.ts";
import type { Caller } from "../world/who-is-calling.ts";
import { listed } from "./answers.ts";
import type { Judging } from "./judge-task-call.ts";
import { wayToClaim } from "./judge-unclaimed-call.ts";

/** The text for an agent at its start: its task and scope, or how to claim a task. */
export function beginningFor(
  caller: Extract<Caller, { kind: "task" | "subagent" }>,
  judging: Judging,
): string | undefined {
  if (caller.kind === "subagent")
    return hasLiveHolder(judging.facts, judging.world.clock)
      ? `Lockstep guards this project. To write here, ${wayToClaim(judging)}.`
      : undefined;
  const { id, locks, forbidden } = caller.holder;
  const closed = forbidden.length === 0 ? "" : ` Never write: ${listed(forbidden)}.`;
  return (
    `Lockstep guards this project. You work on task ${id} and may write only: ` +
    `${listed(locks.map(({ resource }) => resource))}.${closed} ` +
    `To write elsewhere, run \`lockstep widen ${id} PATH --why "…"\`.`
  );
}
