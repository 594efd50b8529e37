import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { GuardAnswer, GuardEvent, Operation, ToolCall } from "../../src/contract/tool-call.ts";
import { guardedClients } from "../../src/guard/world/guarded-clients.ts";

type Name = keyof typeof guardedClients;

const samples = new URL("../clients-samples", import.meta.url).pathname;
const recorded = ["claude", "codex", "copilot", "gemini", "opencode"] as const;
const at = { folder: "/repo" };

/** Settings and the plugin's start arguments are not payloads of hooks. */
const payloadsOf = (client: Name) =>
  readdirSync(join(samples, client)).filter((file) => !/^(?:settings|config|plugin-init)/.test(file));
const read = (client: Name, file: string): unknown =>
  JSON.parse(readFileSync(join(samples, client, file), "utf8"));
const parse = (client: Name, file: string) => guardedClients[client].parse(read(client, file), at);

describe("a recorded payload", () => {
  it.each(recorded.flatMap((client) => payloadsOf(client).map((file) => [client, file] as const)))(
    "of %s is parsed: %s",
    (client, file) => {
      const call = parse(client, file);
      expect(call.operation.kind).not.toBe("malformed");
      expect(call.folder.startsWith("/repo")).toBe(true);
      expect(call.session).not.toBeNull();
      expect(call.tool !== "" || !/tool$/.test(call.event)).toBe(true);
    },
  );

  it("exists for every client that could be recorded", () => {
    expect(recorded.map((client) => payloadsOf(client).length)).toEqual([42, 18, 25, 15, 15]);
  });
});

describe("the event of a payload", () => {
  it.each<[Name, string, GuardEvent]>([
    ["claude", "PreToolUse.Write.json", "before-tool"],
    ["claude", "PostToolUseFailure.Bash.json", "after-tool"],
    ["claude", "PostToolBatch.json", "other"],
    ["claude", "SessionStart.json", "session-start"],
    ["claude", "SessionEnd.json", "session-end"],
    ["claude", "PreCompact.json", "compact"],
    ["claude", "Stop.json", "stop"],
    ["claude", "SubagentStart.subagent.json", "subagent-start"],
    ["claude", "SubagentStop.subagent.json", "subagent-stop"],
    ["claude", "ConfigChange.json", "settings-change"],
    ["claude", "UserPromptSubmit.json", "other"],
    ["codex", "pre-shell.json", "before-tool"],
    ["codex", "stop.json", "stop"],
    ["codex", "subagent-stop.json", "subagent-stop"],
    ["gemini", "before-write_file.json", "before-tool"],
    ["gemini", "after-replace.json", "after-tool"],
    ["gemini", "before-agent.json", "other"],
    ["gemini", "after-agent.json", "stop"],
    ["copilot", "pre-create.json", "before-tool"],
    ["copilot", "post-create.json", "after-tool"],
    ["copilot", "pascal-pre-Bash.json", "before-tool"],
    ["copilot", "pascal-post-Bash.json", "after-tool"],
    ["copilot", "session-start.json", "session-start"],
    ["copilot", "session-end.json", "session-end"],
    ["copilot", "agent-stop.json", "stop"],
    ["copilot", "subagent-start.json", "subagent-start"],
    ["copilot", "subagent-stop.json", "subagent-stop"],
    ["copilot", "permission-request-bash.json", "other"],
    ["copilot", "user-prompt-submitted.json", "other"],
    ["opencode", "before-write.json", "before-tool"],
    ["opencode", "after-write.json", "after-tool"],
    ["opencode", "chat.message.json", "other"],
    ["opencode", "event-session.created-main.json", "session-start"],
    ["opencode", "event-session.created-subagent.json", "subagent-start"],
  ])("of %s in %s is %s", (client, file, event) => {
    expect(parse(client, file).event).toBe(event);
  });
});

const write = (path: string, action: "create" | "edit" | "delete", bytes: number): Operation => ({
  kind: "write",
  targets: [{ path, action }],
  bytes,
});
const shell = (command: string): Operation => ({ kind: "shell", command });

