import { join } from "node:path";
import { landRepository } from "../../support/land-repository.ts";
import type { CommandRun, Running } from "../../support/run-command.ts";
import { type TemporaryFolder, temporaryFolder } from "../../support/temporary-folder.ts";

export interface ClientOptions {
  /** The agent `coder`, as YAML. */
  readonly agentConfig: string;
  /** Each as YAML in one line: see `fileTask`. */
  readonly tasks: readonly string[];
  /** Further lines of the configuration. */
  readonly config?: string;
  /** The person's environment besides PATH, HOME, LANG and XDG_STATE_HOME. */
  readonly env?: Readonly<Record<string, string>>;
  /** The folder of the client's program. */
  readonly bin: string;
}

interface ClientRun extends CommandRun {
  readonly done: RunDocument;
}

interface RunDocument {
  readonly outcome: string;
  readonly tasks: readonly {
    readonly id: string;
    readonly state: string;
    readonly code: string | null;
    readonly reason: string | null;
    readonly attempts: number;
    readonly usage: Readonly<Record<string, number | null>>;
  }[];
}

/** A repository with a plan and a client as its agent; the person there has a home of their own and nothing else. */
export interface ClientRepository extends Disposable {
  readonly path: string;
  readonly home: TemporaryFolder;
  git(...words: string[]): string;
  /** The built command, in the person's environment. */
  lockstep(...words: string[]): Promise<CommandRun>;
  /** The same, without waiting for its end. */
  start(...words: string[]): Running;
  /** `lockstep run --json`. */
  run(): Promise<ClientRun>;
}

export function clientRepository({
  agentConfig,
  tasks,
  config = "",
  env = {},
  bin,
}: ClientOptions): ClientRepository {
  const repository = landRepository({
    ".gitignore": ".agents-work\n",
    ".lockstep/config.yaml": `agents:\n  coder: ${agentConfig}\n${config}`,
    "tasks.yaml": `project: { name: shop }\ntasks:\n${tasks.map((task) => `  - ${task}\n`).join("")}`,
  });
  const home = temporaryFolder();
  const whole = {
    PATH: `${bin}:${process.env.PATH}`,
    HOME: home.path,
    LANG: "C.UTF-8",
    // Not in the repository: clients have rules of their own for folders below a `.git`.
    XDG_STATE_HOME: join(home.path, ".local", "state"),
    ...env,
  };
  const clean = ["env", "-i", ...Object.entries(whole).map(([name, value]) => `${name}=${value}`)];
  const start = (...words: string[]) => repository.start(words, { through: clean });
  const lockstep = (...words: string[]) => start(...words).ended;
  return {
    path: repository.path,
    home,
    git: repository.git,
    lockstep,
    start,
    run: async () => {
      const ran = await lockstep("run", "--json");
      if (ran.stdout === "") throw new Error(`\`lockstep run\` printed nothing; stderr: ${ran.stderr}`);
      return { ...ran, done: JSON.parse(ran.stdout) };
    },
    [Symbol.dispose]: () => {
      repository[Symbol.dispose]();
      home[Symbol.dispose]();
    },
  };
}

/** A task that is done when a file of its name exists. */
export function fileTask(id: string, more = ""): string {
  return `{ id: ${id}, goal: make ${id}.txt, agent: coder, lock_scope: [${id}.txt], acceptance_checks: ["cmd: test -e ${id}.txt"]${more} }`;
}

/** An agent's last message, in the requested form. */
export function report(status = "OK"): string {
  return JSON.stringify({
    status,
    summary: "made it",
    artifacts: { files_changed: [], commands_to_run: [], notes: [] },
    gates: {
      meets_definition_of_done: true,
      needs_review: false,
      needs_tests: false,
      security_concerns: [],
    },
    next: { recommended_agent: "Orchestrator", recommended_task_id: "same", reason: "done" },
  });
}
