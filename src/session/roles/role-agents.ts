import type { Config } from "../../contract/config.ts";
import { kebabName, roleNames } from "../../core/names/roles.ts";
import type { Purpose } from "../../core/session/session.ts";

/** All roles except the Orchestrator, which is Lockstep itself. */
const roles = roleNames.filter((role) => role !== "Orchestrator");

export interface RoleAgents {
  readonly config: Config;
  /** All agents that may be needed. */
  readonly names: readonly string[];
  agentOf(role: string): string;
}

/**
 * Assigns an agent to every role: the one configured for it, or else the coder's configuration under the role's
 * own name and prompt, so that no agent judges its own work in the same conversation.
 */
export function withRoleAgents(config: Config): RoleAgents {
  const configured = Object.entries(config.agents);
  const coder = configured.find(([, { role }]) => role === "Coder") ?? configured[0];
  const agents = { ...config.agents };
  const byRole = new Map<string, string>();
  for (const role of roles) {
    const own = configured.find(([, agent]) => agent.role === role)?.[0];
    const name = own ?? freeName(role, agents);
    if (own === undefined && coder !== undefined) agents[name] = { ...coder[1], role, escalate_to: null };
    byRole.set(role, name);
  }
  return {
    config: { ...config, agents },
    names: [...byRole.values()],
    agentOf: (role) => {
      const name = byRole.get(role);
      if (name === undefined) throw new Error(`unknown role \`${role}\``);
      return name;
    },
  };
}

/** Names the agent only if the user configured one for the role. */
export function startOf(
  { agentOf }: RoleAgents,
  { role, purpose }: { readonly role: string; readonly purpose: Purpose },
): string {
  const agent = agentOf(role);
  const by = agent === kebabName(role) ? "" : ` by ${agent}`;
  return `${role}  started${by}: ${purpose.replace("-", " ")}`;
}

function freeName(role: string, taken: Config["agents"]): string {
  const name = kebabName(role);
  return Object.hasOwn(taken, name) ? `${name}-role` : name;
}
