import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readGuardFacts } from "../../src/engine/views/guard-facts.ts";
import { guardEndpoint } from "../../src/guard/answer/open-endpoint.ts";
import { projectVariables } from "../../src/guard/transport/project-variables.ts";
import { liveHolders } from "../../src/guard/world/active.ts";
import type { GuardEndpoint } from "../../src/guard/world/guard-endpoint.ts";
import { findProject } from "../../src/workspace/files/find-project.ts";
import { machineClock } from "../../src/workspace/process/machine-clock.ts";
import { showOrchestrator } from "../../src/workspace/state/active-file.ts";
import { openStateFolder } from "../../src/workspace/state/state-folder.ts";
import { guardedClone, rungs } from "../support/guarded-clone.ts";
import { type GuardedRepository, guardedRepository } from "../support/guarded-repository.ts";
import { dispatch, packet } from "../support/memory-engine.ts";
import { startProgram } from "../support/run-command.ts";
import { command as lockstep } from "../support/run-hook.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

let repository: GuardedRepository;
beforeEach(() => {
  repository = guardedRepository();
});
afterEach(() => repository[Symbol.dispose]());

const call = (tool: string, input: object) => ({
  ...{ session_id: "s1", cwd: repository.path, hook_event_name: "PreToolUse", tool_use_id: "t1" },
  ...{ tool_name: tool, tool_input: input },
});
const write = () => call("Write", { file_path: join(repository.path, "README.md"), content: "x" });
const state = () => openStateFolder(findProject(repository.path));
const breakLedger = () => {
  writeFileSync(join(state(), "state.db"), "garbage".repeat(1000));
  rmSync(join(state(), "state.db-wal"), { force: true });
};

/** A guard as the warm process calls it. */
const throughServer = <T>(use: (ask: GuardEndpoint) => Promise<T>): Promise<T> =>
  repository.withEngine((engine) =>
    use(guardEndpoint({ engine, project: findProject(repository.path), isRunAlive: () => false })),
  );
const bytes = (payload: object) => Buffer.from(JSON.stringify(payload));

describe("`guard.on_error`", () => {
  it("`open` allows a call with a warning if the guard fails; `closed`, and an unreadable configuration, refuse it", async () => {
    repository.write(".lockstep/config.yaml", "guard: { on_error: open }\n");
    await repository.dispatch("T-A", ["src/a/**"]);
    breakLedger();
    const open = await repository.guard(write());
    expect(open).toMatchObject({ exit: 0, stdout: "", stderr: expect.stringContaining("`guard.on_error`") });
    repository.write(".lockstep/config.yaml", "guard: { on_error: closed }\n");
    expect((await repository.guard(write())).exit).toBe(2);
    repository.write(".lockstep/config.yaml", "guard: { on_error: open, x: 1 }\n");
    expect((await repository.guard(write())).exit).toBe(2);
  });

  it.each(rungs)("applies to a hook whose server does not answer, through %s", async (rung) => {
    using clone = guardedClone();
    clone.install({ active: true });
    writeFileSync(join(clone.folder, "starting"), ""); // as if another hook had just tried to start it
    expect((await clone.hook({ rung })).status).toBe(2);
    clone.write(".lockstep/config.yaml", "guard: { on_error: open }\n");
    const open = await clone.hook({ rung });
    expect(open).toMatchObject({ status: 0, stdout: "" });
    expect(open.stderr).toContain("`guard.on_error` is `open`");
  });
});

describe("a server whose guard fails", () => {
  const broken = "guard: { unclaimd: deny }\n";

  it("refuses while an orchestrator's session is active, and otherwise allows with a warning", async () => {
    repository.write(".lockstep/config.yaml", broken);
    await throughServer(async (ask) => {
      const idle = await ask("claude", bytes(write()), {});
      expect(idle).toMatchObject({ exit: 0, stderr: expect.stringContaining("unclaimd") });
      expect(await ask("claude", bytes(write()), { CLAUDE_AGENT_ROLE: "orchestrator" })).toMatchObject({
        exit: 2,
      });
      showOrchestrator(state(), Date.now());
      expect(await ask("claude", bytes(write()), {})).toMatchObject({ exit: 2 });
      expect(await ask("claude", bytes(call("Read", { file_path: "README.md" })), {})).toMatchObject({
        exit: 0,
      });
    });
  });
});

