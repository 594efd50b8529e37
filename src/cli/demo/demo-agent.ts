import type { Main } from "./main-branch.ts";

/** One task of the plan, its agent, and how to examine the result. */
export interface DemoAgent {
  readonly task: string;
  readonly title: string;
  readonly goal: string;
  /** What the agent does, for the table. */
  readonly deed: string;
  readonly honest?: true;
  readonly scope: readonly string[];
  readonly checks: readonly string[];
  /** Fail before the work and pass after it. */
  readonly proves: readonly string[];
  readonly timeoutSeconds?: number;
  /** The steps of a script agent, by attempt. */
  readonly attempts: readonly (readonly Step[])[];
  /** What is wrong on main because of this agent, in a few words; undefined if nothing is. */
  harm(main: Main, spent: Spent): Promise<string | undefined>;
}

/** What the agent used until it ended or was stopped. */
export interface Spent {
  readonly seconds: number;
  readonly tokens: number;
}

type Step = Readonly<Record<string, unknown>>;

/** A task that adds a module, or changes one, and has a test for it. */
export function taskOn(task: string, title: string, test = `test/${task}.test.js`) {
  return {
    task,
    title,
    goal: `${title}. Work in src/${task}.js, with a test in ${test}; \`node --test\` must pass.`,
    scope: [`src/${task}.js`, test],
    checks: [`node --test ${test}`],
    proves: [`node --test ${test}`],
  };
}

export function write(path: string, text: string): Step {
  return { write: { path, text } };
}

export function writeFiles(files: Readonly<Record<string, string>>): readonly Step[] {
  return Object.entries(files).map(([path, text]) => write(path, text));
}

/** The final answer of every agent, true or not. */
export function answer(summary: string): Step {
  const gates = { meets_definition_of_done: true, needs_review: false, needs_tests: false };
  return {
    answer: {
      status: "OK",
      summary,
      artifacts: { files_changed: [], commands_to_run: [], notes: [] },
      gates: { ...gates, security_concerns: [] },
      next: { recommended_agent: "Orchestrator", recommended_task_id: "same", reason: "done" },
    },
  };
}
