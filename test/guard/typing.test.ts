import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  agentEnvironment,
  type GuardedRepository,
  guardedRepository,
} from "../support/guarded-repository.ts";
import { missing } from "../support/sandboxed.ts";
import { replacedCommand } from "../support/sandboxed-call.ts";

let repository: GuardedRepository;
let env: Readonly<Record<string, string>>;
beforeEach(async () => {
  repository = guardedRepository();
  env = agentEnvironment(await repository.dispatch("T-A", ["src/a/**"]));
});
afterEach(() => repository[Symbol.dispose]());

const payload = (hook_event_name: string, tool_name: string, tool_input: object) => ({
  ...{ session_id: "s1", cwd: repository.path, hook_event_name, tool_name, tool_input, tool_use_id: "t1" },
  ...(hook_event_name === "PostToolUse" && { tool_response: {} }),
});
const asked = (tool: string, input: object) =>
  repository.guard(payload("PreToolUse", tool, input), { env, client: "codex" });
const called = (tool: string, input: object) =>
  repository.guard(payload("PostToolUse", tool, input), { env, client: "codex" });

describe("a tool that types or runs commands under another name", () => {
  it.each<[string, object]>([
    ["write_stdin", { session_id: 1, chars: "echo bad > docs/guide.md\n" }],
    ["write_bash", { shellId: "s", input: "echo bad > docs/guide.md{enter}" }],
    ["mcp__shell__run", { command: "echo bad > docs/guide.md" }],
    ["write_powershell", { shellId: "s", input: "echo bad > docs/guide.md{enter}" }],
  ])("is refused if its text has a path outside the lock: %s", async (tool, input) => {
    const { exit, stderr } = await asked(tool, input);
    expect(exit).toBe(2);
    expect(stderr).toContain("docs/guide.md");
  });

  it.each<[string, object]>([
    // In the lock from this folder, but the shell may be in another one.
    ["write_stdin", { session_id: 1, chars: "echo new > src/a/new.ts\n" }],
    ["write_bash", { shellId: "s", input: "echo new > src/a/new.ts{enter}" }],
    ["mcp__shell__run", { command: "python3 src/a/run.py" }],
    ["mcp__shell__run", { script: "anything" }],
    ["PowerShell", { command: "./src/a/run.ps1" }],
    ["PowerShell", { command: "Set-Content docs/src/a/new.ts new" }],
  ])("is compared afterwards, and changes outside the lock are restored: %s %j", async (tool, input) => {
    expect((await asked(tool, input)).exit).toBe(0);
    repository.write("docs/src/a/new.ts", "new\n");
    const { stdout, stderr } = await called(tool, input);
    expect(stdout + stderr).toContain("docs/src/a/new.ts");
    expect(existsSync(join(repository.path, "docs/src/a/new.ts"))).toBe(false);
  });
});

describe.skipIf(missing)("a program that a client may type into without a hook", () => {
  it.each([
    ...["bash", "sh", "bash -s", "exec bash", "env bash", "python3", "node", "perl", "sqlite3 x.db"],
    ...["vi src/a/ok.ts", "vim -R README.md", "tmux new -d", "tmux", "screen -dmS x", "pwsh"],
  ])("runs inside the lock: %s", async (command) => {
    expect(await replacedCommand(repository, command, env)).toContain("lockstep exec");
  });
});
