import { findFault } from "../../clients/process/find-program.ts";
import { agentClients } from "../../contract/client-names.ts";
import type { Config } from "../../contract/config.ts";
import { agents } from "../../contract/config-agents.ts";
import { type Deny, deny } from "../../core/rules/verdict.ts";

/** If no agents are configured, adds the requested client, or the first one on PATH. */
export function withDefaultAgent(
  config: Config,
  {
    path,
    root,
    wanted = null,
  }: { readonly path: string; readonly root: string; readonly wanted?: string | null },
): Config | Deny {
  if (Object.keys(config.agents).length > 0) return config;
  const named = agentClients.filter((client) => client === wanted);
  const clients = named.length > 0 ? named : agentClients;
  const found = clients.find((client) => findFault(client, { root, path }) === undefined);
  if (found === undefined)
    return deny(
      "R-AG-001",
      `no agents are configured, and none of ${clients.join(", ")} is on PATH: install one, or list \`agents\` in .lockstep/config.yaml`,
    );
  return { ...config, agents: agents.parse({ [found]: { adapter: found } }) };
}