describe("the effect of a recorded call", () => {
  it.each<[Name, string, Operation]>([
    ["claude", "PreToolUse.Write.json", write("/repo/a.txt", "create", 6)],
    ["claude", "PreToolUse.Edit.json", write("/repo/a.txt", "edit", 3)],
    ["claude", "PreToolUse.Bash.json", shell("echo x > forbidden.txt")],
    ["claude", "PreToolUse.Read.json", { kind: "read", paths: ["/repo/a.txt"], search: null }],
    ["claude", "PreToolUse.Agent.json", { kind: "spawn", agentType: "general-purpose", agentId: null }],
    [
      "claude",
      "PostToolUse.Agent.json",
      { kind: "spawn", agentType: "general-purpose", agentId: "a4ada6baf4f8bf970" },
    ],
    ["claude", "PreToolUse.TaskCreate.json", { kind: "none" }],
    [
      "claude",
      "PreToolUse.mcp__tiny__greet.json",
      { kind: "unknown", reads: false, paths: [], commands: [], texts: ["main"] },
    ],
    ["codex", "pre-write-apply_patch-add.json", write("new.txt", "edit", 58)],
    ["codex", "pre-apply_patch-delete.json", write("a/b.txt", "delete", 54)],
    ["codex", "pre-shell.json", shell("echo shell > sh.txt; cat seed.txt")],
    ["codex", "pre-spawn_agent.json", { kind: "spawn", agentType: null, agentId: null }],
    ["gemini", "before-write_file-relative-path.json", write("rel.txt", "create", 4)],
    ["gemini", "before-replace.json", write("/repo/seed.txt", "edit", 16)],
    ["gemini", "before-run_shell_command.json", shell("echo shell > sh.txt; cat seed.txt")],
    ["gemini", "before-read_file.json", { kind: "read", paths: ["/repo/seed.txt"], search: null }],
    ["gemini", "before-invoke_agent.json", { kind: "spawn", agentType: "generalist", agentId: null }],
    ["copilot", "pre-create.json", write("/repo/new.txt", "create", 6)],
    ["copilot", "pre-edit.json", write("/repo/seed.txt", "edit", 16)],
    ["copilot", "pre-apply_patch-gpt-model.json", write("/repo/new.txt", "edit", 64)],
    ["copilot", "claude-settings-pre-Edit.json", write("/repo/seed.txt", "edit", 16)],
    ["copilot", "claude-settings-pre-Edit-apply_patch-gpt-model.json", write("/repo/new.txt", "edit", 64)],
    ["copilot", "pre-write_bash.json", { kind: "shell", command: "echo FORBIDDEN > stdin.txt", typed: true }],
    ["copilot", "pre-task.json", { kind: "spawn", agentType: "general-purpose", agentId: null }],
    ["opencode", "before-write-relative-path.json", write("rel.txt", "create", 4)],
    ["opencode", "before-edit.json", write("/repo/seed.txt", "edit", 16)],
    ["opencode", "before-apply_patch-gpt-model.json", write("new.txt", "edit", 58)],
    ["opencode", "before-bash.json", shell("echo shell > sh.txt; cat seed.txt")],
    ["opencode", "before-task.json", { kind: "spawn", agentType: "general", agentId: null }],
    ["opencode", "before-unknown-tool.json", { kind: "none" }],
  ])("is read from %s: %s", (client, file, operation) => {
    expect(parse(client, file).operation).toEqual(operation);
  });

  it("names every file of a patch, including both ends of a move", () => {
    const { operation } = parse("codex", "pre-apply_patch-add+move.json");
    expect(operation.kind === "write" && operation.targets.map(({ path }) => path)).toEqual([
      "a/b.txt",
      "seed.txt",
      "moved.txt",
    ]);
  });

  it.each<[Name, string, string]>([
    ["codex", "pre-shell-workdir.json", "/repo/sub/dir"],
    ["gemini", "before-run_shell_command-dir_path.json", "/repo/sub"],
    ["opencode", "before-bash-workdir.json", "/repo/sub"],
    ["claude", "PreToolUse.Bash.subagent.json", "/repo/sub"],
  ])("applies to the folder that the call itself names: %s, %s", (client, file, folder) => {
    expect(parse(client, file).folder).toBe(folder);
  });
});

describe("the caller of a recorded call", () => {
  it.each<[Name, string, string | null, string | null]>([
    ["claude", "PreToolUse.Write.json", null, null],
    ["claude", "PreToolUse.Write.subagent.json", "a4ada6baf4f8bf970", "general-purpose"],
    ["claude", "SubagentStop.compact.json", "a9bee584052d45c0a", null],
    ["codex", "pre-write-from-subagent.json", "01a1ddff-b67e-7521-b378-c0f18a871496", "default"],
    ["copilot", "pre-create-from-subagent.json", "b648597a-4051-479d-9c1b-c45e12f65869", "general-purpose"],
    [
      "copilot",
      "claude-settings-pre-Write-from-subagent.json",
      "c41bb28b-9e30-43fd-8320-5f9a135908ec",
      "general-purpose",
    ],
    ["gemini", "before-write_file-from-subagent.json", null, null],
    ["opencode", "event-session.created-subagent.json", "ses_e21f4c066ffe9eTbo4RejGBBha", "general"],
  ])("is read from %s: %s", (client, file, agentId, agentType) => {
    expect(parse(client, file).actor).toEqual({ agentId, agentType });
  });

  it("is a subagent's session if OpenCode's plugin knows its parent", () => {
    const payload = {
      ...(read("opencode", "before-write.json") as object),
      parentID: "ses_1",
      agent: "general",
    };
    const { actor, session } = guardedClients.opencode.parse(payload, at);
    expect(actor).toEqual({ agentId: session, agentType: "general" });
  });
});

