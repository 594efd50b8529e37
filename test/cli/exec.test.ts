import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  agentEnvironment,
  type GuardedRepository,
  guardedRepository,
} from "../support/guarded-repository.ts";
import { type CommandOptions, eventually, startProgram } from "../support/run-command.ts";
import { command } from "../support/run-hook.ts";
import { missing } from "../support/sandboxed.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

let repository: GuardedRepository;
beforeEach(() => {
  repository = guardedRepository();
});
afterEach(() => repository[Symbol.dispose]());

const lockstep = (words: readonly string[], options: CommandOptions = {}) =>
  startProgram([process.execPath, command, ...words], { cwd: repository.path, ...options }).ended;
const has = (path: string) => existsSync(join(repository.path, path));

describe.skipIf(missing)("`lockstep exec TASK -- COMMAND…`", () => {
  it("runs it with its input, output and exit code, and what the lock does not hold is read-only", async () => {
    await repository.dispatch("T-A", ["src/a/**"]);
    const script = 'cat; echo x > src/a/new.ts; echo x > docs/new.md; echo "-$1-"; exit 7';
    const ran = await lockstep(["exec", "T-A", "--", "sh", "-c", script, "sh", "a  b"], { input: "in\n" });
    expect(ran).toMatchObject({ status: 7, stdout: "in\n-a  b-\n" });
    expect(ran.stderr).toMatch(/read-only file system/i);
    expect([has("src/a/new.ts"), has("docs/new.md")]).toEqual([true, false]);
  });

  it("ends as the command does: by a signal, or because it is not there", async () => {
    await repository.dispatch("T-A", ["src/a/**"]);
    expect((await lockstep(["exec", "T-A", "--", "sh", "-c", "kill $$"])).status).toBe(143);
    expect((await lockstep(["exec", "T-A", "--", "no-such-program"])).status).toBe(127);
  });

  it("passes on what it is sent, and ends as the command does then", async () => {
    await repository.dispatch("T-A", ["src/a/**"]);
    const script = "trap 'echo got it; exit 9' TERM; echo ready; while :; do sleep 0.1; done";
    const words = [process.execPath, command, "exec", "T-A", "--", "sh", "-c", script];
    using running = startProgram(words, { cwd: repository.path });
    await eventually("a ready program", () => running.lines().includes("ready") || undefined);
    running.process.kill("SIGTERM");
    expect(await running.ended).toMatchObject({ status: 9, stdout: "ready\ngot it\n" });
  });

  it("is refused for a task that holds no lock, and for one that nobody knows", async () => {
    await repository.dispatch("T-A", ["src/a/**"]);
    await repository.run("task", "add", "T-B", "--scope", "src/b");
    const waiting = await lockstep(["exec", "T-B", "--", "true"]);
    expect(waiting).toMatchObject({ status: 2, stdout: "" });
    expect(waiting.stderr).toContain("task `T-B` holds no lock: it is PENDING");
    expect((await lockstep(["exec", "T-C", "--", "true"])).status).toBe(2);
  });

  it("is a person's: an agent gets no sandbox of another task", async () => {
    const own = await repository.dispatch("T-A", ["src/a/**"]);
    await repository.dispatch("T-B", ["src/b/**"]);
    const words = ["exec", "T-B", "--", "touch", "src/b/new.ts"];
    const ran = await lockstep(words, { env: agentEnvironment(own) });
    expect(ran.status).toBe(2);
    expect(ran.stderr).toContain("only a person may run `lockstep exec`");
    expect(has("src/b/new.ts")).toBe(false);
  });
});

describe("`lockstep exec` without bubblewrap", () => {
  it("runs nothing, and says why", async () => {
    await repository.dispatch("T-A", ["src/a/**"]);
    using programs = temporaryFolder();
    const PATH = programs.path;
    const git = execFileSync("which", ["git"], { encoding: "utf8" }).trim();
    execFileSync("ln", ["-s", git, join(PATH, "git")]);
    const ran = await lockstep(["exec", "T-A", "--", "touch", "src/a/new.ts"], { env: { PATH } });
    expect(ran.status).toBe(2);
    expect(ran.stderr).toMatch(/there is no sandbox here: .*bubblewrap/);
    expect(has("src/a/new.ts")).toBe(false);
  });
});
