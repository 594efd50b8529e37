import { metaKey } from "../core/names/task-name.ts";
import type { RoleEnd } from "./dispatch-role.ts";
import type { SessionContext, StepEnd } from "./session-context.ts";

/** The session cannot go on without a person; why, and what to do, stands in status.json. */
export async function block(
  { move, name }: SessionContext,
  { code, reason, recovery }: { readonly code: string; readonly reason: string; readonly recovery: string },
): Promise<StepEnd> {
  await move({ type: "give-up" });
  await move({
    type: "block",
    blocker: { code, reason, recovery: `${recovery}, then \`lockstep resume ${name}\`` },
  });
  return "again";
}

/** A role that never gave anything that counts. */
export async function blockUnanswered(
  context: SessionContext,
  role: string,
  end: Exclude<RoleEnd, { how: "answered" }>,
): Promise<StepEnd> {
  if (end.how === "missing")
    return block(context, {
      code: "missing_context_file",
      reason: `${role} needs ${end.files.join(", ")}`,
      recovery: `write or restore ${end.files.join(", ")}`,
    });
  if (end.how === "invalid")
    return block(context, {
      code: "artifact_invalid",
      reason: `${role} cannot build on this: ${end.faults.join("; ")}`,
      recovery: "mend that",
    });
  const { how, unanswered } = end.why;
  if (how === "stopped") {
    await context.move({ type: "give-up" });
    return "stopped";
  }
  const agent = context.roles.agentOf(role);
  const recoveries = {
    failed: `see \`lockstep log ${metaKey(context.name)}\`, mend what made it fail`,
    limited: `wait until \`${agent}\` has quota again`,
    unauthenticated: `log \`${agent}\` in`,
    unavailable: `see that \`${agent}\` can be reached`,
  };
  return block(context, {
    code: how === "failed" ? "subagent_failure" : `agent_${how}`,
    reason: `${role} (\`${agent}\`) gave nothing that counts: ${unanswered.split("\n")[0]}`,
    recovery: recoveries[how],
  });
}
