import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { configuredHooks } from "../../src/guard/setup/configured-hooks.ts";
import { hookLine } from "../../src/guard/transport/hook-line.ts";
import { showOrchestrator } from "../../src/workspace/state/active-file.ts";
import { type GuardedClone, guardedClone, rungs, write } from "../support/guarded-clone.ts";
import { initiatedRepository } from "../support/initiated-repository.ts";
import { eventually, startProgram } from "../support/run-command.ts";

const forbidden = write("forbidden");

describe.each(rungs)("a hook through %s", (rung) => {
  it("uses its own client's variable only: another one may be inherited from another project", async () => {
    using clone = guardedClone();
    using other = guardedClone();
    using _server = await clone.served();
    clone.install({ active: true });
    other.install();
    const inherited = { CLAUDE_PROJECT_DIR: other.path, GEMINI_PROJECT_DIR: other.path };
    for (const client of ["codex", "opencode", "cursor", "copilot"] as const)
      expect(await clone.hook({ rung, client, env: inherited, place: {}, payload: forbidden })).toMatchObject(
        {
          status: 2,
        },
      );
    const own = { CLAUDE_PROJECT_DIR: clone.path };
    expect((await clone.hook({ rung, env: own, place: {}, cwd: "/", payload: forbidden })).status).toBe(2);
  });

  it("uses the given folder if it finds none, and otherwise the one that it finds", async () => {
    using clone = guardedClone();
    using other = guardedClone();
    using _server = await clone.served();
    clone.install({ active: true });
    other.install();
    const place = { otherwise: clone.folder };
    expect((await clone.hook({ rung, place, cwd: "/", payload: forbidden })).status).toBe(2);
    expect((await clone.hook({ rung, place: {}, cwd: "/", payload: forbidden })).status).toBe(0);
    expect((await clone.hook({ rung, place, cwd: other.path, payload: forbidden })).status).toBe(0);
  });
});

it("a hook in personal settings works in any folder, and one in shared settings allows if it finds nothing", async () => {
  using ground = initiatedRepository();
  ground.addProgram("claude", "#!/bin/sh\necho 2.1.100\n");
  const called = async (file: string) => {
    const command = configuredHooks("claude", ground.read(file))?.command ?? "exit 9";
    return (await startProgram(["sh", "-c", command], { cwd: "/", input: JSON.stringify(write()) }).ended)
      .status;
  };
  await ground.run(["init", "--client", "claude"]);
  showOrchestrator(join(ground.path, ".git/lockstep"), Date.now());
  ground.write(".git/lockstep/launch", "false\n"); // a Node that cannot be run
  expect(await called(".claude/settings.local.json")).toBe(2);
  await ground.run(["init", "--shared", "--client", "claude"]);
  expect(await called(".claude/settings.json")).toBe(0);
  expect(ground.read(".claude/settings.json")).not.toContain(ground.path);
});

describe("between calls of a client that calls over HTTP", () => {
  const revive = (clone: GuardedClone, cwd = clone.path) =>
    startProgram(["sh", "-c", hookLine("claude", { how: "revive" })], {
      cwd,
      input: JSON.stringify(write("forbidden", { hook_event_name: "PostToolBatch" })),
    }).ended;

  it("a server that was killed is started again even if nothing is active, and a running one is left alone", async () => {
    using clone = guardedClone();
    clone.install();
    using server = await clone.served();
    expect(await revive(clone)).toMatchObject({ status: 0, stderr: "" });
    expect(clone.serverPid()).toBe(server.process.pid);
    server.process.kill("SIGKILL");
    await server.ended;
    expect((await revive(clone)).status).toBe(0);
    const next = await eventually("another server", clone.serverPid);
    expect(next).not.toBe(server.process.pid);
  });

  it("nothing is done if Lockstep is not installed", async () => {
    using clone = guardedClone();
    expect(await revive(clone)).toMatchObject({ status: 0, stdout: "", stderr: "" });
    expect(await revive(clone, "/")).toMatchObject({ status: 0, stdout: "", stderr: "" });
    expect(clone.serverPid()).toBeUndefined();
  });
});
