import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Operation } from "../../src/contract/tool-call.ts";
import { guardedClients } from "../../src/guard/world/guarded-clients.ts";
import { cpuMsSince } from "../support/cpu-time.ts";

const at = { folder: "/repo" };
const callOf = (tool: string, input: unknown) =>
  guardedClients.claude.parse({ hook_event_name: "PreToolUse", tool_name: tool, tool_input: input }, at);
const operationOf = (tool: string, input: unknown) => callOf(tool, input).operation;

/** The paths that the guard would judge as written, and the commands that it would judge as a shell's. */
function judged(operation: Operation): string[] {
  if (operation.kind === "write") return operation.targets.map(({ path }) => path);
  if (operation.kind === "shell") return [operation.command];
  return operation.kind === "unknown" && !operation.reads ? [...operation.paths, ...operation.commands] : [];
}

const patch = (...paths: string[]) =>
  `*** Begin Patch\n${paths.map((path) => `*** Update File: ${path}\n@@\n-a\n+b`).join("\n")}\n*** End Patch`;

describe("a tool of any client", () => {
  it.each<[string, unknown, string[]]>([
    ["Write", { path: "src/b/x.ts", content: "x" }, ["src/b/x.ts"]],
    ["Write", { file_path: "src/a/ok.ts", path: "src/b/x.ts", content: "x" }, ["src/a/ok.ts", "src/b/x.ts"]],
    ["MultiEdit", { file_path: "a.ts", edits: [{ old_string: "a", new_string: "b" }] }, ["a.ts"]],
    ["NotebookEdit", { notebook_path: "n.ipynb", new_source: "x" }, ["n.ipynb"]],
    ["create_file", { filePath: "a.ts", content: "x" }, ["a.ts"]],
    ["create_directory", { dirPath: "src/new" }, ["src/new"]],
    ["insert_edit_into_file", { filePath: "a.ts", code: "x", explanation: "y" }, ["a.ts"]],
    [
      "multi_replace_string_in_file",
      { replacements: [{ filePath: "a.ts" }, { filePath: "b.ts" }] },
      ["a.ts", "b.ts"],
    ],
    ["editFiles", { files: ["a.ts", "b.ts"] }, ["a.ts", "b.ts"]],
    ["edit_file", { target_file: "a.ts", code_edit: "x" }, ["a.ts"]],
    ["search_replace", { file_path: "a.ts", old_string: "a", new_string: "b" }, ["a.ts"]],
    ["delete_file", { target_file: "a.ts" }, ["a.ts"]],
    ["move_file", { source: "src/a.ts", destination: "src/b.ts" }, ["src/a.ts", "src/b.ts"]],
    ["default_api:write_file", { file_path: "a.ts", content: "x" }, ["a.ts"]],
    ["str_replace_editor", { command: "create", path: "a.ts", file_text: "x" }, ["a.ts"]],
    ["apply_patch", { command: patch("a", "b") }, ["a", "b"]],
    ["apply_patch", { patchText: patch("a") }, ["a"]],
    ["apply_patch", { anything: { deep: patch("a") } }, ["a"]],
    ["apply_patch", patch("a"), ["a"]],
    ["Edit", patch("a"), ["a"]],
    ["create", JSON.stringify({ path: "a.ts", file_text: "x" }), ["a.ts"]],
    ["EnterWorktree", { name: "w" }, [".claude/worktrees"]],
    ["Monitor", { command: "echo hi > x" }, ["echo hi > x"]],
    ["shell", { command: ["bash", "-lc", "echo hi > x"] }, ["bash -lc 'echo hi > x'"]],
    ["exec_command", { cmd: "echo hi > x" }, ["echo hi > x"]],
    ["PowerShell", { command: "Set-Content x hi" }, ["pwsh -Command 'Set-Content x hi'"]],
    ["write_stdin", { session_id: 1, chars: "echo hi > x\n" }, ["echo hi > x"]],
    ["write_bash", { shellId: "s", input: "echo hi > x{enter}" }, ["echo hi > x"]],
    [
      "batch",
      {
        tool_calls: [
          { tool: "read", parameters: { filePath: "r.ts" } },
          { tool: "write", parameters: { filePath: "w.ts", content: "x" } },
          { tool: "bash", parameters: { command: "echo > y", workdir: "src/b" } },
        ],
      },
      ["w.ts", "cd src/b\necho > y"],
    ],
  ])("is known to every parser: %s %j", (tool, input, expected) => {
    expect(judged(operationOf(tool, input))).toEqual(expected);
    for (const { parse } of Object.values(guardedClients)) {
      const { operation } = parse({ hook_event_name: "PreToolUse", tool_name: tool, tool_input: input }, at);
      expect(judged(operation)).toEqual(expected);
    }
  });

  it.each<[string, unknown]>([
    ["str_replace_editor", { command: "view", path: "a.ts" }],
    ["view", { path: "a.ts" }],
    ["list_directory", { dir_path: "a.ts" }],
    ["Grep", { pattern: "x", path: "a.ts", output_mode: "content" }],
    ["Glob", { pattern: "**/*.ts", path: "a.ts" }],
  ])("that only reads has no write: %s %j", (tool, input) => {
    expect(operationOf(tool, input)).toMatchObject({ kind: "read", paths: ["a.ts"] });
  });

  it.each<[string, unknown]>([
    ["TodoWrite", { todos: [{ content: "edit src/b/x.ts", status: "pending" }] }],
    ["AskUserQuestion", { questions: [] }],
    ["WebFetch", { url: "https://example.org/x", prompt: "p" }],
    ["write_stdin", { session_id: 1, chars: "" }],
    ["write_stdin", { session_id: 1, chars: "\u0003" }],
    ["write_bash", { shellId: "s", input: "{down}{enter}" }],
  ])("that touches no file has no effect here: %s %j", (tool, input) => {
    expect(operationOf(tool, input)).toEqual({ kind: "none" });
  });

  it.each<[string, unknown]>([
    ["Write", {}],
    ["Write", undefined],
    ["Bash", { description: "nothing" }],
    ["apply_patch", { command: "no patch" }],
    ["write_bash", { shellId: "s", input: "echo x{left}{left}> {enter}" }],
    ["batch", { tool_calls: [{ parameters: {} }] }],
    ["Write", JSON.parse(`${'{"a":'.repeat(200)}1${"}".repeat(200)}`)],
  ])("without its required fields is malformed: %s", (tool, input) => {
    expect(operationOf(tool, input).kind).toBe("malformed");
  });

  it("keeps `..` in its folder as it is written, to be resolved on disk", () => {
    expect(callOf("bash", { command: "ls", workdir: "src/link/.." }).folder).toBe("/repo/src/link/..");
  });
});

