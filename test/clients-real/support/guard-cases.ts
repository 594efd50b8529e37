import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join, relative } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { SettingsEdit } from "../../../src/clients/settings/settings-edit.ts";
import { hookLine } from "../../../src/guard/ladder/hook-line.ts";
import { readHostRecord } from "../../../src/server/host-record.ts";
import { isAlive } from "../../../src/workspace/process-identity.ts";
import {
  agentEnvironment,
  type GuardedRepository,
  guardedRepository,
} from "../../support/guarded-repository.ts";
import { packet } from "../../support/memory-engine.ts";
import { startProgram } from "../../support/run-command.ts";
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
  /** The person's environment. */
  readonly env: Readonly<Record<string, string>>;
}

/** What differs from client to client. */
export interface GuardedCase {
  readonly client: string;
  readonly installed: InstalledClient;
  /** Settings that somebody has in the repository already. */
  readonly existing?: Readonly<Record<string, string>>;
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
  /** Writes the person's own settings, and says how the person starts it. */
  start(place: GuardPlace): { words: readonly string[]; env?: Readonly<Record<string, string>> };
  /** Puts the hooks in place by hand. */
  hooks(place: GuardPlace): void | Promise<void>;
  /** Has the person trust the hooks that are in place. */
  trust?(place: GuardPlace): Promise<void>;
}

