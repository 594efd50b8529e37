import { chmodSync, readFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { type AgentClientName, agentClients } from "../../src/contract/client-names.ts";
import { landRepository } from "./land-repository.ts";
import { planText, task } from "./planned-repository.ts";
import type { Repository } from "./run-command.ts";
import { type TemporaryFolder, temporaryFolder } from "./temporary-folder.ts";

const program = readFileSync(new URL("scripted-client.mjs", import.meta.url), "utf8");

export interface ClientsRepository extends Repository {
  readonly home: TemporaryFolder;
}

/**
 * A repository with a task for each of the clients, each of which does what the script says in its own output format.
 */
export function clientsRepository(
  clients: readonly AgentClientName[],
  script: string,
  moved: (home: string) => Readonly<Record<string, string>> = () => ({}),
): ClientsRepository {
  const listed = clients.map((name) => `  ${name}: { adapter: ${name}, role: Coder }\n`);
  const repository = landRepository({
    ".gitignore": "state\n.agents-work\n",
    ".lockstep/config.yaml": `agents:\n${listed.join("")}sandbox: required\n`,
    "tasks.yaml": planText(clients.map((name) => task(name, name))),
  });
  const home = temporaryFolder();
  const bin = temporaryFolder({
    "package.json": '{"type":"module"}',
    "script.mjs": `export default async ({ ${given} }) => {\n${script}\n};\n`,
  });
  for (const name of agentClients) chmodSync(bin.write(name, `#!${process.execPath}\n${program}`), 0o755);
  const env = {
    PATH: [bin.path, process.env.PATH].join(delimiter),
    HOME: home.path,
    XDG_STATE_HOME: join(home.path, ".local/state"),
    GEMINI_API_KEY: "k",
    COPILOT_GITHUB_TOKEN: "k",
    ...moved(home.path),
  };
  const start: Repository["start"] = (words, options) =>
    repository.start(words, { ...options, env: { ...env, ...options?.env } });
  return {
    ...repository,
    home,
    start,
    run: (words, options) => start(words, options).ended,
    [Symbol.dispose]: () => {
      for (const folder of [repository, home, bin]) folder[Symbol.dispose]();
    },
  };
}

/** The content of a script. */
const given = "fs, join, dirname, name, folder, id, before, put, home, cwd, record";
