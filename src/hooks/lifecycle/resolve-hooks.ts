import type { Config } from "../../contract/config.ts";
import type { ConfiguredHook, HookPoint } from "./hook.ts";

type HookLists = Readonly<Record<HookPoint, readonly ConfiguredHook[]>>;

export const defaultHooks: HookLists = {
  before_submit: [{ name: "create_pr", parameters: null }],
  after_submit: [],
  before_merge: [],
  after_merge: [],
};

/**
 * The hooks of a point: the agent's own, or those of the task type, of the project, or the default, in that
 * order.
 */
export function resolveHooks(
  config: Pick<Config, "hooks" | "task_types" | "agents">,
  point: HookPoint,
  taskType: string | null,
  agentName: string | null,
): readonly ConfiguredHook[] {
  // An empty list means no hooks; only null falls through to the next level.
  return (
    entry(config.agents, agentName)?.hooks[point] ??
    entry(config.task_types, taskType)?.hooks[point] ??
    config.hooks[point] ??
    defaultHooks[point]
  );
}

/** Whether an agent may work on tasks of a type; a type without a list is open to all agents. */
export function mayWorkOn(
  config: Pick<Config, "task_types">,
  taskType: string | null,
  { agent, as }: { readonly agent: string; readonly as: "implementer" | "gatekeeper" },
): boolean {
  return entry(config.task_types, taskType)?.agents[as]?.includes(agent) ?? true;
}

function entry<Value>(entries: Readonly<Record<string, Value>>, key: string | null): Value | undefined {
  return key !== null && Object.hasOwn(entries, key) ? entries[key] : undefined;
}