describe("the outcome of a call", () => {
  it.each<[Name, string, boolean, string]>([
    ["claude", "PostToolUseFailure.Bash.json", true, "Exit code 1\n/repo/sub"],
    ["claude", "PostToolUse.Bash.json", false, ""],
    ["codex", "post-shell.json", false, "line one\nline 2 FORBIDDEN\nline three\n"],
    ["copilot", "post-create.json", false, "Created file /repo/new.txt with 6 characters"],
    ["opencode", "after-edit.json", false, "Edit applied successfully."],
  ])("is read from %s: %s", (client, file, failed, text) => {
    expect(parse(client, file).outcome).toEqual({ failed, text });
  });
});

describe("Cursor's payloads, from its documentation", () => {
  const base = { conversation_id: "c1", workspace_roots: ["/repo/w"] };
  it.each<[object, Partial<ToolCall>]>([
    [
      {
        hook_event_name: "preToolUse",
        tool_name: "Shell",
        tool_input: { command: "ls", working_directory: "/repo/x" },
      },
      { event: "before-tool", operation: shell("ls"), folder: "/repo/x" },
    ],
    [
      { hook_event_name: "beforeShellExecution", command: "ls", cwd: "/repo/y" },
      { event: "before-tool", operation: shell("ls"), folder: "/repo/y" },
    ],
    [
      { hook_event_name: "preToolUse", tool_name: "Write", tool_input: { path: "a.ts", contents: "x" } },
      { operation: write("a.ts", "create", 1), folder: "/repo/w" },
    ],
    [
      {
        hook_event_name: "beforeMCPExecution",
        tool_name: "wait",
        tool_input: '{"file":"a.ts"}',
        command: "node server",
      },
      { operation: { kind: "unknown", reads: false, paths: ["a.ts"], commands: [], texts: [] } },
    ],
    [
      { hook_event_name: "beforeReadFile", file_path: "/repo/a.ts", content: "secret" },
      { operation: { kind: "read", paths: ["/repo/a.ts"], search: null } },
    ],
    [{ hook_event_name: "stop", status: "completed", loop_count: 0 }, { event: "stop" }],
  ])("are parsed: %j", (payload, expected) => {
    expect(guardedClients.cursor.parse({ ...base, ...payload }, at)).toMatchObject({
      session: "c1",
      ...expected,
    });
  });
});

