import { type Chain, findCircular } from "../../core/loops/delegation.ts";
import { taskKey } from "../../core/names/task-name.ts";
import { type Deny, deny } from "../../core/rules/verdict.ts";
import { haltDetails } from "../../core/tasks/halt-details.ts";
import type { Refusal, Task } from "../../core/tasks/task.ts";
import { isLine } from "../../core/values/fields.ts";
import type { Draft } from "../change/draft.ts";
import { fingerprintOf } from "../change/refusals.ts";
import type { Settled } from "../change/settle.ts";
import { type Packet, unnamedAgent } from "./read-packet.ts";

/** A bound for chains that are longer than the limit because the limit was lowered later. */
const linksMax = 100;

/** The delegator: the task whose agent delegated, or an agent without a task. */
export function delegatorIn({ delegatedBy }: Packet): Pick<Task, "delegatedBy"> {
  return isLine(delegatedBy) ? { delegatedBy } : {};
}

/**
 * S1: a task that would return to an agent that delegated it is halted; a chain that is too long is refused
 * without a change. Undefined if neither applies.
 */
export async function refuseDelegation(
  draft: Draft,
  task: Task,
  { limit, packet }: { readonly limit: number; readonly packet: Packet },
): Promise<Settled<Deny> | undefined> {
  if (packet.delegatedBy !== undefined && !isLine(packet.delegatedBy))
    return {
      verdict: deny("R-IN-001", "`delegated_by` has the wrong form: give a task id or an agent's name"),
    };
  if (task.delegatedBy === undefined) return undefined;
  const { chain, depth } = await chainOf(draft, task, packet.agent);
  const back = findCircular(chain);
  if (back !== undefined) return haltCircular(draft, task, { chain, back });
  if (depth <= limit) return undefined;
  const reason = `task \`${task.key}\` would be delegated over ${depth} steps, but the limit is ${limit}: let its delegator do it`;
  const details = { task_id: task.key, signal: "delegation_depth", depth, limit };
  return { verdict: deny("R-BG-001", reason, details) };
}

/** The chain from the first delegator to the agent that gets the task. */
async function chainOf(
  draft: Draft,
  task: Task,
  agent: string,
): Promise<{ readonly chain: Chain; readonly depth: number }> {
  const nameOf = (name: string | null) => (name === unnamedAgent ? null : name);
  const chain: (string | null)[] = [nameOf(agent)];
  let depth = 1;
  for (let by = task.delegatedBy; by !== undefined && depth < linksMax; depth += 1) {
    const parent = await delegatorOf(draft, task, by);
    if (parent === undefined) return { chain: [by, ...chain], depth };
    // A task that delegates itself returns to its agent, named or not.
    if (parent.key === task.key) return { chain: [agent, ...chain, agent], depth };
    chain.unshift(nameOf(parent.agent));
    by = parent.delegatedBy;
  }
  return { chain, depth };
}

/** The task itself may not be in the ledger yet. */
async function delegatorOf(draft: Draft, task: Task, by: string): Promise<Task | undefined> {
  const keys = task.session === null || by.includes("/") ? [by] : [taskKey(task.session, by), by];
  if (keys.includes(task.key)) return task;
  for (const key of keys) {
    const found = await draft.task(key);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Nothing is started: the task is refused, then halted like any other loop. */
async function haltCircular(
  draft: Draft,
  task: Task,
  { chain, back }: { readonly chain: Chain; readonly back: string },
): Promise<Settled<Deny>> {
  const way = chain.map((agent) => agent ?? "?");
  const refusal: Refusal = {
    code: "R-BG-001",
    reason: `task \`${task.key}\` would return to \`${back}\`, which delegated it: ${way.join(" → ")}`,
    details: haltDetails(task, { signal: "circular_delegation", chain: way }),
  };
  const verdict = deny("R-BG-001", refusal.reason, { task_id: task.key, ...refusal.details });
  if (!["PENDING", "BLOCKED", "REJECTED"].includes(task.state)) return { verdict };
  if (task.version === 0) draft.create(task);
  const refused =
    task.state === "PENDING"
      ? await draft.apply(task, { type: "deny", refusal, fingerprint: fingerprintOf(refusal) }, "system")
      : task;
  if ("allow" in refused) return { verdict: refused };
  const ended =
    refused.state === "ESCALATED" ? refused : await draft.apply(refused, { type: "halt", refusal }, "system");
  if ("allow" in ended) return { verdict: ended };
  const details = { ...verdict.details, state: ended.state };
  return { verdict: { ...verdict, details }, change: await draft.toChange() };
}