describe("an unknown tool", () => {
  it.each<[string, unknown, string[]]>([
    ["FutureWriteTool", { target: "/repo/src/b/x.ts" }, ["/repo/src/b/x.ts"]],
    ["mcp__filesystem__write_file", { path: "x.ts", content: "x" }, ["x.ts"]],
    ["mcp__fs__move_file", { source: "src/a.ts", destination: "src/b.ts" }, ["src/a.ts", "src/b.ts"]],
    ["mcp__list__put", { filePath: "x.ts" }, ["x.ts"]],
    ["mcp__x__readonly_claims", { path: "x.ts", _annotations: { readOnlyHint: true } }, ["x.ts"]],
    ["mcp__x__get", { path: "x.ts", content: "x" }, ["x.ts"]],
    ["mcp__x__find_and_replace", { path: "x.ts", find: "a" }, ["x.ts"]],
    ["mcp__x__save", { uri: "file:///repo/x.ts" }, ["file:///repo/x.ts"]],
    ["mcp__x__save", { anything: "file:///repo/x.ts" }, ["file:///repo/x.ts"]],
    ["mcp__x__save", { data_path: "x.ts" }, ["x.ts"]],
    ["mcp__x__save", { files: [{ path: "a.ts" }, { path: "b.ts" }] }, ["a.ts", "b.ts"]],
    ["mcp__shell__run", { command: "rm", args: ["-r", "a b"] }, ["rm -r 'a b'"]],
    ["mcp__shell__get_output", { cmd: "echo > x" }, ["echo > x"]],
    ["mcp__x__search", { input: "echo > x" }, ["echo > x"]],
    ["mcp__x__change", { text: patch("a.ts") }, ["a.ts"]],
  ])("is judged by its fields: %s %j", (tool, input, expected) => {
    expect(judged(operationOf(tool, input))).toEqual(expected);
  });

  it.each<[string, unknown]>([
    ["mcp__filesystem__read_file", { path: "x.ts" }],
    ["mcp__fs__listDirectory", { path: "src" }],
    ["mcp__github__get_file_contents", { owner: "o", repo: "r", path: "x.ts" }],
    ["mcp__docs__search", { query: "what's a lock?", path: "docs" }],
    ["mcp__docs__search", { input: "what's a lock?" }],
  ])("reads if its name says so and it has no content: %s %j", (tool, input) => {
    expect(operationOf(tool, input)).toMatchObject({ kind: "unknown", reads: true, commands: [] });
  });

  it.each<[string, unknown, string]>([
    ["mcp__db__query", { sql: "COPY t TO '/repo/src/b/x.ts'" }, "COPY t TO '/repo/src/b/x.ts'"],
    ["mcp__db__query", { query: "COPY t TO '/repo/src/b/x.ts'" }, "COPY t TO '/repo/src/b/x.ts'"],
    ["mcp__x__put", { files: { "src/b/x.ts": "content" } }, "src/b/x.ts"],
    ["mcp__x__put", { whatever: "src/b/x.ts" }, "src/b/x.ts"],
  ])("has its other texts checked: %s %j", (tool, input, text) => {
    const operation = operationOf(tool, input);
    expect(operation).toMatchObject({ kind: "unknown", reads: false });
    const seen = operation.kind === "unknown" ? [...operation.texts, ...operation.paths] : [];
    expect(seen).toContain(text);
  });

  it.each<[string, unknown]>([
    [
      "mcp__github__create_pull_request",
      { owner: "o", repo: "r", head: "feature/x", base: "main", title: "t" },
    ],
    ["mcp__mail__send", { to: "a@example.org", subject: "s", text: "t" }],
    ["mcp__browser__open", { url: "https://example.org/a/b.html", target: "production" }],
    ["mcp__jupyter__insert_cell", { cell_source: "import x from y", index: 3 }],
  ])("writes no file if no field is a path: %s %j", (tool, input) => {
    expect(judged(operationOf(tool, input))).toEqual([]);
  });
});

