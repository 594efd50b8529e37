import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, dirname, join, relative } from "node:path";
import type { SettingsEdit } from "../../../src/clients/settings/settings-edit.ts";
import { type GuardedRepository, guardedRepository } from "../../support/guarded-repository.ts";
import { type CommandRun, startProgram } from "../../support/run-command.ts";
import { command as lockstep } from "../../support/run-hook.ts";
import { type TemporaryFolder, temporaryFolder } from "../../support/temporary-folder.ts";
import type { InstalledClient } from "./install-client.ts";
import { type ModelCall, personsWord, type StandIn, type Turn } from "./stand-in.ts";

/** Where a person talks to a client. */
export interface GuardPlace {
  /** The repository's, or that of a clone. */
  readonly folder: string;
  readonly home: TemporaryFolder;
  /** Of the model's stand-in. */
  readonly url: string;
  /** What the client's hooks have to run. */
  readonly command: string;
  /** The state folder, where hooks should ask the warm process in the quickest way that the client has. */
  readonly warm?: string;
  readonly prompt: string;
  /** Options with which the person permits something; everything is permitted where there is no list. */
  readonly permits?: readonly string[];
  /** The person's environment. */
  readonly env: Readonly<Record<string, string>>;
}

/** What differs from client to client. */
export interface GuardedCase {
  readonly client: string;
  /** In the tests' names, where there is more than one of the client. */
  readonly title?: string;
  readonly installed: InstalledClient;
  /** Settings that somebody has in the repository already. */
  readonly existing?: Readonly<Record<string, string>>;
  readonly calls: {
    write(path: string): ModelCall;
    /** Changes `x` to `y` in a file that is there. */
    edit(path: string): readonly ModelCall[];
    shell(command: string): ModelCall;
    spawn(prompt: string): ModelCall;
    /** Leaves the command running and goes on, where the client has a way. */
    background?(command: string): ModelCall;
    /** Ends the command after a second or two, where the client has a way. */
    timed?(command: string): ModelCall;
  };
  /** What the person permits to a client that asks, and whether `node` runs then. */
  readonly rules: Readonly<Record<string, Rules>>;
  /** It reads a project's settings only where it is started at its top. */
  readonly topOnly?: boolean;
  /** How a subagent ends, where saying something is not enough. */
  readonly subagentEnd?: Turn;
  standIn(
    turns: readonly Turn[],
    delegated: readonly Turn[],
  ): Promise<StandIn & { heard(): readonly string[] }>;
  /** Writes the person's own settings, and says how the person starts it. */
  start(place: GuardPlace): { words: readonly string[]; env?: Readonly<Record<string, string>> };
  /** Puts the hooks in place by hand. */
  hooks(place: GuardPlace): void | Promise<void>;
  /** Has the person trust the hooks that are in place. */
  trust?(place: GuardPlace): Promise<void>;
}

interface Rules {
  /** Options instead of those that permit everything. */
  readonly permits?: readonly string[];
  /** Settings; those that begin with `~/` are in the home. */
  readonly files?: Readonly<Record<string, string>>;
  /** What makes `src/a/made.ts`, where it is not a program. */
  readonly command?: string;
  readonly runs: boolean;
}

/** A client in a guarded repository, and a person there with a home of their own. */
export interface GuardedClient extends Disposable {
  readonly repository: GuardedRepository;
  home: TemporaryFolder;
  /** Has the model make these calls, one after the other. */
  converse(made: readonly ModelCall[], how?: Conversation): Promise<Conversed>;
  /** `lockstep init` by the person. */
  initiate(flags: readonly string[]): Promise<void>;
  /** Of the project and of the person, but not what the agents write, nor what clients keep of their own. */
  everySetting(): Readonly<Record<string, string>>;
}

interface Conversed extends CommandRun {
  /** What the model was told, request by request. */
  readonly heard: string;
  /** What it was told after each call. */
  readonly answers: readonly string[];
  /** What was there before the hooks. */
  readonly settings: Readonly<Record<string, string>>;
}

const done: Turn = { text: "That is all." };

/** A home that lies in no temporary folder, where everything would be scratch. */
export const personsHome = () => temporaryFolder({}, join(homedir(), ".cache"));