/** The client as a person runs it, with everything permitted to it, so that only the guard can refuse. */
export function guardCases(given: GuardedCase): void {
  const { client, installed, calls, subagentEnd, topOnly, standIn, existing = {} } = given;
  describe.skipIf(installed.missing !== undefined)(`${client} under the guard`, () => {
    let repository: GuardedRepository;
    let home: TemporaryFolder;
    beforeEach(() => {
      repository = guardedRepository();
      for (const [file, text] of Object.entries(existing)) repository.write(file, text);
      home = temporaryFolder();
      // A login shell begins with a path of its own.
      home.write(".profile", `PATH=${personsEnv().PATH}\n`);
      chmodSync(home.write("lockstep", `#!/bin/sh\nexec ${process.execPath} ${lockstep} "$@"\n`), 0o755);
    });
    afterEach(() => {
      repository[Symbol.dispose]();
      home[Symbol.dispose]();
    });

    const guard = `${process.execPath} ${lockstep} guard ${client}`;
    const done: Turn = { text: "That is all." };

    async function converse(
      made: readonly ModelCall[],
      {
        env: more = {},
        delegated = [],
        command = guard,
        warm,
        folder = ".",
        init,
        clone,
        before,
      }: Conversation = {},
    ) {
      const theirs = delegated.map((call) => ({ calls: [call] }));
      await using server = await standIn(
        [...made.map((call) => ({ calls: [call] })), done],
        theirs.length === 0 ? [] : [...theirs, subagentEnd ?? { text: "I am done." }],
      );
      const env = { ...personsEnv(), ...more };
      const place: GuardPlace = {
        ...{ folder: clone ?? repository.path, home, url: server.url, command, env },
        ...{ prompt: `Do it ${personsWord}.`, ...(warm !== undefined && { warm }) },
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
      return { ...ran, heard: server.heard().join("\n---\n"), settings };
    }

    const personsEnv = () => ({
      PATH: [home.path, installed.bin, dirname(process.execPath), process.env.PATH].join(delimiter),
      HOME: home.path,
      LANG: "C.UTF-8",
    });

    async function initiate(flags: readonly string[]): Promise<void> {
      const env = Object.entries(personsEnv()).map(([name, value]) => `${name}=${value}`);
      const words = [process.execPath, lockstep, "init", ...flags];
      const ran = await startProgram(["env", "-i", ...env, ...words], { cwd: repository.path }).ended;
      expect(ran.status, ran.stderr).toBe(0);
    }

    /** Of the project and of the person, but not what the agents write, nor what clients keep of their own. */
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
      const personal = join(home.path, ".codex/config.toml");
      const all = existsSync(personal) ? [...files, personal] : files;
      return Object.fromEntries(all.map((file) => [file, readFileSync(file, "latin1")]));
    }

    /** As if its machine had gone down: no socket is tidied up. */
    function killServer(): number | undefined {
      const folder = join(repository.path, ".git", "lockstep");
      const server = existsSync(folder) ? readHostRecord(folder, "serve") : undefined;
      if (server !== undefined) process.kill(server.pid, "SIGKILL");
      return server?.pid;
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
        command: hookLine(client),
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
        command: hookLine(client),
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
        { command: hookLine(client), warm },
      );
      const server = readHostRecord(warm, "serve");
      if (server !== undefined && isAlive(server)) process.kill(server.pid, "SIGKILL");
      expect(has("src/b/made.ts"), ran.stdout + ran.stderr + ran.heard).toBe(true);
    });

    it("does not answer for the person in its shell, where nothing is active", async () => {
      const decide = `${process.execPath} ${lockstep} decide UD-1 approved`;
      const ran = await converse([calls.shell(`${decide} > src/b/said 2>&1; true`)]);
      expect(text("src/b/said"), ran.stdout + ran.stderr).toContain("R-AU-001: only a person runs");
    });

    const widen = "widen T-A . --why x";
    /** What an agent would like to do: as it is, without an environment, in a session of its own, as an orphan. */
    const wishes = [
      widen,
      "task add T-9 --scope .",
      "dispatch src/a/packet.json",
      "release T-A",
      "stop-all",
      "init --remove",
      "decide UD-1 approved",
    ];
    const bare = `env -i PATH="$PATH" ${process.execPath} ${lockstep}`;
    const tries = [
      ...wishes.map((wish) => `lockstep ${wish}`),
      ...wishes.map((wish) => `${bare} ${wish}`),
      ...wishes.slice(0, 2).map((wish) => `setsid -w ${bare} ${wish}`),
      ...wishes.slice(0, 2).map((wish) => `env -u LOCKSTEP_TASK -u LOCKSTEP_TOKEN lockstep ${wish}`),
    ];
    const left = wishes.slice(0, 4).map((wish) => `${bare} ${wish}`);

    /** Scripts in its lock, which write down what they were told. */
    function putScripts(): void {
      const script = (lines: readonly string[], ...last: readonly string[]) =>
        [...lines.map((line) => `${line} >> src/a/said 2>&1 &`), "wait", ...last, ""].join("\n");
      repository.write("src/a/packet.json", JSON.stringify(packet("T-9", ["src/b"])));
      repository.write("src/a/left.sh", script(left, "touch src/a/left"));
      const leave = `(env -i PATH="$PATH" setsid sh src/a/left.sh > /dev/null 2>&1 < /dev/null &)`;
      const waiting = "until [ -e src/a/left ]; do sleep 0.1; done";
      repository.write("src/a/wishes.sh", script(tries, leave, waiting));
    }

    const granted = () =>
      repository.withEngine(async ({ ledger }) => ({
        tasks: (await ledger.tasks()).map(({ key, state }) => `${key} ${state}`),
        held: (await ledger.locks({ active: true })).map(({ resource }) => resource),
        widened: (await ledger.events({ type: "scope.widened" })).map(({ actor }) => actor),
        answered: (await ledger.decisions()).filter(({ state }) => state !== "pending").length,
        stopped: has(".git/lockstep/STOP_ALL"),
      }));
    const nothing = {
      ...{ tasks: ["T-A IN_PROGRESS"], held: ["src/a/**", "worklogs/T-A.md"] },
      ...{ widened: [], answered: 0, stopped: false },
    };

    it.each(["ask", "never"])(
      "grants itself nothing with the task that it claimed (`widen: %s`)",
      async (mode) => {
        repository.write(".lockstep/config.yaml", `limits: { widen: ${mode} }\n`);
        await repository.dispatch("T-A", ["src/a/**"]);
        putScripts();
        const ran = await converse([
          calls.shell("lockstep claim T-A"),
          calls.shell("lockstep widen T-A . --why x"),
          calls.shell(`env -i ${process.execPath} ${lockstep} widen T-A README.md --why x`),
          calls.shell("lockstep task add T-9 --scope ."),
          calls.shell("lockstep release T-A"),
          calls.shell("sh src/a/wishes.sh"),
        ]);
        const told = `${ran.stdout}${ran.stderr}\n${has("src/a/said") ? text("src/a/said") : ""}`;
        expect(await granted(), told).toEqual(nothing);
        const answer = mode === "ask" ? "a person decides" : "no task gets more scope here";
        expect(ran.heard, told).toContain(answer);
        expect(ran.heard).toMatch(/`lockstep (?:task|release)` is a person's command/);
        const said = text("src/a/said");
        expect(said.match(new RegExp(answer, "g"))?.length, said).toBe(4);
        expect(said.match(/^lockstep: R-AU-001: .*their own terminal$/gm)?.length, said).toBe(
          tries.length + left.length - 4,
        );
        await repository.run("widen", "T-A", "docs", "--why", "a person may");
        expect(await granted()).toMatchObject({ widened: ["person"] });
      },
    );

    it("grants itself nothing with a task that it was started with, nor by forgetting that", async () => {
      const task = await repository.dispatch("T-A", ["src/a/**"]);
      putScripts();
      const ran = await converse([calls.shell("sh src/a/wishes.sh")], { env: agentEnvironment(task) });
      expect(await granted(), ran.stdout + ran.stderr + text("src/a/said")).toEqual(nothing);
      const said = text("src/a/said");
      expect(said.match(/a person decides/g), said).toHaveLength(1);
      expect(said.match(/^lockstep: R-AU-001: .*their own terminal$/gm), said).toHaveLength(
        tries.length + left.length - 1,
      );
    });

    it("is left alone where nothing is active", async () => {
      const ran = await converse(everything);
      const all = ["src/a/made.ts", "src/b/made.ts", "src/b/shell.ts", "y"];
      expect(made(), ran.stdout + ran.stderr).toEqual(all);
    });

    it("is held where the warm process was killed, and where it cannot start again", {
      timeout: 400_000, // three conversations, in which every hook waits for a server
    }, async () => {
      const task = await repository.dispatch("T-A", ["src/a/**"]);
      await repository.dispatch("T-B", ["src/b/**"]);
      const env = agentEnvironment(task);
      const init = ["--client", client];
      await converse([calls.write("src/b/made.ts")], { env, init });
      expect(killServer()).toBeDefined();
      const again = await converse(everything, { env, init });
      killServer();
      expect(made(), again.stdout + again.stderr).toEqual(["src/a/made.ts", "x"]);
      rmSync(join(repository.path, "src/a/made.ts"));
      const launch = join(repository.path, ".git/lockstep/launch");
      const dead = await converse([...everything, calls.spawn("Write two files.")], {
        ...{ env, init, delegated: [calls.write("src/a/made.ts"), calls.write("src/b/made.ts")] },
        before: () => {
          const text = readFileSync(launch, "utf8");
          writeFileSync(launch, text.replace("bin/lockstep.cjs", "bin/gone.cjs"));
        },
      });
      expect(readFileSync(launch, "utf8")).toContain("gone.cjs");
      expect(made(), dead.stdout + dead.stderr).toEqual(["x"]);
    });

    it("has its settings back byte for byte after `init --remove`, and is held no longer", async () => {
      const task = await repository.dispatch("T-A", ["src/a/**"]);
      await repository.dispatch("T-B", ["src/b/**"]);
      const env = agentEnvironment(task);
      const held = await converse(everything, { env, init: ["--client", client] });
      expect(made(), held.stdout + held.stderr).toEqual(["src/a/made.ts", "x"]);
      killServer();
      await initiate(["--remove"]);
      expect(everySetting()).toEqual(held.settings);
      const free = await converse(everything, { env, clone: repository.path });
      const all = ["src/a/made.ts", "src/b/made.ts", "src/b/shell.ts", "y"];
      expect(made(), free.stdout + free.stderr).toEqual(all);
    });

    it("is left alone in a clone on a machine without Lockstep, by settings that were committed", async () => {
      await repository.dispatch("T-A", ["src/a/**"]);
      await initiate(["--client", client, "--shared"]);
      repository.git("add", "-A");
      repository.git("commit", "-qm", "hooks for everybody");
      home[Symbol.dispose]();
      home = temporaryFolder();
      const clone = `${repository.path}-clone`;
      repository.git("clone", "-q", repository.path, clone);
      try {
        const ran = await converse([...everything, calls.spawn("Write one file.")], {
          ...{ clone, command: hookLine(client), delegated: [calls.write("src/b/more.ts")] },
        });
        const told = ["src/a/made.ts", "src/b/made.ts", "src/b/shell.ts", "src/b/more.ts"].map((file) =>
          existsSync(join(clone, file)),
        );
        expect(told, ran.stdout + ran.stderr).toEqual([true, true, true, true]);
        expect(readFileSync(join(clone, "src/b/x.ts"), "utf8")).toBe("y\n");
        expect(ran.heard).not.toMatch(/lockstep: |`lockstep /);
        expect(existsSync(join(clone, ".git/lockstep"))).toBe(false);
      } finally {
        rmSync(clone, { recursive: true });
      }
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
  /** What `lockstep init` is told, where it is to put the hooks in place. */
  readonly init?: readonly string[];
  /** Where the client runs instead, with the hooks that are there. */
  readonly clone?: string;
  /** Done when all is in place. */
  before?(): void;
}

/** The text that an installer gives, written where the client looks for it. */
export function put({ folder }: GuardPlace, file: string, edit: SettingsEdit): void {
  if (!edit.ok || edit.text === null) throw new Error(`${file} cannot be made: ${JSON.stringify(edit)}`);
  mkdirSync(dirname(join(folder, file)), { recursive: true });
  writeFileSync(join(folder, file), edit.text);
}
