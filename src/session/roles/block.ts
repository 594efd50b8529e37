import { setTimeout as sleep } from "node:timers/promises";
import { metaKey } from "../../core/names/task-name.ts";
import type { RoleEnd } from "./dispatch-role.ts";
import type { SessionContext, StepEnd } from "./session-context.ts";

/** Blocks the session until a person acts; status.json has the reason and the next step. */
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

/** Blocks the session because a role gave no valid answer. */
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
      reason: `the input files of ${role} are invalid: ${end.faults.join("; ")}`,
      recovery: "fix it",
    });
  const { how, unanswered } = end.why;
  if (how === "stopped") {
    await context.move({ type: "give-up" });
    return "stopped";
  }
  const agent = context.roles.agentOf(role);
  const reason = `${role} (\`${agent}\`) gave no valid answer: ${unanswered.split("\n")[0]}`;
  if (how === "resting") return awaitAgent(context, { role, agent, reason });
  return block(context, {
    ...{ code: how === "failed" ? "subagent_failure" : "agent_unavailable", reason },
    recovery:
      how === "failed"
        ? `read \`lockstep log ${metaKey(context.name)}\`, fix the cause`
        : `make sure that \`${agent}\` can be reached`,
  });
}

const lookMs = 1000;

/**
 * Waits until the agent has quota again or another agent takes over. If a login is missing, blocks the session
 * for a person.
 */
async function awaitAgent(
  context: SessionContext,
  { role, agent, reason }: { readonly role: string; readonly agent: string; readonly reason: string },
): Promise<StepEnd> {
  const { agents } = context.context;
  const { gently: signal } = context.stops;
  await context.move({ type: "give-up" });
  context.say(`${role}  waits: ${reason}`);
  while (!signal.aborted && agents.choose(agent, { type: null, as: "gatekeeper" }) === undefined) {
    if (agents.nextWakeMs(Date.now()) === undefined)
      return block(context, { code: "agent_unauthenticated", reason, recovery: `log \`${agent}\` in` });
    await sleep(lookMs, undefined, { signal }).catch(() => {}); // aborted: the loop condition ends it
  }
  return "again";
}
