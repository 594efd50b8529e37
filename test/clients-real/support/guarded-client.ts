import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, dirname, join, relative } from "node:path";
import type { SettingsEdit } from "../../../src/clients/settings/settings-edit.ts";
import type { ClientName } from "../../../src/contract/client-names.ts";
import { type GuardedRepository, guardedRepository } from "../../support/guarded-repository.ts";
import { type CommandRun, startProgram } from "../../support/run-command.ts";
import { command as lockstep } from "../../support/run-hook.ts";
import { type TemporaryFolder, temporaryFolder } from "../../support/temporary-folder.ts";
import type { InstalledClient } from "./install-client.ts";
import { type ModelCall, personsWord, type StandIn, type Turn } from "./stand-in.ts";

/** Where a person talks to a client. */
export interface GuardPlace {
  /** The folder of the repository, or of a clone. */
  readonly folder: string;
  readonly home: TemporaryFolder;
  /** The address of the model's stand-in. */
  readonly url: string;
  /** The command for the client's hooks. */
  readonly command: string;
  /** The state folder, if hooks should ask the warm process in the fastest way of the client. */
  readonly warm?: string;
  readonly prompt: string;
  /** Options with which the person permits something; without a list, everything is permitted. */
  readonly permits?: readonly string[];
  /** The person's environment. */
  readonly env: Readonly<Record<string, string>>;
}

/** The differences between clients. */
export interface GuardedCase {
  readonly client: ClientName;
  /** The name in the tests' titles, if the client has several cases. */
  readonly title?: string;
  readonly installed: InstalledClient;
  /** Settings that exist in the repository before. */
  readonly existing?: Readonly<Record<string, string>>;
  readonly calls: {
    write(path: string): ModelCall;
    /** Changes `x` to `y` in an existing file. */
    edit(path: string): readonly ModelCall[];
    shell(command: string): ModelCall;
    spawn(prompt: string): ModelCall;
    /** Runs the command in the background, if the client can. */
    background?(command: string): ModelCall;
    /** Ends the command after a second or two, if the client can. */
    timed?(command: string): ModelCall;
  };
  /** The person's permissions for a client that asks, and whether `node` runs with them. */
  readonly rules: Readonly<Record<string, Rules>>;
  /** The client reads a project's settings only if it is started at the top. */
  readonly topOnly?: boolean;
  /** The end of a subagent, if a text is not enough. */
  readonly subagentEnd?: Turn;
  standIn(
    turns: readonly Turn[],
    delegated: readonly Turn[],
  ): Promise<StandIn & { prompts(): readonly string[] }>;
  /** Writes the person's own settings, and returns how the person starts the client. */
  start(place: GuardPlace): { words: readonly string[]; env?: Readonly<Record<string, string>> };
  /** Installs the hooks without `init`. */
  hooks(place: GuardPlace): void | Promise<void>;
  /** Makes the person trust the installed hooks. */
  trust?(place: GuardPlace): Promise<void>;
}

interface Rules {
  /** Options instead of those that permit everything. */
  readonly permits?: readonly string[];
  /** Settings; names that begin with `~/` are in the home. */
  readonly files?: Readonly<Record<string, string>>;
  /** The command that makes `src/a/made.ts`, if it is not a program. */
  readonly command?: string;
  readonly runs: boolean;
}

/** A client in a guarded repository, and a person there with a home of their own. */
export interface GuardedClient extends Disposable {
  readonly repository: GuardedRepository;
  home: TemporaryFolder;
  /** Makes the model call these tools, one after the other. */
  converse(made: readonly ModelCall[], how?: Conversation): Promise<Conversed>;
  /** `lockstep init` by the person. */
  initiate(flags: readonly string[]): Promise<void>;
  /** The settings of the project and of the person, without the agents' files and the clients' own state. */
  everySetting(): Readonly<Record<string, string>>;
}

interface Conversed extends CommandRun {
  /** The requests to the model, as text. */
  readonly prompts: string;
  /** The model's input after each call. */
  readonly answers: readonly string[];
  /** The settings before the hooks were installed. */
  readonly settings: Readonly<Record<string, string>>;
}

const done: Turn = { text: "That is all." };

/** A home outside the temporary folders, in which everything would be scratch. */
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
  // A login shell sets its own PATH.
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
    const inputs: string[] = [];
    const turns = [...made.map((call): Turn => ({ calls: [call] })), done].map((turn, at) => ({
      ...turn,
      before: () => {
        inputs[at] = server.prompts().at(-1) ?? "";
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
    const answers = inputs.slice(1).map((text, at) => newPart(inputs[at] ?? "", text));
    return { ...ran, prompts: server.prompts().join("\n---\n"), answers, settings };
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
  /** The calls of a subagent. */
  readonly delegated?: readonly ModelCall[];
  readonly command?: string;
  readonly warm?: string;
  /** The subfolder in which the person starts the client. */
  readonly folder?: string;
  /** The options for `lockstep init`, if it should install the hooks. */
  readonly init?: readonly string[];
  /** A clone in which the client runs instead, with the hooks there. */
  readonly clone?: string;
  /** Options with which the person permits something, instead of everything. Nobody answers questions. */
  readonly permits?: readonly string[];
  /** Runs after the installation. */
  before?(): void;
  /** Runs after a call, before the next one. */
  after?(call: number): void;
}

/** The part of the longer text after the common beginning. */
function newPart(before: string, now: string): string {
  let same = 0;
  while (same < before.length && before[same] === now[same]) same += 1;
  return now.slice(same);
}

/** Writes the text of an installer to the client's settings file. */
export function put({ folder }: GuardPlace, file: string, edit: SettingsEdit): void {
  if (!edit.ok || edit.text === null) throw new Error(`${file} cannot be made: ${JSON.stringify(edit)}`);
  mkdirSync(dirname(join(folder, file)), { recursive: true });
  writeFileSync(join(folder, file), edit.text);
}
