import type { ToolCall } from "../../contract/tool-call.ts";
import { isOver } from "../../core/leases/lease.ts";
import { readTaskName } from "../../core/names/task-name.ts";
import { type Deny, deny } from "../../core/rules/verdict.ts";
import type { GuardFacts, Holder } from "../../engine/views/guard-facts.ts";
import type { GuardStore, GuardWorld, OwnTask } from "./guard-world.ts";

export type Caller =
  | { readonly kind: "task"; readonly holder: Holder; readonly agent: string | null }
  /** The agent no longer has its task: it may read, but not write. */
  | { readonly kind: "stale"; readonly task: string; readonly refused: Deny }
  | { readonly kind: "orchestrator" }
  | { readonly kind: "subagent" };

type World = Pick<GuardWorld, "environment" | "hasOrchestrated" | "orchestrators" | "clock">;

/**
 * The first match decides: the task that the agent was started with; the task that the client's agent has claimed; the
 * client's statement that this is a subagent, even if it inherited an orchestrator's environment; the role in the
 * environment; the role of the client's session.
 */
export async function whoIsCalling(
  call: ToolCall,
  world: World,
  store: GuardStore | undefined,
): Promise<Caller> {
  const own = ownTaskIn(world.environment);
  if (own !== undefined) return byToken(own, call, world, store);
  const claimed = store === undefined ? undefined : await byClaim(call, world, store);
  if (claimed !== undefined) return claimed;
  const { agentId, agentType } = call.actor;
  if (agentId !== null || agentType !== null) return { kind: roleNamed(agentType) };
  const named = world.environment.CLAUDE_AGENT_ROLE?.trim() || world.environment.CLAUDE_AGENT_NAME?.trim();
  if (named) return { kind: roleNamed(named) };
  if (!(await world.hasOrchestrated())) return { kind: "subagent" };
  return { kind: (await world.orchestrators?.())?.roleOf(call.session) ?? "subagent" };
}

/** The name that a task is bound to: the client's agent, or the whole session of a client without agents. */
export function agentOf({ actor, session }: Pick<ToolCall, "actor" | "session">): string | null {
  if (actor.agentId !== null) return `agent:${actor.agentId}`.slice(0, agentLengthMax);
  return session === null ? null : `session:${session}`.slice(0, agentLengthMax);
}

const agentLengthMax = 200;

const orchestratorNames = ["orchestrator", "master-orchestrator"];

function roleNamed(name: string | null): "orchestrator" | "subagent" {
  return orchestratorNames.includes(name?.trim().toLowerCase() ?? "") ? "orchestrator" : "subagent";
}

function ownTaskIn(environment: World["environment"]): OwnTask | undefined {
  const task = environment.LOCKSTEP_TASK?.trim() ?? "";
  if (task === "") return undefined;
  const epoch = environment.LOCKSTEP_EPOCH?.trim() ?? "";
  return {
    task,
    token: environment.LOCKSTEP_TOKEN || undefined,
    epoch: /^\d{1,15}$/.test(epoch) ? Number(epoch) : undefined,
  };
}

async function byToken(
  own: OwnTask,
  call: ToolCall,
  { clock }: World,
  store: GuardStore | undefined,
): Promise<Caller> {
  const stale = (refused: Deny): Caller => ({ kind: "stale", task: own.task, refused });
  const name = readTaskName(own.task);
  if ("allow" in name) return stale(ended(own.task, "is not a valid task name"));
  if (store === undefined) return stale(ended(own.task, "is not in this project's ledger"));
  if (own.token === undefined) return stale(ended(own.task, "needs a token, but LOCKSTEP_TOKEN is not set"));
  const refused = await store.whyStale(own);
  if (refused !== undefined) return stale(refused);
  const holder = holderOf(await store.facts(), own.task);
  if (holder === undefined || isOver(holder, clock.now()))
    return stale(ended(own.task, "no longer has a lease"));
  return { kind: "task", holder, agent: agentOf(call) };
}

async function byClaim(call: ToolCall, { clock }: World, store: GuardStore): Promise<Caller | undefined> {
  const agent = agentOf(call);
  const task = agent === null ? undefined : await store.boundTask(agent);
  if (task === undefined) return undefined;
  const holder = holderOf(await store.facts(), task);
  const isOwn = holder?.boundAgent === agent && !isOver(holder, clock.now());
  if (holder !== undefined && isOwn) return { kind: "task", holder, agent };
  return { kind: "stale", task, refused: ended(task, "is no longer leased to this agent") };
}

function holderOf({ holders }: GuardFacts, key: string): Holder | undefined {
  return holders.find((holder) => holder.key === key);
}

function ended(task: string, why: string): Deny {
  return deny("R-LS-001", `task \`${task}\` ${why}: stop; the task must be dispatched again`, {
    task_id: task,
  });
}
