import type { Config } from "../../contract/config.ts";
import { type Ends, readAmount } from "../../core/loops/budgets.ts";
import { nearestName } from "../../core/names/nearest-name.ts";
import { agentsForTask } from "../../core/plan/agents-for-task.ts";
import type { Deny } from "../../core/rules/verdict.ts";
import { withDefaultAgent } from "../../run/conduct/default-agent.ts";
import type { IntegrationContext } from "../../run/landing/integration.ts";
import { type ConfigFault, faultLine } from "../../workspace/config/config-fault.ts";
import { type LoadedPlan, loadPlan } from "../../workspace/plan/load-plan.ts";
import type { RepositoryOptions } from "../open/in-repository.ts";
import { CommandFault } from "../output/command-fault.ts";

/** Options of both `run` and `do`. */
export interface RunOptions extends RepositoryOptions {
  readonly agent?: string;
  readonly maxParallel?: string;
  readonly tokens?: string;
  readonly minutes?: string;
  readonly allowRed?: boolean;
  readonly jsonLines?: boolean;
}

/** The configuration with the options of this run applied. */
export function configForRun(config: Config, root: string, options: RunOptions): Config {
  const found = withAgents(withLimits(config, options), root, options);
  if ("allow" in found) throw new CommandFault(found.code, found.reason);
  return found;
}

/** Adds the default agent, if none is configured. Refuses if there is none on this machine. */
export function withAgents(config: Config, root: string, { agent }: RunOptions): Config | Deny {
  const found = withDefaultAgent(config, { path: process.env.PATH ?? "", root, wanted: agent ?? null });
  if ("allow" in found || agent === undefined || Object.hasOwn(found.agents, agent)) return found;
  throw unknownAgent(agent, found);
}

export function withLimits(config: Config, { maxParallel }: RunOptions): Config {
  if (maxParallel === undefined) return config;
  return { ...config, limits: { ...config.limits, max_parallel: parallelOf(maxParallel, config) } };
}

/** `--tokens` and `--minutes`, which are stored with the session. */
export function givenEnds({ tokens, minutes }: RunOptions): Ends {
  return {
    ...(tokens === undefined ? {} : { tokens: amountIn("tokens", tokens) }),
    ...(minutes === undefined ? {} : { minutes: amountIn("minutes", minutes) }),
  };
}

function amountIn(signal: "tokens" | "minutes", text: string): number {
  const amount = readAmount(text, signal);
  if (amount !== undefined) return amount;
  const wanted =
    signal === "tokens" ? "a whole number of at least 1, such as `80000`" : "a number above 0, such as `30`";
  throw new CommandFault("R-IN-001", `--${signal} takes ${wanted}, not \`${text}\``);
}

function unknownAgent(agent: string, { agents }: Config): CommandFault {
  const names = Object.keys(agents);
  const near = nearestName(agent, names);
  const known = `one of \`${names.join("`, `")}\``;
  const meant = near === undefined ? `name ${known}` : `did you mean \`${near}\`? Name ${known}`;
  return new CommandFault("E-CONFIG", `there is no agent \`${agent}\`: ${meant}`);
}

function parallelOf(text: string, { limits }: Config): number {
  if (!/^[1-9]\d{0,5}$/.test(text))
    throw new CommandFault("R-IN-001", `--max-parallel takes a whole number of at least 1, not \`${text}\``);
  const count = Number(text);
  if (count <= limits.max_active) return count;
  const most = `\`limits.max_active\`, which is ${limits.max_active}`;
  throw new CommandFault("E-CONFIG", `--max-parallel ${text} is more than ${most}: raise that first`);
}

export function readPlan(
  { config, repository }: IntegrationContext,
  file: string,
  told: (fault: ConfigFault) => string = faultLine,
): LoadedPlan {
  const known = { agents: config.agents, taskTypes: config.task_types };
  const loaded = loadPlan(file, repository.root, known);
  if ("faults" in loaded) throw new CommandFault("E-PLAN", loaded.faults.map(told).join("\n"));
  return loaded.plan;
}

/** `--agent`: assigns every task to this agent, if the task's type allows it. */
export function planFor(plan: LoadedPlan, config: Config, agent: string | undefined): LoadedPlan {
  if (agent === undefined) return plan;
  const known = { agents: config.agents, taskTypes: config.task_types };
  const tasks = plan.tasks.map((task) => ({ ...task, agent }));
  const clashing = tasks.find((task) => agentsForTask(task, known)[0] !== agent);
  if (clashing === undefined) return { ...plan, tasks };
  const { id, type } = clashing;
  const allowed = agentsForTask({ agent: null, type }, known);
  throw new CommandFault(
    "E-PLAN",
    `task \`${id}\` is a \`${type}\`, which \`${agent}\` may not do: leave --agent out, or name \`${allowed.join("` or `")}\``,
  );
}

const optionOf: Readonly<Record<string, string>> = {
  goal: "the goal",
  lock_scope: "--scope",
  acceptance_checks: "--check",
  proves: "--proves",
};

/** A fault in the generated plan of `do`, reported by the option that it comes from. */
export function optionFault(fault: ConfigFault): string {
  const line = faultLine(fault);
  return line
    .slice(line.indexOf(": ") + 2)
    .replace(/`tasks\[0\]\.(\w+)[^`]*`/g, (whole, key: string) => optionOf[key] ?? whole);
}
