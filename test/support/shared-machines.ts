import type { LandRepository } from "./land-repository.ts";
import { type LedgerDatabase, takeDatabase } from "./ledger-databases.ts";
import { type PlannedOptions, planned } from "./planned-repository.ts";
import type { CommandOptions, CommandRun, Running } from "./run-command.ts";

/** A machine with its own home, state folder and clone. Its ledger is shared. */
export interface SharedMachine {
  readonly repository: LandRepository;
  run(words: readonly string[], options?: CommandOptions): Promise<CommandRun>;
  start(words: readonly string[], options?: CommandOptions): Running;
  json<Document>(...words: string[]): Promise<Document>;
}

export interface SharedMachines extends AsyncDisposable {
  readonly database: LedgerDatabase;
  readonly machines: readonly SharedMachine[];
}

/** Several machines with one database; each has a plan and scripted agents. */
export async function sharedMachines(...plans: readonly PlannedOptions[]): Promise<SharedMachines> {
  const database = await takeDatabase();
  const repositories = plans.map((plan) => planned(plan));
  return {
    database,
    machines: repositories.map((repository) => machineOf(repository, database.url)),
    [Symbol.asyncDispose]: async () => {
      for (const repository of repositories) repository[Symbol.dispose]();
      await database.free();
    },
  };
}

export function machineOf(repository: LandRepository, url: string): SharedMachine {
  const here = (options: CommandOptions = {}) => ({
    ...options,
    env: { LOCKSTEP_LEDGER_URL: url, ...options.env },
  });
  const run = (words: readonly string[], options?: CommandOptions) => repository.run(words, here(options));
  return {
    repository,
    run,
    start: (words, options) => repository.start(words, here(options)),
    json: async (...words) => {
      const { stdout, stderr, status } = await run([...words, "--json"]);
      if (stdout === "") throw new Error(`${words.join(" ")} exits ${status}: ${stderr}`);
      return JSON.parse(stdout);
    },
  };
}
