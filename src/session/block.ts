import { setTimeout as sleep } from "node:timers/promises";
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
      recovery: "fix that",
    });
  const { how, unanswered } = end.why;
  if (how === "stopped") {
    await context.move({ type: "give-up" });
    return "stopped";
  }
  const agent = context.roles.agentOf(role);
  const reason = `${role} (\`${agent}\`) gave nothing that counts: ${unanswered.split("\n")[0]}`;
  if (how === "resting") return awaitAgent(context, { role, agent, reason });
  return block(context, {
    ...{ code: how === "failed" ? "subagent_failure" : "agent_unavailable", reason },
    recovery:
      how === "failed"
        ? `see \`lockstep log ${metaKey(context.name)}\`, fix what made it fail`
        : `see that \`${agent}\` can be reached`,
  });
}

const lookMs = 1000;

/** An agent without quota is asked again when it has some, or another one takes over; for a login a person is needed. */
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
    await sleep(lookMs, undefined, { signal }).catch(() => {}); // stopped: seen above
  }
  return "again";
}