export function openGuardedClient(given: GuardedCase): GuardedClient {
  const { client, installed, subagentEnd, standIn, existing = {} } = given;
  const repository = guardedRepository();
  for (const [file, text] of Object.entries(existing)) repository.write(file, text);
  const opened: GuardedClient = {
    ...{ repository, home: personsHome(), converse, initiate, everySetting },
    [Symbol.dispose]: () => {
      repository[Symbol.dispose]();
      opened.home[Symbol.dispose]();
    },
  };
  // A login shell begins with a path of its own.
  opened.home.write(".profile", `PATH=${personsEnv().PATH}\n`);
  chmodSync(opened.home.write("lockstep", `#!/bin/sh\nexec ${process.execPath} ${lockstep} "$@"\n`), 0o755);
  return opened;

  function personsEnv() {
    const { path } = opened.home;
    return {
      PATH: [path, installed.bin, dirname(process.execPath), process.env.PATH].join(delimiter),
      HOME: path,
      LANG: "C.UTF-8",
    };
  }

  async function converse(
    made: readonly ModelCall[],
    {
      env: more = {},
      delegated = [],
      command = `${process.execPath} ${lockstep} guard ${client}`,
      warm,
      folder = ".",
      init,
      clone,
      permits,
      before,
      after,
    }: Conversation = {},
  ): Promise<Conversed> {
    const theirs = delegated.map((call) => ({ calls: [call] }));
    const told: string[] = [];
    const turns = [...made.map((call): Turn => ({ calls: [call] })), done].map((turn, at) => ({
      ...turn,
      before: () => {
        told[at] = server.heard().at(-1) ?? "";
        if (at > 0) after?.(at - 1);
      },
    }));
    await using server = await standIn(
      turns,
      theirs.length === 0 ? [] : [...theirs, subagentEnd ?? { text: "I am done." }],
    );
    const env = { ...personsEnv(), ...more };
    const place: GuardPlace = {
      ...{ folder: clone ?? repository.path, home: opened.home, url: server.url, command, env },
      ...{
        prompt: `Do it ${personsWord}.`,
        ...(warm !== undefined && { warm }),
        ...(permits && { permits }),
      },
    };
    const started = given.start(place);
    const settings = everySetting();
    if (init !== undefined) await initiate(init);
    else if (clone === undefined) await given.hooks(place);
    else await given.trust?.(place);
    before?.();
    const whole = Object.entries({ ...env, ...started.env }).map(([name, value]) => `${name}=${value}`);
    const ran = await startProgram(["env", "-i", ...whole, ...started.words], {
      cwd: join(place.folder, folder),
    }).ended;
    const answers = told.slice(1).map((text, at) => newPart(told[at] ?? "", text));
    return { ...ran, heard: server.heard().join("\n---\n"), answers, settings };
  }

  async function initiate(flags: readonly string[]): Promise<void> {
    const env = Object.entries(personsEnv()).map(([name, value]) => `${name}=${value}`);
    const words = [process.execPath, lockstep, "init", ...flags];
    const ran = await startProgram(["env", "-i", ...env, ...words], { cwd: repository.path }).ended;
    if (ran.status !== 0) throw new Error(`init exits ${ran.status}: ${ran.stderr}`);
  }

  function everySetting(): Readonly<Record<string, string>> {
    const files = readdirSync(repository.path, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .filter(
        (file) =>
          !/^(?:\.git|src|\.opencode\/node_modules)\/|\.opencode\/\.gitignore$/.test(
            relative(repository.path, file),
          ),
      );
    const personal = join(opened.home.path, ".codex/config.toml");
    const all = existsSync(personal) ? [...files, personal] : files;
    return Object.fromEntries(all.map((file) => [file, readFileSync(file, "latin1")]));
  }
}

interface Conversation {
  readonly env?: Readonly<Record<string, string>>;
  /** What a subagent does. */
  readonly delegated?: readonly ModelCall[];
  readonly command?: string;
  readonly warm?: string;
  /** That the person starts it in, from the project's top. */
  readonly folder?: string;
  /** What `lockstep init` is told, where it is to put the hooks in place. */
  readonly init?: readonly string[];
  /** Where the client runs instead, with the hooks that are there. */
  readonly clone?: string;
  /** Options with which the person permits something, instead of everything. Nobody is there to be asked. */
  readonly permits?: readonly string[];
  /** Done when all is in place. */
  before?(): void;
  /** Done when a call is over, before the next one. */
  after?(call: number): void;
}

/** What a longer text has that a shorter one does not begin with. */
function newPart(before: string, now: string): string {
  let same = 0;
  while (same < before.length && before[same] === now[same]) same += 1;
  return now.slice(same);
}

/** The text that an installer gives, written where the client looks for it. */
export function put({ folder }: GuardPlace, file: string, edit: SettingsEdit): void {
  if (!edit.ok || edit.text === null) throw new Error(`${file} cannot be made: ${JSON.stringify(edit)}`);
  mkdirSync(dirname(join(folder, file)), { recursive: true });
  writeFileSync(join(folder, file), edit.text);
}
