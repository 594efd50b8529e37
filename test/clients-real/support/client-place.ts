import { execFileSync } from "node:child_process";
import { delimiter, join } from "node:path";
import { vi } from "vitest";
import type { AgentClient, AgentStart } from "../../../src/clients/agent.ts";
import { openClientPlace } from "../../../src/run/attempt/client-place.ts";
import { bubblewrap } from "../../../src/workspace/sandbox/bubblewrap.ts";
import { type Started, started } from "../../clients/started-agent.ts";
import { type TemporaryFolder, temporaryFolder } from "../../support/temporary-folder.ts";

/** The place of a client without a run: a repository, and a person with a home. */
export interface ClientPlace extends Disposable {
  readonly home: TemporaryFolder;
  readonly repository: TemporaryFolder;
  start(
    client: AgentClient,
    more: Partial<AgentStart> & Pick<AgentStart, "prompt" | "sandboxed">,
  ): Promise<Started>;
}

export function clientPlace({
  bin,
  env = {},
  files = {},
}: {
  /** The folder of the client's program. */
  readonly bin: string;
  /** The person's environment besides PATH, HOME and LANG. */
  readonly env?: Readonly<Record<string, string>>;
  /** In the repository. */
  readonly files?: Readonly<Record<string, string>>;
}): ClientPlace {
  const slot = temporaryFolder();
  const inTree = (file: string, text: string) => slot.write(join("tree", file), text);
  for (const [file, text] of Object.entries({ "a.txt": "a\n", ...files })) inTree(file, text);
  const repository = { ...slot, path: join(slot.path, "tree"), write: inTree };
  execFileSync("git", ["init", "-q"], { cwd: repository.path });
  const home = temporaryFolder();
  const main = temporaryFolder({ ".git/config": "" });
  const temporary = temporaryFolder();
  const path = [bin, process.env.PATH].join(delimiter);
  const whole = { PATH: path, HOME: home.path, LANG: "C.UTF-8", ...env };
  // The sandbox is planned with the environment of this process.
  for (const [name, value] of Object.entries(whole)) vi.stubEnv(name, value);
  return {
    home,
    repository,
    start: (client, more) => {
      const asked = { folder: repository.path, env: whole, msMax: 170_000, ...more };
      const places = { main: main.path, checkout: repository.path, temporary: temporary.path };
      return more.sandboxed ? startSandboxed(client, places, asked) : started(client, asked);
    },
    [Symbol.dispose]: () => {
      vi.unstubAllEnvs();
      for (const folder of [repository, home, main, temporary]) folder[Symbol.dispose]();
    },
  };
}

/** As in a run, the client's files in its home are next to the checkout. */
async function startSandboxed(
  client: AgentClient,
  { main, ...places }: Readonly<Record<"main" | "checkout" | "temporary", string>>,
  more: Partial<AgentStart>,
): Promise<Started> {
  const place = openClientPlace({
    sandbox: bubblewrap("/usr/bin/bwrap"),
    client,
    checkout: {
      ...{ session: null, task: "T", attempt: 1, base: "", included: {}, isContained: false },
      ...{ commonFolder: join(main, ".git"), folder: places.checkout, temporary: places.temporary },
    },
    ...{ root: main, opened: [], readOnly: [] },
  });
  using _home = place.enter(more.resume);
  return await started(client, { ...place, ...more });
}