it("the clock is read once for all leases", async () => {
  await repository.withEngine(async (engine) => {
    for (const at of [1, 2, 3]) await dispatch(engine, packet(`T-${at}`, [`src/${at}`]));
    const facts = await readGuardFacts(engine);
    let reads = 0;
    const clock = {
      now: () => {
        reads += 1;
        return machineClock().now();
      },
    };
    expect(liveHolders(facts, clock)).toHaveLength(3);
    expect(reads).toBe(1);
  });
});

describe("a hook without a working guard", () => {
  it.each(rungs)("names the fix, and the fix works: %s", async (rung) => {
    using clone = guardedClone();
    clone.install({ active: true, node: "/gone/node" });
    const refused = await clone.hook({ rung });
    expect(refused).toMatchObject({
      status: 2,
      stderr: expect.stringContaining("ask a person to run `lockstep status`"),
    });
    expect((await clone.run(["status"])).status).toBe(0);
    const asked = await clone.hook({ rung });
    expect(asked.stderr).not.toContain("cannot be run");
    expect(readFileSync(join(clone.folder, "launch"), "utf8")).toContain(process.execPath);
  });
});

describe("Lockstep with a Node that is too old", () => {
  const old = `Object.defineProperty(process, "versions", { value: { ...process.versions, node: "18.20.0" } });`;

  /** An installation without a Node of its own. */
  function installed() {
    const folder = temporaryFolder();
    const from = join(lockstep, "../..");
    for (const name of ["bin", "dist"]) mkdirSync(join(folder.path, name));
    for (const name of ["package.json", "bin/lockstep.cjs", "bin/guard-refusal.cjs", "dist/refusals.json"])
      copyFileSync(join(from, name), join(folder.path, name));
    const preload = folder.write("old.cjs", old);
    return {
      run: (...words: string[]) =>
        startProgram([process.execPath, "-r", preload, join(folder.path, "bin/lockstep.cjs"), ...words], {
          cwd: folder.path,
        }).ended,
      guard: (client: string, payload: object, cwd: string, env: Readonly<Record<string, string>> = {}) =>
        startProgram(
          [process.execPath, "-r", preload, join(folder.path, "bin/lockstep.cjs"), "guard", client],
          { cwd, env, input: JSON.stringify(payload) },
        ).ended,
      [Symbol.dispose]: () => folder[Symbol.dispose](),
    };
  }

  it("still prints its version and what it needs; everything else is refused with a code of its own", async () => {
    using install = installed();
    const version = JSON.parse(readFileSync(join(lockstep, "../../package.json"), "utf8")).version;
    expect(await install.run("--version")).toMatchObject({ status: 0, stdout: `${version}\n`, stderr: "" });
    expect(await install.run("--help")).toMatchObject({
      ...{ status: 0, stdout: expect.stringContaining("needs Node 22.18"), stderr: "" },
    });
    expect(await install.run("status")).toMatchObject({
      ...{
        status: 2,
        stdout: "",
        stderr: expect.stringContaining("lockstep: E-NODE: Lockstep needs Node 22.18"),
      },
    });
    expect(JSON.parse((await install.run("hook", "PreWrite")).stdout)).toMatchObject({ code: "E-NODE" });
  });

  it("refuses in the client's own form while anything is active, and otherwise allows with a warning", async () => {
    using install = installed();
    const inside = join(repository.path, "src/a");
    const idle = await install.guard("claude", write(), inside);
    expect(idle).toMatchObject({
      status: 0,
      stdout: "",
      stderr: expect.stringContaining("needs Node 22.18"),
    });
    showOrchestrator(state(), Date.now());
    const forms = {
      claude: { hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "deny" } },
      codex: { hookSpecificOutput: { permissionDecision: "deny" } },
      copilot: { permissionDecision: "deny" },
      opencode: { allow: false },
      cursor: { permission: "deny" },
    };
    for (const [client, form] of Object.entries(forms)) {
      const { status, stdout, stderr } = await install.guard(client, write(), inside);
      expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringContaining("needs Node") });
      expect(JSON.parse(stdout), client).toMatchObject(form);
    }
    const before = { ...write(), hook_event_name: "BeforeTool" };
    const gemini = await install.guard("gemini", before, inside);
    expect(JSON.parse(gemini.stdout)).toMatchObject({ decision: "deny" });
    for (const variable of Object.values(projectVariables).filter((name) => name !== null)) {
      const found = await install.guard("claude", write(), "/", { [variable]: repository.path });
      expect(found.status, variable).toBe(2);
    }
    expect((await install.guard("claude", write(), "/")).status).toBe(0);
    const over = { ...write(), hook_event_name: "PostToolUse" };
    expect(await install.guard("claude", over, inside)).toMatchObject({ status: 0, stdout: "" });
  });
});
