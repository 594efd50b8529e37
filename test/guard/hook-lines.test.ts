import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { marked } from "../../src/clients/settings/hook-entries.ts";
import { type ClientName, clientNames } from "../../src/contract/client-names.ts";
import { shellWord } from "../../src/core/text/quoted.ts";
import { clientSetups } from "../../src/guard/setup/client-setups.ts";
import { configuredHooks } from "../../src/guard/setup/configured-hooks.ts";
import { hookText } from "../../src/guard/transport/hook-file.ts";
import { hookLine } from "../../src/guard/transport/hook-line.ts";
import { hookFile, isHookCurrent } from "../../src/guard/transport/launch-file.ts";
import { seemsActive } from "../../src/guard/transport/seems-active.ts";
import { guardedClients } from "../../src/guard/world/guarded-clients.ts";
import { showOrchestrator } from "../../src/workspace/state/active-file.ts";
import { guardedClone, rungs, write } from "../support/guarded-clone.ts";
import { hooked, program, programAgent } from "../support/hooked-run.ts";
import { initiatedRepository } from "../support/initiated-repository.ts";
import { task } from "../support/planned-repository.ts";
import { startProgram } from "../support/run-command.ts";
import { missing } from "../support/sandboxed.ts";
import { skipLoudly } from "../support/skip-loudly.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

/** The shells of this machine that a client may run hooks with. */
const shells = ["dash", "bash", "bash --posix", "busybox sh", "zsh"].filter((shell) => {
  const [name = "", ...words] = shell.split(" ");
  const { error, status } = spawnSync(name, [...words, "-c", ":"]);
  const why = error?.message ?? (status === 0 ? undefined : `it ends with ${status}`);
  return !skipLoudly(`THE HOOK LINES IN ${name}`, why, { isWanted: name !== "zsh" });
});
const silent = { status: 0, stdout: "", stderr: "" };
const refused = { status: 2, stdout: "", stderr: expect.stringContaining("the guard cannot be run") };

/** The payload of a client before a call, and after one. */
const payloads: Readonly<Record<ClientName, { readonly before: object; readonly after?: object }>> = {
  claude: { before: write(), after: write("a", { hook_event_name: "PostToolUse" }) },
  codex: { before: write(), after: write("a", { hook_event_name: "Stop" }) },
  gemini: {
    before: write("a", { hook_event_name: "BeforeTool" }),
    after: write("a", { hook_event_name: "AfterTool" }),
  },
  copilot: { before: { toolName: "create", toolArgs: { path: "a" } } },
  opencode: { before: { input: { tool: "write" }, output: { args: {} } } },
  cursor: { before: { hook_event_name: "preToolUse", tool_name: "Write" } },
};

/** Runs a line as a client does. */
function run(line: string, { cwd, payload = write(), env = {}, shell = "sh" }: Call) {
  const words = [...shell.split(" "), "-c", line];
  return startProgram(words, { cwd, env, input: JSON.stringify(payload) }).ended;
}
interface Call {
  readonly cwd: string;
  readonly payload?: object;
  readonly env?: Readonly<Record<string, string>>;
  readonly shell?: string;
}

/** A state folder with the hook file, with something active and without a working Node. */
function stateFolder(path: string, text = hookText({ netcat: true })): string {
  mkdirSync(path, { recursive: true });
  writeFileSync(join(path, "launch"), "false\n");
  writeFileSync(hookFile(path), text);
  showOrchestrator(path, Date.now());
  return path;
}

