import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { answerHook } from "../../src/cli/hook/guard.ts";
import type { NativeAnswer } from "../../src/contract/tool-call.ts";
import type { Engine } from "../../src/engine/change/engine.ts";
import { openSqliteLedger } from "../../src/ledger/sqlite/open-ledger.ts";
import { nodeDisk } from "../../src/workspace/files/disk.ts";
import { networkFileSystem } from "../../src/workspace/files/file-system.ts";
import { findProject } from "../../src/workspace/files/find-project.ts";
import { machineClock } from "../../src/workspace/process/machine-clock.ts";
import { identityOf, livenessOn } from "../../src/workspace/process/process-identity.ts";
import { openStateFolder } from "../../src/workspace/state/state-folder.ts";
import { homeFolder } from "./home-folder.ts";
import { dispatch, memoryEngine, packet } from "./memory-engine.ts";
import { gitOptions, newRepository } from "./new-repository.ts";
import { startProgram } from "./run-command.ts";
import { lockstepWords } from "./run-hook.ts";

export interface Dispatched {
  readonly task: string;
  readonly epoch: number;
  readonly token: string;
}

/** A repository outside any temporary folder, where every file would count as scratch. */
export interface GuardedRepository extends Disposable {
  readonly path: string;
  git(...words: string[]): string;
  write(file: string, text: string): string;
  /** Runs the command; returns its output. */
  run(...words: string[]): Promise<string>;
  /** The engine on the repository's own ledger, opened and closed for each use. */
  withEngine<T>(use: (engine: Engine) => Promise<T>): Promise<T>;
  dispatch(task: string, scope: readonly string[], more?: object): Promise<Dispatched>;
  /** One call of a hook, in this process. */
  guard(payload: unknown, options?: GuardOptions): Promise<NativeAnswer>;
}

export interface GuardOptions {
  readonly client?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly folder?: string;
  /** The time limit for the answer; by default enough for a loaded machine. */
  readonly msMax?: number;
}

const files = [
  "src/a/ok.ts",
  "src/a/in.ts",
  "src/a/x.ts",
  "src/b/x.ts",
  "package.json",
  "README.md",
  "docs/guide.md",
  "test/a.test.ts",
  "tools/gen.go",
  "gen.sh",
  "Makefile",
  "in.json",
  "p.diff",
  ".gitignore",
];

/** The fixture of the guard's cases: links that point out of src/a, and out of the project. */
export function guardedRepository(): GuardedRepository {
  const path = realpathSync(mkdtempSync(join(homeFolder(), "lockstep-guard-")));
  const write = (file: string, text: string) => {
    mkdirSync(dirname(join(path, file)), { recursive: true });
    writeFileSync(join(path, file), text);
    return join(path, file);
  };
  const git = (...words: string[]) =>
    execFileSync("git", [...gitOptions, ...words], {
      cwd: path,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
    }).trim();
  const texts: Record<string, string> = {
    "package.json": "{}\n",
    "in.json": "{}\n",
    ".gitignore": "x\nnode_modules\ncoverage\n.env*\n",
  };
  for (const file of files) write(file, texts[file] ?? "x\n");
  write("node_modules/x/index.js", "x\n");
  symlinkSync("../docs", join(path, "node_modules/docs"));
  symlinkSync("../b", join(path, "src/a/link-b"));
  symlinkSync("../b/x.ts", join(path, "src/a/lf"));
  symlinkSync("../b/none.ts", join(path, "src/a/dangling"));
  symlinkSync("/etc", join(path, "out"));
  newRepository(path);
  git("add", "-A");
  git("commit", "-qm", "base");
  const run = async (...words: string[]) => {
    const { stdout, stderr, status } = await startProgram([...lockstepWords, ...words], {
      cwd: path,
    }).ended;
    if (status !== 0) throw new Error(`${words.join(" ")} exits ${status}: ${stderr}`);
    return stdout;
  };
  const withEngine = async <T>(use: (engine: Engine) => Promise<T>) => {
    const project = findProject(path);
    const folder = openStateFolder(project);
    const ledger = await openSqliteLedger({ folder, create: true, fileSystemOf: networkFileSystem });
    try {
      const { clock: _, world: __, ...rest } = await memoryEngine({ ledger });
      const world = { place: project.place, disk: nodeDisk() };
      return await use({
        ...rest,
        ledger,
        clock: machineClock(),
        world,
        isAlive: livenessOn(undefined),
        identityOf,
      });
    } finally {
      ledger.close();
    }
  };
  return {
    path,
    git,
    write,
    run,
    withEngine,
    async dispatch(task, scope, more = {}) {
      const verdict = await withEngine((engine) => dispatch(engine, packet(task, scope, { ...more })));
      if (!verdict.allow) throw new Error(verdict.reason);
      const { epoch, token } = verdict.details as { epoch: number; token: string };
      return { task, epoch, token };
    },
    guard: (payload, { client = "claude", env = {}, folder = path, msMax = 60_000 } = {}) =>
      answerHook({
        ...{ client, folder, msMax },
        bytes: Buffer.from(typeof payload === "string" ? payload : JSON.stringify(payload)),
        environment: { PATH: process.env.PATH, HOME: homedir(), ...env },
      }),
    [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true, maxRetries: 5 }),
  };
}

/** The environment of an agent that was started with a task. */
export function agentEnvironment({ task, epoch, token }: Dispatched): Record<string, string> {
  return { LOCKSTEP_TASK: task, LOCKSTEP_EPOCH: String(epoch), LOCKSTEP_TOKEN: token };
}