describe("an answer", () => {
  const allow: GuardAnswer = { allow: true, reason: "" };
  const deny: GuardAnswer = { allow: false, reason: "not yours" };
  const context: GuardAnswer = { allow: true, reason: "", context: "you are T-1" };
  const goOn: GuardAnswer = { allow: true, reason: "", goOn: "the worklog is missing" };
  const claudeDeny = (reason = "not yours") => ({
    hookSpecificOutput: {
      hookEventName: "PreToolUse",
      permissionDecision: "deny",
      permissionDecisionReason: reason,
    },
  });
  const answerTo = (client: Name, file: string, answer: GuardAnswer) => {
    const payload = read(client, file);
    const { parse: understand, render } = guardedClients[client];
    return render(answer, understand(payload, at), payload);
  };
  const beside = (hookEventName: string, additionalContext: string) => ({
    hookSpecificOutput: { hookEventName, additionalContext },
  });

  it.each<[Name, string, object]>([
    ["claude", "PreToolUse.Write.json", claudeDeny()],
    ["claude", "PostToolUse.Bash.json", { decision: "block", reason: "not yours" }],
    ["claude", "ConfigChange.json", { decision: "block", reason: "not yours" }],
    ["codex", "pre-shell.json", claudeDeny()],
    ["gemini", "before-write_file.json", { decision: "deny", reason: "not yours" }],
    ["copilot", "pre-create.json", { permissionDecision: "deny", permissionDecisionReason: "not yours" }],
    ["copilot", "pascal-pre-Write.json", claudeDeny()],
    ["copilot", "claude-settings-pre-Edit-apply_patch-gpt-model.json", claudeDeny()],
    ["opencode", "before-write.json", { allow: false, reason: "not yours" }],
  ])("with a refusal has the document, exit 2 and a reason on stderr: %s, %s", (client, file, document) => {
    const { stdout, stderr, exit } = answerTo(client, file, deny);
    expect({ document: JSON.parse(stdout), stderr, exit }).toEqual({
      document,
      stderr: "not yours\n",
      exit: 2,
    });
  });

  it("with a refusal is in Cursor's own form, in both of its spellings", () => {
    const payload = { hook_event_name: "preToolUse", tool_name: "Write", tool_input: { path: "a" } };
    const { parse: understand, render } = guardedClients.cursor;
    const { stdout, exit } = render(deny, understand(payload, at), payload);
    expect(JSON.parse(stdout)).toEqual({
      permission: "deny",
      userMessage: "not yours",
      agentMessage: "not yours",
      user_message: "not yours",
      agent_message: "not yours",
    });
    expect(exit).toBe(2);
    expect(render(allow, understand(payload, at), payload)).toEqual({ stdout: "{}\n", stderr: "", exit: 0 });
  });

  it.each(["claude", "codex", "gemini", "copilot"] as const)("with an allow is silent: %s", (client) => {
    const answers = payloadsOf(client).map((file) => answerTo(client, file, allow));
    expect(new Set(answers.map((answer) => JSON.stringify(answer)))).toEqual(
      new Set([JSON.stringify({ stdout: "", stderr: "", exit: 0 })]),
    );
  });

  it("with an allow is explicit for OpenCode's plugin", () => {
    expect(answerTo("opencode", "before-write.json", allow)).toEqual({
      stdout: '{"allow":true,"reason":""}\n',
      stderr: "",
      exit: 0,
    });
  });

  it.each<[Name, string, object]>([
    ["claude", "SessionStart.json", beside("SessionStart", "you are T-1")],
    ["claude", "PreToolUse.Write.json", beside("PreToolUse", "you are T-1")],
    ["claude", "PostToolUseFailure.Bash.json", beside("PostToolUseFailure", "you are T-1")],
    ["codex", "session-start.json", beside("SessionStart", "you are T-1")],
    ["codex", "post-shell.json", beside("PostToolUse", "you are T-1")],
    ["gemini", "session-start.json", beside("SessionStart", "you are T-1")],
    ["gemini", "after-replace.json", beside("AfterTool", "you are T-1")],
    ["copilot", "session-start.json", { additionalContext: "you are T-1" }],
    ["copilot", "post-create.json", { additionalContext: "you are T-1" }],
    ["opencode", "event-session.created-main.json", { allow: true, reason: "", context: "you are T-1" }],
  ])("with a message reaches the model: %s, %s", (client, file, document) => {
    const { stdout, exit } = answerTo(client, file, context);
    expect({ document: JSON.parse(stdout), exit }).toEqual({ document, exit: 0 });
  });

  it("to Codex never has a document before an allowed call", () => {
    expect(answerTo("codex", "pre-shell.json", context).stdout).toBe("");
  });

  it.each<[Name, string, object]>([
    ["claude", "Stop.json", { decision: "block", reason: "the worklog is missing" }],
    ["claude", "SubagentStop.subagent.json", { decision: "block", reason: "the worklog is missing" }],
    ["codex", "stop.json", { decision: "block", reason: "the worklog is missing" }],
    ["codex", "subagent-stop.json", { decision: "block", reason: "the worklog is missing" }],
    ["gemini", "after-agent.json", { decision: "deny", reason: "the worklog is missing" }],
    ["copilot", "agent-stop.json", { decision: "block", reason: "the worklog is missing" }],
    ["copilot", "subagent-stop.json", { decision: "block", reason: "the worklog is missing" }],
  ])("that blocks a stop sends the agent back: %s, %s", (client, file, document) => {
    const { stdout, exit } = answerTo(client, file, goOn);
    expect({ document: JSON.parse(stdout), exit }).toEqual({ document, exit: 0 });
  });

  it.each<[Name, string]>([
    ["codex", "post-shell.json"],
    ["gemini", "after-write_file.json"],
    ["copilot", "post-bash.json"],
  ])("after a call adds to its result and hides nothing of it: %s, %s", (client, file) => {
    const { stdout, exit } = answerTo(client, file, deny);
    expect(stdout).toContain('"additionalContext":"not yours"');
    expect(exit).toBe(0);
  });

  it.each(recorded)("never asks a question, and is one JSON document or nothing: %s", (client) => {
    for (const file of payloadsOf(client)) {
      for (const answer of [allow, deny, context, goOn, { allow: false, reason: " " }]) {
        const { stdout, stderr, exit } = answerTo(client, file, answer);
        if (stdout !== "") expect(JSON.stringify(JSON.parse(stdout))).toBe(stdout.trimEnd());
        expect(stdout).not.toContain('"ask"');
        if (exit !== 0) expect({ exit, said: stderr.trim() !== "" }).toEqual({ exit: 2, said: true });
      }
    }
  });
});
