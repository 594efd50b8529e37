import { findFault } from "../../clients/process/find-program.ts";
import { agentClients } from "../../contract/client-names.ts";
import type { Config } from "../../contract/config.ts";
import type { Machine } from "../../guard/setup/find-clients.ts";
import { whyFilesLack } from "../../run/attempt/missing-script.ts";
import { withDefaultAgent } from "../../run/conduct/default-agent.ts";
import { broken, brokenBy, type Finding, missing, ok } from "./finding.ts";

/** The agents of a run: the configured ones, or the first client that is found. */
export async function examineAgents(
  config: Config,
  machine: Machine,
  baseCommit: string | undefined,
): Promise<readonly Finding[]> {
  const named = Object.entries(config.agents);
  const { include } = config.workspace;
  const ground = { machine, baseCommit, include };
  if (named.length > 0) return Promise.all(named.map(([name, agent]) => examineAgent(name, agent, ground)));
  const chosen = withDefaultAgent(config, machine);
  if ("allow" in chosen)
    return [
      missing(
        "agents",
        "none is configured, and no client is on PATH: `land` works, `do` and `run` need an agent",
        `install one of ${agentClients.join(", ")}, or list \`agents\` in .lockstep/config.yaml`,
      ),
    ];
  return [ok("agents", `none is configured: ${Object.keys(chosen.agents)[0]} is used`)];
}

interface Ground {
  readonly machine: Machine;
  /** Undefined without a repository. */
  readonly baseCommit: string | undefined;
  readonly include: readonly string[];
}

async function examineAgent(
  name: string,
  agent: Config["agents"][string],
  { machine, baseCommit, include }: Ground,
): Promise<Finding> {
  const { adapter, run, model } = agent;
  const what = `agent ${name}`;
  const [program = adapter] = run ?? [];
  const fault = findFault(program, machine);
  if (fault !== undefined) {
    const [detail = "", fix = "install it"] = fault.reason.split(": ");
    return broken(what, detail, fix);
  }
  const lacking =
    baseCommit === undefined
      ? undefined
      : await whyFilesLack(agent, { root: machine.root, baseCommit, include });
  if (lacking !== undefined) return brokenBy(what, lacking);
  return ok(what, run === undefined ? `${adapter}${model === null ? "" : `, ${model}`}` : run.join(" "));
}
