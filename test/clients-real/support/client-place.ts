import { execFileSync } from "node:child_process";
import { delimiter, join } from "node:path";
import { vi } from "vitest";
import type { AgentClient, AgentStart } from "../../../src/clients/agent.ts";
import { agentWalls } from "../../../src/workspace/sandbox/agent-walls.ts";
import { bubblewrap } from "../../../src/workspace/sandbox/bubblewrap.ts";
import { type Started, started } from "../../clients/started-agent.ts";
import { type TemporaryFolder, temporaryFolder } from "../../support/temporary-folder.ts";

/** Where a client is started by itself, without a run around it: a repository, and a person with a home. */
export interface ClientPlace extends Disposable {
  readonly home: TemporaryFolder;
  readonly repository: TemporaryFolder;
  start(
    client: AgentClient,
    more: Partial<AgentStart> & Pick<AgentStart, "prompt" | "walled">,
  ): Promise<Started>;
}

export function clientPlace({
  bin,
  env = {},
  files = {},
}: {
  /** The folder of the client's program. */
  readonly bin: string;
  /** What the person's environment holds besides PATH, HOME and LANG. */
  readonly env?: Readonly<Record<string, string>>;
  /** In the repository. */
  readonly files?: Readonly<Record<string, string>>;
}): ClientPlace {
  const repository = temporaryFolder({ "a.txt": "a\n", ...files });
  execFileSync("git", ["init", "-q"], { cwd: repository.path });
  const home = temporaryFolder();
  const main = temporaryFolder({ ".git/config": "" });
  const temporary = temporaryFolder();
  const path = [bin, process.env.PATH].join(delimiter);
  const whole = { PATH: path, HOME: home.path, LANG: "C.UTF-8", ...env };
  // The walls are planned by the machine's own environment.
  for (const [name, value] of Object.entries(whole)) vi.stubEnv(name, value);
  return {
    home,
    repository,
    start: (client, more) =>
      started(client, {
        folder: repository.path,
        env: whole,
        msMax: 170_000,
        ...(more.walled && {
          wrap: wallsFor(client, { main: main.path, checkout: repository.path, temporary: temporary.path }),
        }),
        ...more,
      }),
    [Symbol.dispose]: () => {
      vi.unstubAllEnvs();
      for (const folder of [repository, home, main, temporary]) folder[Symbol.dispose]();
    },
  };
}

function wallsFor(
  client: AgentClient,
  { main, ...places }: Readonly<Record<"main" | "checkout" | "temporary", string>>,
): AgentStart["wrap"] {
  return (command, env) => {
    const walls = agentWalls({
      ...{ root: main, commonFolder: join(main, ".git"), ...places, home: [] },
      ...{ client, readOnly: [] },
    });
    const wrapped = bubblewrap("/usr/bin/bwrap").wrap(command, walls, { cwd: places.checkout, env });
    return { ...wrapped, env: { ...wrapped.env, XDG_CACHE_HOME: "/tmp/.cache" } };
  };
}
