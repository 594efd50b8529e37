import type { Main } from "./main-branch.ts";

/** One task of the plan, the agent that works on it, and how to see what became of that. */
export interface DemoAgent {
  readonly task: string;
  readonly title: string;
  readonly goal: string;
  /** What it does, for the table. */
  readonly deed: string;
  readonly honest?: true;
  readonly scope: readonly string[];
  readonly checks: readonly string[];
  /** Fail before the work and pass after it. */
  readonly proves: readonly string[];
  readonly timeoutSeconds?: number;
  /** The steps of a script agent, by attempt. */
  readonly attempts: readonly (readonly Step[])[];
  /** What is wrong on a main that was to have its work, in few words; undefined where nothing is. */
  harm(main: Main, spent: Spent): Promise<string | undefined>;
}

/** What was paid for it until somebody or something stopped it. */
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

/** What every agent says at the end, be it true or not. */
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