describe("an arbitrary payload", () => {
  it("is parsed or rejected as malformed, without an exception", () => {
    const names = fc.constantFrom(
      "Write",
      "Bash",
      "apply_patch",
      "batch",
      "mcp__x__y",
      "Read",
      "",
      "__proto__",
    );
    const events = fc.constantFrom(
      "PreToolUse",
      "AfterTool",
      "stop",
      "tool.execute.before",
      "nothing",
      3,
      null,
    );
    const payloads = fc.oneof(
      fc.jsonValue(),
      fc.record({
        hook_event_name: events,
        tool_name: names,
        tool_input: fc.jsonValue(),
        cwd: fc.jsonValue(),
      }),
      fc.record({ toolName: names, toolArgs: fc.jsonValue(), toolResult: fc.jsonValue() }),
      fc.record({ input: fc.record({ tool: names, args: fc.jsonValue() }), output: fc.jsonValue() }),
    );
    fc.assert(
      fc.property(payloads, (payload) => {
        for (const { parse, render } of Object.values(guardedClients)) {
          const call = parse(payload, at);
          const { stdout, exit } = render({ allow: false, reason: "no" }, call, payload);
          if (call.event === "before-tool")
            expect({ exit, said: stdout !== "" }).toEqual({ exit: 2, said: true });
          expect(call.folder.startsWith("/")).toBe(true);
        }
      }),
      { numRuns: 300 },
    );
  });

  it("is parsed in bounded time, even if it is built to be slow", () => {
    const long = (part: string) => part.repeat(1_000_000 / part.length);
    const inputs = [
      { text: long("\n") },
      { output: `${long(".")} ` },
      { command: `diff --git a/${long("x b/")}` },
      { chars: long("\u001b[1;") },
      long('{"a":'),
    ];
    const start = process.cpuUsage();
    for (const input of inputs) {
      for (const tool of ["mcp__x__y", "apply_patch", "write_bash", "Edit"]) operationOf(tool, input);
    }
    expect(cpuMsSince(start)).toBeLessThan(10_000);
  });

  it.each([null, 3, "text", [], {}])("that is not a payload is denied: %j", (payload) => {
    for (const { parse } of Object.values(guardedClients)) {
      expect(parse(payload, at)).toMatchObject({ event: "before-tool", operation: { kind: "malformed" } });
    }
  });
});
