import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type BareRemote, bareRemote } from "./bare-remote.ts";
import { checksByName, landRepository } from "./land-repository.ts";
import { type LedgerDatabase, takeDatabase } from "./ledger-databases.ts";
import { type CommandRun, eventually, type Running, startProgram } from "./run-command.ts";
import { command } from "./run-hook.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const child = new URL("./integration-child.ts", import.meta.url).pathname;

/** A machine with its own home, state folder and clone that lands branches on the base of the remote. */
interface LandingMachine {
  readonly clone: string;
  run(words: readonly string[], env?: Readonly<Record<string, string>>): Promise<CommandRun>;
  land(branch: string, env?: Readonly<Record<string, string>>): Promise<CommandRun>;
  /** Lands in a process that is killed at a named point, or frozen (`prepared:SIGSTOP`). */
  landUntil(moment: string, branch: string): Running;
}

export interface LandingMachines extends AsyncDisposable {
  readonly remote: BareRemote;
  readonly database: LedgerDatabase;
  readonly machines: readonly [LandingMachine, LandingMachine];
  /** How often the work of a branch is on the base at the remote, and in the ledger. */
  merged(branch: string): Promise<{ readonly commits: number; readonly events: number }>;
  /** Lets the leases of all roles expire. */
  endLeases(): Promise<void>;
}

/** Two machines with the branches `one` and `two`, a ledger and a remote. */
export async function landingMachines(): Promise<LandingMachines> {
  const database = await takeDatabase();
  const config = `remote: origin\nintegrate: push\n${checksByName}`;
  const repository = landRepository({ ".lockstep/config.yaml": config });
  for (const name of ["one", "two"]) repository.branch(name, { [`${name}.txt`]: "1\n" });
  const remote = bareRemote(repository);
  const home = temporaryFolder({});
  const machine = (name: string): LandingMachine => {
    const own = join(home.path, name);
    const clone = join(own, "clone");
    execFileSync("git", ["clone", "-q", remote.path, clone]);
    for (const branch of ["one", "two"])
      execFileSync("git", ["branch", "-q", branch, `origin/${branch}`], { cwd: clone });
    const env = {
      ...{ HOME: own, XDG_STATE_HOME: join(own, "state"), LOCKSTEP_MACHINE: name },
      ...{ LOCKSTEP_LEDGER_URL: database.url, LOCKSTEP_REMOTE_SECONDS: "20" },
    };
    const start = (words: readonly string[], more = {}) =>
      startProgram([process.execPath, ...words], { cwd: clone, env: { ...env, ...more } });
    const run = (words: readonly string[], more = {}) => start([command, ...words], more).ended;
    return {
      ...{ clone, run },
      land: (branch, more) => run(["land", branch, "--check", "true", "--json"], more),
      landUntil: (moment, branch) => start([child, moment, "land", branch]),
    };
  };
  return {
    ...{ remote, database, machines: [machine("first"), machine("second")] },
    merged: async (branch) => {
      const subjects = remote.git("log", "--first-parent", "--format=%s", "main").split("\n");
      const events = await database.raw("SELECT body FROM lockstep.events WHERE type = 'task.merged'");
      return {
        commits: subjects.filter((subject) => subject.startsWith(`Land ${branch}:`)).length,
        events: events.filter(({ body }) => JSON.parse(String(body)).task === `land-${branch}`).length,
      };
    },
    endLeases: async () => {
      await database.raw(
        "UPDATE lockstep.clock SET ms = greatest(ms, extract(epoch FROM now()) * 1000) + 90000",
      );
    },
    [Symbol.asyncDispose]: async () => {
      for (const one of [repository, remote, home]) one[Symbol.dispose]();
      await database.free();
    },
  };
}

/** Waits until a process has stopped itself. */
export function frozen({ process: { pid } }: Running): Promise<true> {
  return eventually("the process is frozen", () => stateOf(pid as number) === "T" || undefined);
}

/** The state letter of `ps`; undefined if the process has ended. */
function stateOf(pid: number): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.[0];
  } catch {
    return undefined;
  }
}
