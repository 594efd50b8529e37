import { findFault } from "../../clients/process/find-program.ts";
import type { Config } from "../../contract/config.ts";
import type { Machine } from "../../guard/setup/find-clients.ts";
import { withDefaultAgent } from "../../run/conduct/default-agent.ts";
import { broken, type Finding, missing, ok } from "./finding.ts";

/** Who would do the work of a run: those that are configured, or the first client that is found. */
export function examineAgents(config: Config, machine: Machine): readonly Finding[] {
  const named = Object.entries(config.agents);
  if (named.length > 0) return named.map(([name, agent]) => examineAgent(name, agent, machine));
  const chosen = withDefaultAgent(config, machine);
  if ("allow" in chosen)
    return [
      missing(
        "agents",
        "none is configured, and no client is on PATH: `land` works, `do` and `run` need an agent",
        "install claude, codex, gemini, opencode or copilot, or list `agents` in .lockstep/config.yaml",
      ),
    ];
  return [ok("agents", `none is configured: ${Object.keys(chosen.agents)[0]} is used`)];
}

function examineAgent(
  name: string,
  { adapter, run, model }: Config["agents"][string],
  machine: Machine,
): Finding {
  const what = `agent ${name}`;
  const [program = adapter] = run ?? [];
  const fault = findFault(program, machine);
  if (fault !== undefined) {
    const [detail = "", fix = "install it"] = fault.reason.split(": ");
    return broken(what, detail, fix);
  }
  return ok(what, run === undefined ? `${adapter}${model === null ? "" : `, ${model}`}` : run.join(" "));
}
