import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { hookLine } from "../../../src/guard/transport/hook-line.ts";
import { readHostRecord } from "../../../src/server/host-record.ts";
import { isAlive } from "../../../src/workspace/process/process-identity.ts";
import { agentEnvironment, type GuardedRepository } from "../../support/guarded-repository.ts";
import { packet } from "../../support/memory-engine.ts";
import { command as lockstep } from "../../support/run-hook.ts";
import { type GuardedCase, type GuardedClient, openGuardedClient, personsHome } from "./guarded-client.ts";

/** The client as a person runs it, with all permissions, so that only the guard can refuse. */
export function guardCases(given: GuardedCase): void {
  const { client, installed, calls, topOnly } = given;
  describe.skipIf(installed.missing !== undefined)(`${client} under the guard`, () => {
    let place: GuardedClient;
    let repository: GuardedRepository;
    beforeEach(() => {
      place = openGuardedClient(given);
      repository = place.repository;
    });
    afterEach(() => place[Symbol.dispose]());

    const converse: GuardedClient["converse"] = (made, how) => place.converse(made, how);
    /** As after a crash of its machine: sockets remain. */
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

    it("may write only the files of its task, and gets the reason", async () => {
      const task = await repository.dispatch("T-A", ["src/a/**"]);
      await repository.dispatch("T-B", ["src/b/**"]);
      const ran = await converse(everything, { env: agentEnvironment(task) });
      expect(made(), ran.stdout + ran.stderr).toEqual(["src/a/made.ts", "x"]);
      for (const path of ["src/b/made.ts", "src/b/x.ts", "src/b/shell.ts"])
        expect(ran.prompts).toMatch(new RegExp(`R-PW-001: [^\\n]*${path}`));
    });

    it("gives its subagents no more permissions, and they get the reason", async () => {
      const task = await repository.dispatch("T-A", ["src/a/**"]);
      await repository.dispatch("T-B", ["src/b/**"]);
      const delegated = [calls.write("src/a/made.ts"), calls.write("src/b/made.ts")];
      const ran = await converse([calls.spawn("Write two files.")], {
        delegated,
        env: agentEnvironment(task),
      });
      expect(made(), ran.stdout + ran.stderr).toEqual(["src/a/made.ts", "x"]);
      expect(ran.prompts).toMatch(/R-PW-001: [^\n]*src\/b\/made\.ts/);
    });

    it("without a task may write nothing while tasks are active, and learns how to claim one", async () => {
      await repository.dispatch("T-A", ["src/a/**"]);
      const ran = await converse([calls.write("src/a/made.ts"), calls.shell("cat src/a/x.ts")]);
      expect(has("src/a/made.ts"), ran.stdout + ran.stderr).toBe(false);
      expect(ran.prompts).toContain("lockstep claim");
    });

    it("is restricted by the hooks that `init` writes, which start the warm process", async () => {
      const task = await repository.dispatch("T-A", ["src/a/**"]);
      const warm = join(repository.path, ".git", "lockstep");
      await repository.run("task", "add", "T-B", "--scope", "src/b"); // it tells the hooks the path of Lockstep
      const ran = await converse([calls.write("src/a/made.ts"), calls.write("src/b/made.ts")], {
        env: agentEnvironment(task),
        command: hookLine(client),
        warm,
      });
      const server = readHostRecord(warm, "serve");
      if (server !== undefined) process.kill(server.pid, "SIGKILL");
      expect(made(), ran.stdout + ran.stderr).toEqual(["src/a/made.ts", "x"]);
      expect(ran.prompts).toMatch(/R-PW-001: [^\n]*src\/b\/made\.ts/);
      expect(server).toBeDefined();
    });

    it.skipIf(topOnly === true)("is restricted if it is started in a subfolder", async () => {
      const task = await repository.dispatch("T-A", ["src/a/**"]);
      const ran = await converse([calls.write(join(repository.path, "src/b/made.ts"))], {
        env: { ...agentEnvironment(task), ...(client === "claude" ? {} : { CLAUDE_PROJECT_DIR: "/" }) },
        command: hookLine(client),
        folder: "src",
      });
      expect(made(), ran.stdout + ran.stderr).toEqual(["x"]);
    });

    it("loses at most one call if the server is killed meanwhile and nothing is active", async () => {
      const warm = join(repository.path, ".git", "lockstep");
      await repository.run("task", "add", "T-B", "--scope", "src/b"); // it tells the hooks the path of Lockstep
      const kill = `kill -9 $(sed -n 2p ${warm}/listening); true`;
      const ran = await converse(
        [calls.shell(kill), calls.write("src/a/made.ts"), calls.write("src/b/made.ts")],
        { command: hookLine(client), warm },
      );
      const server = readHostRecord(warm, "serve");
      if (server !== undefined && isAlive(server)) process.kill(server.pid, "SIGKILL");
      expect(has("src/b/made.ts"), ran.stdout + ran.stderr + ran.prompts).toBe(true);
    });

    it("cannot answer for the person in its shell, even if nothing is active", async () => {
      const decide = `${process.execPath} ${lockstep} decide UD-1 approved`;
      const ran = await converse([calls.shell(`${decide} > src/b/said 2>&1; true`)]);
      expect(text("src/b/said"), ran.stdout + ran.stderr).toContain("R-AU-001: only a person may run");
    });

    const widen = "widen T-A . --why x";
    /** Requests that an agent may try: directly, without an environment, in a session of its own, as an orphan. */
    const requests = [
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
      ...requests.map((request) => `lockstep ${request}`),
      ...requests.map((request) => `${bare} ${request}`),
      ...requests.slice(0, 2).map((request) => `setsid -w ${bare} ${request}`),
      ...requests.slice(0, 2).map((request) => `env -u LOCKSTEP_TASK -u LOCKSTEP_TOKEN lockstep ${request}`),
    ];
    const left = requests.slice(0, 4).map((request) => `${bare} ${request}`);

    /** In the sandbox, scripts cannot reach the ledger at all: this is the protection without a sandbox. */
    const unsandboxed = "guard: { opaque: verify }\n";

    /** Scripts in its lock that record the answers. */
    function putScripts(): void {
      const script = (lines: readonly string[], ...last: readonly string[]) =>
        [...lines.map((line) => `${line} >> src/a/said 2>&1 &`), "wait", ...last, ""].join("\n");
      repository.write("src/a/packet.json", JSON.stringify(packet("T-9", ["src/b"])));
      repository.write("src/a/left.sh", script(left, "touch src/a/left"));
      const leave = `(env -i PATH="$PATH" setsid sh src/a/left.sh > /dev/null 2>&1 < /dev/null &)`;
      const waiting = "until [ -e src/a/left ]; do sleep 0.1; done";
      repository.write("src/a/requests.sh", script(tries, leave, waiting));
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

    it.each(["ask", "never"])("gets no additional rights with a claimed task (`widen: %s`)", async (mode) => {
      repository.write(".lockstep/config.yaml", `limits: { widen: ${mode} }\n${unsandboxed}`);
      await repository.dispatch("T-A", ["src/a/**"]);
      putScripts();
      const ran = await converse([
        calls.shell("lockstep claim T-A"),
        calls.shell("lockstep widen T-A . --why x"),
        calls.shell(`env -i ${process.execPath} ${lockstep} widen T-A README.md --why x`),
        calls.shell("lockstep task add T-9 --scope ."),
        calls.shell("lockstep release T-A"),
        calls.shell("sh src/a/requests.sh"),
      ]);
      const output = `${ran.stdout}${ran.stderr}\n${has("src/a/said") ? text("src/a/said") : ""}`;
      expect(await granted(), output).toEqual(nothing);
      const answer = mode === "ask" ? "a person decides" : "tasks cannot get more scope in this project";
      expect(ran.prompts, output).toContain(answer);
      expect(ran.prompts).toMatch(/`lockstep (?:task|release)` is a person's command/);
      const said = text("src/a/said");
      expect(said.match(new RegExp(answer, "g"))?.length, said).toBe(4);
      expect(said.match(/^lockstep: R-AU-001: .*their own terminal$/gm)?.length, said).toBe(
        tries.length + left.length - 4,
      );
      await repository.run("widen", "T-A", "docs", "--why", "a person may");
      expect(await granted()).toMatchObject({ widened: ["person"] });
    });

    it("gets no additional rights with its own task, nor by hiding that task", async () => {
      repository.write(".lockstep/config.yaml", unsandboxed);
      const task = await repository.dispatch("T-A", ["src/a/**"]);
      putScripts();
      const ran = await converse([calls.shell("sh src/a/requests.sh")], { env: agentEnvironment(task) });
      expect(await granted(), ran.stdout + ran.stderr + text("src/a/said")).toEqual(nothing);
      const said = text("src/a/said");
      expect(said.match(/a person decides/g), said).toHaveLength(1);
      expect(said.match(/^lockstep: R-AU-001: .*their own terminal$/gm), said).toHaveLength(
        tries.length + left.length - 1,
      );
    });

    it("is not restricted if nothing is active", async () => {
      const ran = await converse(everything);
      const all = ["src/a/made.ts", "src/b/made.ts", "src/b/shell.ts", "y"];
      expect(made(), ran.stdout + ran.stderr).toEqual(all);
    });

    it("is restricted after the warm process was killed, even if that cannot start again", {
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

    it("has the same settings byte for byte after `init --remove`, and is no longer restricted", async () => {
      const task = await repository.dispatch("T-A", ["src/a/**"]);
      await repository.dispatch("T-B", ["src/b/**"]);
      const env = agentEnvironment(task);
      const held = await converse(everything, { env, init: ["--client", client] });
      expect(made(), held.stdout + held.stderr).toEqual(["src/a/made.ts", "x"]);
      killServer();
      await place.initiate(["--remove"]);
      expect(place.everySetting()).toEqual(held.settings);
      const free = await converse(everything, { env, clone: repository.path });
      const all = ["src/a/made.ts", "src/b/made.ts", "src/b/shell.ts", "y"];
      expect(made(), free.stdout + free.stderr).toEqual(all);
    });

    it("is not restricted by committed settings in a clone on a machine without Lockstep", async () => {
      await repository.dispatch("T-A", ["src/a/**"]);
      await place.initiate(["--client", client, "--shared"]);
      repository.git("add", "-A");
      repository.git("commit", "-qm", "hooks for everybody");
      place.home[Symbol.dispose]();
      place.home = personsHome();
      const clone = `${repository.path}-clone`;
      repository.git("clone", "-q", repository.path, clone);
      try {
        const ran = await converse([...everything, calls.spawn("Write one file.")], {
          ...{ clone, command: hookLine(client), delegated: [calls.write("src/b/more.ts")] },
        });
        const output = ["src/a/made.ts", "src/b/made.ts", "src/b/shell.ts", "src/b/more.ts"].map((file) =>
          existsSync(join(clone, file)),
        );
        expect(output, ran.stdout + ran.stderr).toEqual([true, true, true, true]);
        expect(readFileSync(join(clone, "src/b/x.ts"), "utf8")).toBe("y\n");
        expect(ran.prompts).not.toMatch(/lockstep: |`lockstep /);
        expect(existsSync(join(clone, ".git/lockstep"))).toBe(false);
      } finally {
        rmSync(clone, { recursive: true });
      }
    });
  });
}
