import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Opened, openEngine } from "../../src/cli/open/open-engine.ts";
import { integrate } from "../../src/run/landing/integrate.ts";
import type { Member } from "../../src/run/landing/integration.ts";
import { readRepository } from "../../src/workspace/git/repository-state.ts";
import { type CommandRun, startProgram } from "../support/run-command.ts";
import { lockstepWords } from "../support/run-hook.ts";
import { type Case, filesOf, type Project, type Verdict } from "./corpus.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

/**
 * The runners that the projects use come first on PATH. Debian's pytest is the one that is installed for the tests; a
 * Python with unrelated plugins needs four times as long for each run.
 */
const searchPath = [
  ...["node_modules/.bin", "test/runners/node_modules/.bin"].map((folder) => join(root, folder)),
  "/usr/bin",
  process.env.PATH ?? "",
].join(delimiter);

const probed = new Map<string, boolean>();

/** The missing parts of a project's tool chain on this machine. */
export function missingTools({ needs }: Project): readonly string[] {
  const env = { ...process.env, PATH: searchPath };
  for (const probe of needs.filter((one) => !probed.has(one)))
    probed.set(probe, spawnSync("sh", ["-c", probe], { env, stdio: "ignore" }).status === 0);
  return needs.filter((probe) => probed.get(probe) !== true);
}

export interface Judged {
  /** `waits`: for a person, but not because of weakened tests. */
  readonly verdict: Verdict | "waits";
  /** All messages to the person. */
  readonly message: string;
}

/** A repository with a project's base on `main`, and a branch for each of its cases. */
interface Ground {
  /** What Lockstep would do with the case's branch; the base does not move. */
  judge(one: Case): Promise<Judged>;
  /** The project's own test command on the branch, as any CI runs it. */
  runPlainCi(branch: string): Promise<{ readonly green: boolean; readonly output: string }>;
  git(...words: string[]): string;
  /** The built command in the repository. */
  run(...words: string[]): Promise<CommandRun>;
}

/** One folder for the repositories of all projects. */
export interface Grounds extends AsyncDisposable {
  /** A project with many cases has several repositories, so that they can be judged at the same time. */
  of(project: Project, one?: Case): Ground;
}

const casesPerRepository = 20;

export function openGrounds(): Grounds {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "lockstep-cheats-")));
  // Read by the code in this process; the repositories share it as they do in a person's home.
  Object.assign(process.env, { XDG_STATE_HOME: join(folder, "state"), PATH: searchPath });
  const grounds = new Map<string, OpenGround>();
  return {
    of: (project, one) => {
      const count = Math.ceil(project.cases.length / casesPerRepository);
      const name = `${project.name}-${one === undefined ? 0 : project.cases.indexOf(one) % count}`;
      const ground = grounds.get(name) ?? openGround(project, join(folder, name));
      grounds.set(name, ground);
      return ground;
    },
    [Symbol.asyncDispose]: async () => {
      for (const ground of grounds.values()) await ground.close();
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

interface OpenGround extends Ground {
  close(): Promise<void>;
}

function openGround(project: Project, path: string): OpenGround {
  mkdirSync(path);
  const git = (...words: string[]) =>
    execFileSync("git", words, { cwd: path, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] }).trim();
  git("init", "-q", "-b", "main");
  git("config", "user.name", "t");
  git("config", "user.email", "t@localhost");
  execFileSync("git", ["fast-import", "--quiet"], { cwd: path, input: historyOf(project) });
  git("reset", "-q", "--hard");
  let opened: Promise<Opened> | undefined;
  let last: Promise<unknown> = Promise.resolve();
  return {
    git,
    // One after the other: two integrations of one process share the ref that keeps their merges.
    judge: (one) => {
      opened ??= openIn(path);
      const engine = opened;
      const judged = last.then(async () => judgeBranch(await engine, one.name));
      last = judged.catch(() => {});
      return judged;
    },
    run: (...words) => startProgram([...lockstepWords, ...words], { cwd: path }).ended,
    runPlainCi: (branch) => runPlainCi(project, { path, branch }),
    close: async () => (await opened)?.[Symbol.dispose](),
  };
}

/** The branch that has a fault of the product and nothing else. */
export function faultBranch(name: string): string {
  return `faults/${name}`;
}

/** The base and the branches, for `git fast-import`. */
function historyOf(project: Project): string {
  const commits = [
    { ref: "main", message: "base", files: project.files },
    ...project.cases.map((one) => ({ ref: one.name, message: one.does, files: filesOf(project, one) })),
    ...Object.entries(project.faults).map(([name, fault]) => ({
      ref: faultBranch(name),
      message: fault.does,
      files: filesOf(project, { name, faults: [], ...fault }),
    })),
  ];
  return commits
    .map(({ ref, message, files }) => {
      const from = ref === "main" ? "mark :1" : "";
      const head = [`commit refs/heads/${ref}`, from, "committer t <t@localhost> 1700000000 +0000"];
      const texts = [...files].map(
        ([path, text]) => `M ${text.startsWith("#!") ? 100755 : 100644} inline ${path}\n${data(text)}`,
      );
      const parent = ref === "main" ? [] : ["from :1"];
      return [...head.filter(Boolean), data(message), ...parent, "deleteall", ...texts, ""].join("\n");
    })
    .join("\n");
}

function data(text: string): string {
  return `data ${Buffer.byteLength(text)}\n${text}`;
}

/** As the command does it: the folder is read before the first wait. */
function openIn(path: string): Promise<Opened> {
  const before = process.cwd();
  process.chdir(path);
  try {
    return openEngine({ create: true });
  } finally {
    process.chdir(before);
  }
}

async function judgeBranch({ engine, project, config }: Opened, branch: string): Promise<Judged> {
  const repository = await readRepository(project, config);
  if ("error" in repository) throw new Error(repository.error);
  const call = { role: "person" as const };
  const context = { engine, config, repository, call, dryRun: true, onProgress: () => {} };
  const { branches } = await integrate(context, [{ branch, scope: null, checks: [], proves: [] }]);
  const [member] = branches;
  if (member === undefined) throw new Error(`nothing was said of \`${branch}\``);
  return judgedOf(member);
}

export function judgedOf({ outcome, refused }: Pick<Member, "outcome" | "refused">): Judged {
  const message = JSON.stringify(refused);
  if (outcome === "merged" || outcome === "proven") return { verdict: "merge", message };
  if (outcome !== "waiting") return { verdict: "refuse", message };
  return { verdict: refused?.details?.weakened === undefined ? "waits" : "ask", message };
}

/** A fresh clone, the dependencies if there is a lock file for them, the test command. */
async function runPlainCi({ command }: Project, { path, branch }: { path: string; branch: string }) {
  const folder = `${path}-ci-${branch.replaceAll("/", "-")}`;
  execFileSync("git", ["clone", "-q", "--branch", branch, path, folder]);
  const { HOME = "", LANG = "C.UTF-8" } = process.env;
  const env = [`HOME=${HOME}`, `LANG=${LANG}`, `PATH=${searchPath}`, "CI=true"];
  const script = `if [ -e package-lock.json ]; then npm ci --no-audit --no-fund || exit 1; fi\n${command}`;
  const { status, stdout, stderr } = await startProgram(["env", "-i", ...env, "sh", "-c", script], {
    cwd: folder,
  }).ended;
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  return { green: status === 0, output: stdout + stderr };
}
