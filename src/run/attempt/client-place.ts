import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import type { AgentClient, AgentStart } from "../../clients/agent.ts";
import { writeLaunch, writtenMachine } from "../../guard/transport/launch-file.ts";
import type { Checkout } from "../../workspace/checkouts/checkout.ts";
import { AgentHome } from "../../workspace/client-home/agent-home.ts";
import { findProject } from "../../workspace/files/find-project.ts";
import { placeCommand, placeProfile, searchedFirst } from "../../workspace/process/agent-command.ts";
import { installFolder } from "../../workspace/process/install-folder.ts";
import { agentPolicy } from "../../workspace/sandbox/agent-policy.ts";
import type { Sandbox } from "../../workspace/sandbox/sandbox.ts";
import { openCaches } from "../../workspace/sandbox/tool-caches.ts";
import { stateFolder } from "../../workspace/state/state-folder.ts";

export interface ClientPlaceOptions {
  readonly sandbox: Sandbox;
  readonly client: Pick<AgentClient, "home">;
  readonly checkout: Checkout;
  readonly root: string;
  /** Paths below the home that the configuration opens (`workspace.home`). */
  readonly opened: readonly string[];
  readonly readOnly: readonly string[];
  readonly socket?: string;
}

/** The sandbox and the home in which a client is started. */
export interface ClientPlace extends Pick<AgentStart, "wrap" | "outside"> {
  /** Whether a sandbox contains the wrapped command. */
  readonly sandboxed: boolean;
  /** Called before each start. Until it is disposed of, refreshed logins are copied between the two homes. */
  enter(resume?: string): Disposable;
}

export function openClientPlace(options: ClientPlaceOptions): ClientPlace {
  const { sandbox, client, checkout, root, opened, readOnly, socket } = options;
  const { commonFolder, temporary } = checkout;
  const home =
    sandbox.enforces && client.home !== undefined
      ? new AgentHome(dirname(checkout.folder), client.home)
      : undefined;
  const [programs, hooks] = ["bin", "hooks"].map((name) => join(dirname(checkout.folder), name)) as [
    string,
    string,
  ];
  return {
    sandboxed: sandbox.enforces,
    outside: (path) => home?.outside(path) ?? path,
    enter: (resume) => {
      if (home === undefined) return { [Symbol.dispose]: () => {} };
      home.prepare(resume === undefined ? undefined : { id: resume, checkout: checkout.folder });
      return home.follow();
    },
    wrap: (command, given) => {
      placeCommand(programs);
      if (socket !== undefined) placeHook(hooks, root);
      const env = {
        ...given,
        PATH: searchedFirst(programs, given.PATH),
        ...(socket === undefined ? {} : { LOCKSTEP_HOOKS: hooks }),
      };
      const profile = placeProfile(programs, env.PATH);
      const policy = agentPolicy({
        ...{ root, commonFolder, home: opened, checkout: checkout.folder, temporary },
        readOnly: [installFolder(), programs, ...(socket === undefined ? [] : [hooks]), ...readOnly],
        profile,
        client: { placed: home?.placed() ?? [], shows: client.home?.shows ?? [] },
        ...(socket === undefined ? {} : { socket }),
      });
      const wrapped = sandbox.wrap(command, policy, { cwd: checkout.folder, env });
      if (!sandbox.enforces) return wrapped;
      // The sandbox hides the user's caches. Tools get empty ones in the private temporary folder.
      const caches = openCaches({
        ...{ commonFolder, opened, purpose: "check", temporary },
        setup: { programs: [], runsTree: false },
      });
      return { ...wrapped, env: { ...caches.env(wrapped.env.TMPDIR ?? temporary), ...wrapped.env } };
    },
  };
}

/** For hook lines in settings files of the checkout, because the sandbox hides the repository's state folder. */
function placeHook(folder: string, root: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const machine = writtenMachine(stateFolder(findProject(root)));
  // An attempt does not survive a crash of the machine.
  writeLaunch({ folder, root }, { durable: false, ...(machine === undefined ? {} : { machine }) });
}

/** The environment variables of these names, as far as they are set. */
export function passedOn(names: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name] ?? ""]])),
  );
}
