import { expect } from "vitest";
import { checksByName, type LandRepository, landRepository } from "./land-repository.ts";

export const answer = (status: string) =>
  `answer: { status: ${status}, summary: said so, artifacts: { files_changed: [], commands_to_run: [], notes: [] }, gates: { meets_definition_of_done: true, needs_review: false, needs_tests: false, security_concerns: [] }, next: { recommended_agent: Orchestrator, recommended_task_id: same, reason: x } }`;

/** A step that waits until the test writes `state/go` into the repository. */
export const awaits = `run: { command: 'while [ ! -e "$LOCKSTEP_ROOT/state/go" ]; do sleep 0.05; done' }`;

export interface PlannedOptions {
  /** For each agent its attempts, each a list of steps in YAML. */
  readonly agents: Readonly<Record<string, readonly (readonly string[])[]>>;
  readonly tasks: readonly string[];
  readonly config?: string;
  /** Agents that are programs, by name. */
  readonly programs?: Readonly<Record<string, readonly string[]>>;
  /** Further keys of an agent, such as `escalate_to: b`. */
  readonly settings?: Readonly<Record<string, string>>;
  readonly files?: Readonly<Record<string, string>>;
}

/** A repository with a plan, and scripted agents. */
export function planned({
  agents,
  tasks,
  programs = {},
  config = "",
  settings = {},
  files = {},
}: PlannedOptions): LandRepository {
  const scripts = Object.entries(agents).map(([name, attempts]) => [
    `agents/${name}.yaml`,
    `attempts:\n${attempts.map((steps) => steps.map((step, at) => `${at === 0 ? "  - - " : "    - "}${step}\n`).join("")).join("")}`,
  ]);
  const listed = Object.keys(agents).map((name) => {
    const more = settings[name] === undefined ? "" : `, ${settings[name]}`;
    return `  ${name}: { adapter: script, run: [agents/${name}.yaml]${more} }\n`;
  });
  for (const [name, run] of Object.entries(programs))
    listed.push(`  ${name}: { adapter: command, run: ${JSON.stringify(run)} }\n`);
  const isPlain = !("package.json" in files) && !config.includes("checks:");
  return landRepository({
    ...Object.fromEntries(scripts),
    ...files,
    ".gitignore": "state\n.agents-work\n",
    ".lockstep/config.yaml": `agents:\n${listed.join("")}${config}${isPlain ? checksByName : ""}`,
    "tasks.yaml": planText(tasks),
  });
}

export function planText(tasks: readonly string[], name = "shop"): string {
  return `project: { name: ${name} }\ntasks:\n${tasks.map((task) => `  - ${task}\n`).join("")}`;
}

export const task = (id: string, agent: string, more = "") =>
  `{ id: ${id}, goal: do ${id}, agent: ${agent}, lock_scope: [${id}.txt], acceptance_checks: ["cmd: test -e ${id}.txt"]${more} }`;

export const writes = (id: string) => `write: { path: ${id}.txt, text: "made\\n" }`;

export interface RunDocument {
  readonly session: string;
  readonly outcome: string;
  readonly tasks: readonly {
    readonly id: string;
    readonly key: string;
    readonly state: string;
    readonly code: string | null;
    readonly attempts: number;
    readonly agent: string | null;
    readonly details: Readonly<Record<string, unknown>>;
  }[];
}

export async function runPlan(repository: LandRepository, ...words: string[]) {
  const { status, stdout, stderr } = await repository.run(["run", ...words, "--json"]);
  expect(stdout, stderr).not.toBe("");
  return { status, stderr, ...readRun(stdout) };
}

export function readRun(stdout: string) {
  const done = JSON.parse(stdout) as RunDocument;
  const states = Object.fromEntries(done.tasks?.map(({ id, state }) => [id, state]) ?? []);
  return { done, states };
}
