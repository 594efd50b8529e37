import { existsSync, readFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { SettingsEdit } from "../../../src/clients/settings/settings-edit.ts";
import { hookCommand } from "../../../src/guard/ladder/hook-command.ts";
import { readHostRecord } from "../../../src/server/host-record.ts";
import { isAlive } from "../../../src/workspace/process-identity.ts";
import {
  agentEnvironment,
  type GuardedRepository,
  guardedRepository,
} from "../../support/guarded-repository.ts";
import { startProgram } from "../../support/run-command.ts";
import { command as lockstep } from "../../support/run-hook.ts";
import { type TemporaryFolder, temporaryFolder } from "../../support/temporary-folder.ts";
import type { InstalledClient } from "./install-client.ts";
import { type ModelCall, personsWord, type StandIn, type Turn } from "./stand-in.ts";

/** Where a person talks to a client. */
export interface GuardPlace {
  readonly repository: GuardedRepository;
  readonly home: TemporaryFolder;
  /** Of the model's stand-in. */
  readonly url: string;
  /** What the client's hooks have to run. */
  readonly command: string;
  /** The state folder, where hooks should ask the warm process in the quickest way that the client has. */
  readonly warm?: string;
  readonly prompt: string;
  /** The person's environment. */
  readonly env: Readonly<Record<string, string>>;
}

/** What differs from client to client. */
export interface GuardedCase {
  readonly client: string;
  readonly installed: InstalledClient;
  readonly calls: {
    write(path: string): ModelCall;
    /** Changes `x` to `y` in a file that is there. */
    edit(path: string): readonly ModelCall[];
    shell(command: string): ModelCall;
    spawn(prompt: string): ModelCall;
  };
  /** It reads a project's settings only where it is started at its top. */
  readonly topOnly?: boolean;
  /** How a subagent ends, where saying something is not enough. */
  readonly subagentEnd?: Turn;
  standIn(
    turns: readonly Turn[],
    delegated: readonly Turn[],
  ): Promise<StandIn & { heard(): readonly string[] }>;
  /** Puts the hooks in place, and says how the person starts it. */
  prepare(place: GuardPlace): Promise<{ words: readonly string[]; env?: Readonly<Record<string, string>> }>;
}

/** The client as a person runs it, with everything permitted to it, so that only the guard can refuse. */
export function guardCases(guarded: GuardedCase): void {
  const { client, installed, calls, subagentEnd, topOnly, standIn, prepare } = guarded;
  describe.skipIf(installed.missing !== undefined)(`${client} under the guard`, () => {
    let repository: GuardedRepository;
    let home: TemporaryFolder;
    beforeEach(() => {
      repository = guardedRepository();
      home = temporaryFolder();
    });
    afterEach(() => {
      repository[Symbol.dispose]();
      home[Symbol.dispose]();
    });

    const guard = `${process.execPath} ${lockstep} guard ${client}`;
    const done: Turn = { text: "That is all." };

    async function converse(
      made: readonly ModelCall[],
      { env: more = {}, delegated = [], command = guard, warm, folder = "." }: Conversation = {},
    ) {
      const theirs = delegated.map((call) => ({ calls: [call] }));
      await using server = await standIn(
        [...made.map((call) => ({ calls: [call] })), done],
        theirs.length === 0 ? [] : [...theirs, subagentEnd ?? { text: "I am done." }],
      );
      const path = [installed.bin, dirname(process.execPath), process.env.PATH].join(delimiter);
      const env = { PATH: path, HOME: home.path, LANG: "C.UTF-8", ...more };
      const prompt = `Do it ${personsWord}.`;
      const started = await prepare({
        ...{ repository, home, url: server.url, command, prompt, env },
        ...(warm !== undefined && { warm }),
      });
      const whole = Object.entries({ ...env, ...started.env }).map(([name, value]) => `${name}=${value}`);
      const cwd = join(repository.path, folder);
      const ran = await startProgram(["env", "-i", ...whole, ...started.words], { cwd }).ended;
      return { ...ran, heard: server.heard().join("\n---\n") };
    }

    const has = (path: string) => existsSync(join(repository.path, path));
    const text = (path: string) => readFileSync(join(repository.path, path), "utf8");
    const everything = [
      calls.write("src/a/made.ts"),
      calls.write("src/b/made.ts"),
      ...calls.edit("src/b/x.ts"),
      calls.shell("echo z > src/b/shell.ts"),
    ];
    const made = () =>
      ["src/a/made.ts", "src/b/made.ts", "src/b/shell.ts"].filter(has).concat(text("src/b/x.ts").trim());

    it("writes what its task holds and nothing else, and hears why", async () => {
      const task = await repository.dispatch("T-A", ["src/a/**"]);
      await repository.dispatch("T-B", ["src/b/**"]);
      const ran = await converse(everything, { env: agentEnvironment(task) });
      expect(made(), ran.stdout + ran.stderr).toEqual(["src/a/made.ts", "x"]);
      for (const path of ["src/b/made.ts", "src/b/x.ts", "src/b/shell.ts"])
        expect(ran.heard).toMatch(new RegExp(`R-PW-001: [^\\n]*${path}`));
    });

    it("has subagents that may do no more, and hear why", async () => {
      const task = await repository.dispatch("T-A", ["src/a/**"]);
      await repository.dispatch("T-B", ["src/b/**"]);
      const delegated = [calls.write("src/a/made.ts"), calls.write("src/b/made.ts")];
      const ran = await converse([calls.spawn("Write two files.")], {
        delegated,
        env: agentEnvironment(task),
      });
      expect(made(), ran.stdout + ran.stderr).toEqual(["src/a/made.ts", "x"]);
      expect(ran.heard).toMatch(/R-PW-001: [^\n]*src\/b\/made\.ts/);
    });

    it("without a task writes nothing while tasks are at work, and is told how to claim one", async () => {
      await repository.dispatch("T-A", ["src/a/**"]);
      const ran = await converse([calls.write("src/a/made.ts"), calls.shell("cat src/a/x.ts")]);
      expect(has("src/a/made.ts"), ran.stdout + ran.stderr).toBe(false);
      expect(ran.heard).toContain("lockstep claim");
    });

    it("is held by the hooks that `init` writes, which start the warm process", async () => {
      const task = await repository.dispatch("T-A", ["src/a/**"]);
      const warm = join(repository.path, ".git", "lockstep");
      await repository.run("task", "add", "T-B", "--scope", "src/b"); // it tells hooks where Lockstep is
      const ran = await converse([calls.write("src/a/made.ts"), calls.write("src/b/made.ts")], {
        env: agentEnvironment(task),
        command: hookCommand(client, "nc"),
        warm,
      });
      const server = readHostRecord(warm, "serve");
      if (server !== undefined) process.kill(server.pid, "SIGKILL");
      expect(made(), ran.stdout + ran.stderr).toEqual(["src/a/made.ts", "x"]);
      expect(ran.heard).toMatch(/R-PW-001: [^\n]*src\/b\/made\.ts/);
      expect(server).toBeDefined();
    });

    it.skipIf(topOnly === true)("is held where it is started in a folder below", async () => {
      const task = await repository.dispatch("T-A", ["src/a/**"]);
      const ran = await converse([calls.write(join(repository.path, "src/b/made.ts"))], {
        env: { ...agentEnvironment(task), ...(client === "claude" ? {} : { CLAUDE_PROJECT_DIR: "/" }) },
        command: hookCommand(client, "nc"),
        folder: "src",
      });
      expect(made(), ran.stdout + ran.stderr).toEqual(["x"]);
    });

    it("loses one call at most where the server is killed in its midst and nothing is active", async () => {
      const warm = join(repository.path, ".git", "lockstep");
      await repository.run("task", "add", "T-B", "--scope", "src/b"); // it tells hooks where Lockstep is
      const kill = `kill -9 $(sed -n 2p ${warm}/listening); true`;
      const ran = await converse(
        [calls.shell(kill), calls.write("src/a/made.ts"), calls.write("src/b/made.ts")],
        { command: hookCommand(client, "nc"), warm },
      );
      const server = readHostRecord(warm, "serve");
      if (server !== undefined && isAlive(server)) process.kill(server.pid, "SIGKILL");
      expect(has("src/b/made.ts"), ran.stdout + ran.stderr + ran.heard).toBe(true);
    });

    it("is left alone where nothing is active", async () => {
      const ran = await converse(everything);
      const all = ["src/a/made.ts", "src/b/made.ts", "src/b/shell.ts", "y"];
      expect(made(), ran.stdout + ran.stderr).toEqual(all);
    });

    it("is left alone in a clone where Lockstep is not installed", async () => {
      const ran = await converse(everything, { command: hookCommand(client, "node") });
      const all = ["src/a/made.ts", "src/b/made.ts", "src/b/shell.ts", "y"];
      expect(made(), ran.stdout + ran.stderr).toEqual(all);
      expect(ran.heard).not.toMatch(/lockstep: |`lockstep /);
    });
  });
}

interface Conversation {
  readonly env?: Readonly<Record<string, string>>;
  /** What a subagent does. */
  readonly delegated?: readonly ModelCall[];
  readonly command?: string;
  readonly warm?: string;
  /** That the person starts it in, from the project's top. */
  readonly folder?: string;
}

/** The text that an installer gives, written where the client looks for it. */
export function put({ repository }: GuardPlace, file: string, edit: SettingsEdit): void {
  if (!edit.ok || edit.text === null) throw new Error(`${file} cannot be made: ${JSON.stringify(edit)}`);
  repository.write(file, edit.text);
}
