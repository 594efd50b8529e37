import { cpSync, rmSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  agentEnvironment,
  type GuardedRepository,
  guardedRepository,
} from "../support/guarded-repository.ts";
import { localRegistry } from "../support/local-registry.ts";
import { startProgram } from "../support/run-command.ts";
import { missing } from "../support/sandboxed.ts";
import { shellPayload } from "../support/sandboxed-call.ts";
import { attacks, ordinaryCalls, outsideOf, putPrograms } from "../support/shell-calls.ts";

let repository: GuardedRepository;
beforeEach(() => {
  repository = guardedRepository();
  putPrograms(repository);
});
afterEach(() => repository[Symbol.dispose]());

const inShell = (command: string) => startProgram(["bash", "-c", command], { cwd: repository.path }).ended;

/** Runs the command as a client's shell does, after the guard has seen it; with the guard's answer afterwards. */
async function call(command: string, env: Readonly<Record<string, string>>): Promise<string> {
  const payload = shellPayload(repository.path, command);
  const { exit, stdout, stderr } = await repository.guard(payload, { env });
  if (exit !== 0) return stderr;
  const text = stdout === "" ? command : JSON.parse(stdout).hookSpecificOutput.updatedInput.command;
  const ran = await inShell(text);
  const ended = { ...payload, hook_event_name: "PostToolUse", tool_response: { stdout: ran.stdout } };
  return `${ran.stdout}${ran.stderr}${(await repository.guard(ended, { env })).stdout}`;
}

const unchanged = (before: object) => isDeepStrictEqual(outsideOf(repository), before);

describe("the attacks", () => {
  it("each change something outside of the lock without the guard", {
    timeout: 1_200_000,
  }, async () => {
    const { path } = repository;
    const copy = `${path}-copy`;
    const asItIs = { recursive: true, preserveTimestamps: true, verbatimSymlinks: true };
    cpSync(path, copy, asItIs);
    try {
      const before = outsideOf(repository);
      const harmless: string[] = [];
      for (const command of attacks) {
        await inShell(command);
        if (unchanged(before)) harmless.push(command);
        rmSync(path, { recursive: true });
        cpSync(copy, path, asItIs);
      }
      expect(harmless).toEqual([]);
    } finally {
      rmSync(copy, { recursive: true });
    }
  });

  it.skipIf(missing)("change nothing outside of it with the guard", { timeout: 1_200_000 }, async () => {
    const env = agentEnvironment(await repository.dispatch("T-A", ["src/a/**"]));
    const harmful: string[] = [];
    for (const command of attacks) {
      const before = outsideOf(repository);
      const said = await call(command, env);
      if (!unchanged(before)) harmful.push(`${command}: ${said}`);
    }
    expect(harmful).toEqual([]);
  });
});

describe.skipIf(missing)("the ordinary calls", () => {
  it("work with the guard, and change nothing outside of the lock", { timeout: 1_200_000 }, async () => {
    await using packages = await localRegistry();
    const env = agentEnvironment(await repository.dispatch("T-A", ["src/a/**"]));
    const rows = ordinaryCalls(packages.url);
    expect(rows).toHaveLength(48);
    const failed: string[] = [];
    const before = outsideOf(repository);
    for (const { command, says } of rows) {
      const said = await call(command, env);
      if (!says.test(said)) failed.push(`${command}: ${said}`);
    }
    expect(failed).toEqual([]);
    const { ".git/refs/heads/main": head, ...rest } = outsideOf(repository);
    expect(head).not.toBe(before[".git/refs/heads/main"]);
    expect({ ...rest, ".git/refs/heads/main": before[".git/refs/heads/main"] }).toEqual(before);
  });
});