describe("a hook line", () => {
  it.each(clientNames)("is short enough to read, and contains no path in shared settings: %s", (name) => {
    const line = marked(hookLine(name));
    expect(line).toMatch(/^[^\n]{1,600}$/);
    expect(line).not.toContain(dirname(process.execPath));
    const otherwise = "/repo/.git/lockstep";
    expect(hookLine(name, { otherwise }).length).toBeLessThan(370);
    for (const how of ["start", "revive"] as const)
      expect(hookLine(name, { otherwise, how }).length).toBeLessThan(200);
  });

  describe.each(shells)("in %s", (shell) => {
    it.each(clientNames)(
      "refuses by itself while anything is active and the hook file is missing: %s",
      async (name) => {
        using folder = temporaryFolder();
        const state = stateFolder(join(folder.path, ".git/lockstep"));
        rmSync(hookFile(state));
        const { before, after } = payloads[name];
        const call = (payload: object, env = {}) =>
          run(hookLine(name), { cwd: folder.path, payload, env, shell });
        expect(await call(before)).toMatchObject(refused);
        if (after !== undefined) expect(await call(after)).toMatchObject(silent);
        rmSync(join(state, "active"));
        expect(await call(before)).toMatchObject(silent);
        expect(await call(before, { LOCKSTEP_TASK: "T-1" })).toMatchObject(refused);
      },
    );

    it("refuses with a reason if the hook file is truncated at any position", async () => {
      using folder = temporaryFolder();
      const text = hookText({ netcat: true });
      const state = stateFolder(join(folder.path, ".git/lockstep"));
      const cut = fc.integer({ min: 0, max: text.length - 1 });
      await fc.assert(
        fc.asyncProperty(cut, async (at) => {
          writeFileSync(hookFile(state), text.slice(0, at));
          const { status, stderr } = await run(hookLine("claude"), { cwd: folder.path, shell });
          expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringMatching(/\S/) });
        }),
        { numRuns: 60 },
      );
    });

    it.each(clientNames)("refuses in the client's own form if no server is reachable: %s", async (name) => {
      using folder = temporaryFolder();
      const state = stateFolder(join(folder.path, ".git/lockstep"));
      const { before, after } = payloads[name];
      const call = (payload: object) => run(hookLine(name), { cwd: folder.path, payload, shell });
      const { status, stdout, stderr } = await call(before);
      expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringContaining("`lockstep status`") });
      const client = guardedClients[name];
      const answer = { allow: false, reason: stderr.trim() };
      const own = client.render(answer, client.parse(before, { folder: folder.path }), before);
      expect(JSON.parse(stdout)).toMatchObject(JSON.parse(own.stdout));
      if (after !== undefined) expect(await call(after)).toMatchObject(silent);
      rmSync(join(state, "active"));
      expect(await call(before)).toMatchObject(silent);
    });

    it.each<[string, Readonly<Record<string, string>>]>([
      ["there is no mark, and the caller has no variables", {}],
      ["an agent of a run calls", { LOCKSTEP_SOCKET: "/gone/socket" }],
      ["an agent with a task calls", { LOCKSTEP_TASK: "T-1" }],
      ["an orchestrator calls", { CLAUDE_AGENT_ROLE: "orchestrator" }],
      ["an orchestrator calls by its name", { CLAUDE_AGENT_NAME: "Master-Orchestrator" }],
      ["another agent calls", { CLAUDE_AGENT_ROLE: "tester" }],
    ])("counts the same state as active as the program does, if %s", async (_, env) => {
      using folder = temporaryFolder();
      const state = stateFolder(join(folder.path, ".lockstep/state"));
      rmSync(join(state, "active"));
      const { status } = await run(hookLine("claude"), { cwd: folder.path, env, shell });
      expect(status).toBe(seemsActive(state, env) ? 2 : 0);
    });

    it("is silent if Lockstep is not installed, whatever the parent folders contain", async () => {
      using folder = temporaryFolder({ "a/b/file": "x" });
      for (const name of clientNames)
        expect(await run(hookLine(name), { cwd: join(folder.path, "a/b"), shell })).toMatchObject(silent);
      for (const how of ["start", "revive"] as const)
        expect(await run(hookLine("claude", { how }), { cwd: folder.path, shell })).toMatchObject(silent);
    });

    it("finds the state folder of a worktree, of a submodule and of a folder without git, also from a subfolder", async () => {
      const odd = `it's $HOME "x"`;
      using folder = temporaryFolder();
      const make = (path: string, text = "x") => folder.write(path, text);
      stateFolder(join(folder.path, odd, "main/.git/lockstep"));
      make(`${odd}/linked/.git`, `gitdir: ${join(folder.path, odd)}/main/.git/worktrees/linked\n`);
      make(`${odd}/linked/deep/er/file`);
      make(`${odd}/relative/.git`, "gitdir: ../main/.git/worktrees/relative\n");
      stateFolder(join(folder.path, odd, "main/.git/modules/sub/lockstep"));
      make(`${odd}/main/sub/.git`, "gitdir: ../.git/modules/sub\n");
      make(`${odd}/main/deep/er/file`);
      stateFolder(join(folder.path, odd, "plain/.lockstep/state"));
      make(`${odd}/plain/deep/er/file`);
      const inside = [
        "linked",
        "linked/deep/er",
        "relative",
        "main",
        "main/sub",
        "main/deep/er",
        "plain/deep/er",
      ];
      for (const place of inside) {
        const { status, stdout } = await run(hookLine("codex"), {
          cwd: join(folder.path, odd, place),
          shell,
        });
        expect({ status, deny: stdout.includes('"deny"') }, place).toEqual({ status: 2, deny: true });
      }
      const far = { cwd: "/", shell, env: { CLAUDE_PROJECT_DIR: join(folder.path, odd, "linked") } };
      expect((await run(hookLine("claude"), far)).stdout).toContain('"deny"');
      expect(await run(hookLine("codex"), { cwd: "/", shell })).toMatchObject(silent);
      const otherwise = join(folder.path, odd, "main/.git/lockstep");
      expect((await run(hookLine("claude", { otherwise }), { cwd: "/", shell })).stdout).toContain('"deny"');
    });
  });

  it("does not run files below a repository's top, which an agent may write", async () => {
    using folder = temporaryFolder();
    stateFolder(join(folder.path, ".git/lockstep"));
    stateFolder(join(folder.path, "src/.lockstep/state"), "echo allowed; exit 0\n");
    const { status, stdout } = await run(hookLine("codex"), { cwd: join(folder.path, "src") });
    expect({ status, stdout }).toEqual({ status: 2, stdout: expect.stringContaining('"deny"') });
  });
});

