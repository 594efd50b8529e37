import { spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Status } from "../../src/engine/views/read-status.ts";
import { type BareRemote, bareRemote } from "./bare-remote.ts";
import { type LedgerDatabase, takeDatabase } from "./ledger-databases.ts";
import { type PlannedOptions, planned } from "./planned-repository.ts";
import { type CommandOptions, type CommandRun, type Running, startProgram } from "./run-command.ts";
import { lockstepWords } from "./run-hook.ts";
import { temporaryFolder } from "./temporary-folder.ts";

/** A machine with its own home and state folder, and the shared ledger and remote of the fleet. */
export interface FleetMachine {
  readonly name: string;
  /** The folder that commands run in: a clone, or one without a repository. */
  readonly folder: string;
  run(words: readonly string[], options?: CommandOptions): Promise<CommandRun>;
  start(words: readonly string[], options?: CommandOptions): Running;
  json<Document>(...words: string[]): Promise<Document>;
}

export interface Fleet extends AsyncDisposable {
  readonly remote: BareRemote;
  readonly database: LedgerDatabase;
  /** The machine that has the plan. */
  readonly first: FleetMachine;
  /** A further machine, with a clone of the remote or without any. */
  join(name: string, options?: { readonly clone?: boolean; readonly url?: string }): FleetMachine;
  status(): Promise<Status>;
  /** The subjects of the remote's commits on `main`, the newest first. */
  subjects(): readonly string[];
}

/** Machines that work on one plan, with a database and a bare repository between them. */
export async function fleet(requested: PlannedOptions, given?: LedgerDatabase): Promise<Fleet> {
  const database = given ?? (await takeDatabase());
  const config = `remote: origin\nintegrate: push\n${requested.config ?? ""}`;
  const repository = planned({ ...requested, config });
  const remote = bareRemote(repository);
  const home = temporaryFolder({});
  const machine = (name: string, folder: string, url = database.url): FleetMachine => {
    const own = join(home.path, name);
    for (const part of ["home", "state"]) mkdirSync(join(own, part), { recursive: true });
    const env = {
      ...{ HOME: join(own, "home"), XDG_STATE_HOME: join(own, "state") },
      ...{ LOCKSTEP_LEDGER_URL: url, LOCKSTEP_MACHINE: name, LOCKSTEP_REMOTE_SECONDS: "20" },
    };
    const start = (words: readonly string[], options: CommandOptions = {}) =>
      startProgram([...lockstepWords, ...words], {
        ...options,
        cwd: folder,
        env: { ...env, ...options.env },
      });
    const run = (words: readonly string[], options?: CommandOptions) => start(words, options).ended;
    return {
      ...{ name, folder, run, start },
      json: async (...words) => {
        const { stdout, stderr, status } = await run([...words, "--json"]);
        if (stdout === "") throw new Error(`${words.join(" ")} exits ${status}: ${stderr}`);
        return JSON.parse(stdout);
      },
    };
  };
  const first = machine("first", repository.path);
  return {
    ...{ remote, database, first },
    join: (name, { clone = false, url } = {}) => {
      const folder = join(home.path, `${name}-folder`);
      if (clone) remote.git("clone", "-q", remote.path, folder);
      else mkdirSync(folder);
      return machine(name, folder, url);
    },
    status: () => first.json<Status>("status"),
    subjects: () => remote.git("log", "--first-parent", "--format=%s", "main").split("\n"),
    [Symbol.asyncDispose]: async () => {
      for (const one of [repository, remote, home]) one[Symbol.dispose]();
      await database.free();
    },
  };
}

/** Without bubblewrap, a worker must be allowed explicitly to run agents. */
export function unsandboxed(): readonly string[] {
  const hasSandbox = spawnSync("bwrap", ["--version"], { stdio: "ignore" }).status === 0;
  return hasSandbox ? [] : ["--unsandboxed"];
}

/** A worker on a machine that has no clone. */
export function worker({ remote }: Fleet, machine: FleetMachine, ...words: string[]): Running {
  return machine.start(["worker", "--repo", remote.path, ...unsandboxed(), ...words]);
}
