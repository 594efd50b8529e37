import type { Config } from "../contract/config.ts";
import { kebabName, roleNames } from "../core/names/roles.ts";
import type { Purpose } from "../core/session/session.ts";

/** Everybody but the Orchestrator, which is Lockstep itself. */
const roles = roleNames.filter((role) => role !== "Orchestrator");

export interface RoleAgents {
  readonly config: Config;
  /** Everybody who may be asked. */
  readonly names: readonly string[];
  agentOf(role: string): string;
}

/**
 * Somebody for every role: whoever is configured for it, else whoever codes, in the role's own name and with the
 * role's own prompt, so that nobody judges their own work in the conversation in which they made it.
 */
export function withRoleAgents(config: Config): RoleAgents {
  const configured = Object.entries(config.agents);
  const standIn = configured.find(([, { role }]) => role === "Coder") ?? configured[0];
  const agents = { ...config.agents };
  const byRole = new Map<string, string>();
  for (const role of roles) {
    const own = configured.find(([, agent]) => agent.role === role)?.[0];
    const name = own ?? freeName(role, agents);
    if (own === undefined && standIn !== undefined) agents[name] = { ...standIn[1], role, escalate_to: null };
    byRole.set(role, name);
  }
  return {
    config: { ...config, agents },
    names: [...byRole.values()],
    agentOf: (role) => {
      const name = byRole.get(role);
      if (name === undefined) throw new Error(`there is no role \`${role}\``);
      return name;
    },
  };
}

/** A person hears who it is where they have named somebody for the role. */
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