describe("the hook file", () => {
  it("is parsed by every shell without an error, and documents itself with comments", () => {
    using folder = temporaryFolder();
    for (const netcat of [true, false]) {
      const file = folder.write("hook", hookText({ netcat }));
      for (const shell of shells) {
        const [name = "", ...words] = shell.split(" ");
        expect(spawnSync(name, [...words, "-n", file], { encoding: "utf8" })).toMatchObject({
          status: 0,
          stderr: "",
        });
      }
      const lines = hookText({ netcat }).split("\n");
      expect(lines.filter((line) => /^\s*#/.test(line)).length).toBeGreaterThan(lines.length / 6);
      expect(lines.filter((line) => line.length > 300)).toEqual([]);
    }
  });

  it("is repaired by `init`, and by any command while something is active", async () => {
    using ground = initiatedRepository();
    await ground.run(["init", "--client", "gemini"]);
    const folder = join(ground.path, ".git/lockstep");
    expect(isHookCurrent(folder)).toBe(true);
    ground.write(".git/lockstep/hook", "exit 0 # of another version\n");
    await ground.run(["init", "--client", "gemini"]);
    expect(isHookCurrent(folder)).toBe(true);
    showOrchestrator(folder, Date.now());
    for (const text of ["", "exit 0\n"]) {
      ground.write(".git/lockstep/hook", text);
      await ground.run(["status"]);
      expect(isHookCurrent(folder)).toBe(true);
    }
  });

  it("is reported by the doctor if it is missing or was changed", async () => {
    using ground = initiatedRepository();
    await ground.run(["init", "--client", "gemini"]);
    const found = async () => (await ground.run(["doctor"])).stdout;
    expect(await found()).not.toContain("hook file");
    ground.write(".git/lockstep/hook", `${ground.read(".git/lockstep/hook")}# mine\n`);
    expect(await found()).toMatch(
      /hook file.*NOT ENFORCED.*differs from what this version of Lockstep writes/s,
    );
    rmSync(join(ground.path, ".git/lockstep/hook"));
    expect(await found()).toMatch(/hook file.*NOT ENFORCED.*is missing/s);
  });
});

describe("the hook lines of version 0.1", () => {
  interface Lines {
    readonly shared: Readonly<Record<ClientName, string>>;
    readonly personal: { readonly command: string; readonly start: string; readonly revive: string };
  }
  const old = JSON.parse(
    readFileSync(new URL("../clients-samples/hook-lines-0.1.json", import.meta.url), "utf8"),
  ) as Lines;

  it.each(clientNames)(
    "are replaced by `init`, and recognised by `doctor` and `init --remove`: %s",
    async (name) => {
      using ground = initiatedRepository();
      const { files, install } = clientSetups[name];
      const settled = (command: string) => {
        const edit = install(null, { command }, files.shared);
        return edit.ok && edit.text !== null ? edit.text : "";
      };
      const before = settled(old.shared[name]);
      ground.write(files.shared, before);
      expect(configuredHooks(name, before)?.command).toContain(old.shared[name]);
      // Whether the guard answers in time depends on the machine.
      expect((await ground.run(["doctor"])).stdout).toMatch(
        new RegExp(`${name} hooks.*\\(${files.shared}\\)`, "s"),
      );
      expect((await ground.run(["init", "--client", name])).status).toBe(0);
      expect(ground.read(files.shared)).toBe(settled(hookLine(name)));
      ground.write(files.shared, before);
      expect((await ground.run(["init", "--remove"])).status).toBe(0);
      expect(ground.has(files.shared)).toBe(false);
    },
  );

  it.each(rungs)("still call the guard, and refuse if it cannot be run: %s", async (rung) => {
    using clone = guardedClone();
    using server = await clone.served();
    clone.install({ active: true });
    rmSync(hookFile(clone.folder));
    const personal = old.personal.command.replaceAll("/repo/.git/lockstep", shellWord(clone.folder));
    const payload = write("forbidden");
    for (const line of [old.shared.claude, personal]) {
      expect(await clone.hook({ rung, line })).toMatchObject({ status: 0, stderr: "" });
      expect((await clone.hook({ rung, line, payload })).stdout).toContain("claude no task");
    }
    expect((await clone.hook({ rung, line: personal, payload, cwd: "/" })).stdout).toContain(
      "claude no task",
    );
    server.process.kill("SIGKILL");
    await server.ended;
    rmSync(join(clone.folder, "launch"));
    expect(await clone.hook({ rung, line: old.shared.claude })).toMatchObject({
      status: 2,
      stdout: expect.stringContaining('"deny"'),
    });
  });
});

describe("in the checkout of an agent that Lockstep starts", () => {
  const asks = program(`
const { spawnSync } = await import("node:child_process");
const line = readFileSync("agents/line", "utf8");
for (const name of ["A.txt", "B.txt"]) {
  const tool = { tool_name: "Write", tool_input: { file_path: process.cwd() + "/" + name, content: "x" } };
  const payload = { session_id: "s", cwd: process.cwd(), hook_event_name: "PreToolUse", ...tool };
  const { status, stderr } = spawnSync("sh", ["-c", line], { input: JSON.stringify(payload), encoding: "utf8" });
  console.log("HOOK " + name + " " + status + " " + stderr.trim().split("\\n")[0]);
}
writeFileSync("A.txt", "made\\n");
answer("OK");`);

  it.each([
    { sandbox: "in the sandbox", config: "" },
    { sandbox: "without one", config: "sandbox: off\n" },
  ])("a committed hook line calls the run's host, $sandbox", async ({ sandbox, config }) => {
    if (sandbox === "in the sandbox" && missing !== undefined) return;
    using repository = hooked({
      agents: {},
      tasks: [task("A", "asking")],
      config: programAgent("asking") + config,
      files: { "agents/asking.mjs": asks, "agents/line": hookLine("claude") },
    });
    const { status, stderr } = await repository.conduct();
    expect(status, stderr).toBe(0);
    expect(stderr).toMatch(/HOOK A\.txt 0/);
    expect(stderr).toMatch(/HOOK B\.txt 2 .*R-PW-001/);
  });
});
