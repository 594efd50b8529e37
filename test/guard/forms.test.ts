import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type HeldGuard, heldGuard } from "../support/held-guard.ts";

interface Row {
  readonly id: string;
  readonly tool: string;
  readonly input: unknown;
  readonly expect: "deny" | "allow";
}

const lines = readFileSync(new URL("../corpus/payloads.jsonl", import.meta.url), "utf8")
  .trim()
  .split("\n");
const rows = lines.map((line) => JSON.parse(line) as Row);

/** A tool call before it runs, as each client sends it. */
const forms: Readonly<Record<string, (tool: string, input: unknown, folder: string) => object>> = {
  claude: (tool_name, tool_input, cwd) => ({
    ...{ session_id: "s1", cwd, hook_event_name: "PreToolUse", tool_use_id: "t1", tool_name, tool_input },
  }),
  codex: (tool_name, tool_input, cwd) => ({
    ...{ session_id: "s1", cwd, hook_event_name: "PreToolUse", tool_use_id: "t1", tool_name, tool_input },
  }),
  gemini: (tool_name, tool_input, cwd) => ({
    ...{ session_id: "s1", cwd, hook_event_name: "BeforeTool", tool_name, tool_input },
  }),
  copilot: (toolName, toolArgs, cwd) => ({ sessionId: "s1", timestamp: 1, cwd, toolName, toolArgs }),
  opencode: (tool, args, cwd) => ({
    ...{ hook: "tool.execute.before", cwd, input: { tool, sessionID: "s1", callID: "c1" }, output: { args } },
  }),
  cursor: (tool_name, tool_input, cwd) => ({
    ...{ hook_event_name: "preToolUse", conversation_id: "s1", cwd, tool_name, tool_input },
  }),
};

let guard: HeldGuard;

beforeAll(async () => {
  guard = await heldGuard();
}, 60_000);
afterAll(() => guard[Symbol.dispose]());

describe.each(Object.entries(forms))("as %s sends it", (client, form) => {
  it.each(rows)("$id gets its answer: $expect $tool $input", async (row) => {
    const { path } = guard.repository;
    const input = JSON.parse(JSON.stringify(row.input).replaceAll("/repo", path));
    const { exit, stderr } = await guard.answer(client, form(row.tool, input, path));
    expect({ exit, stderr }).toMatchObject({ exit: row.expect === "deny" ? 2 : 0 });
    expect(stderr).not.toMatch(/E-INTERNAL/);
  });
});

it("all cases are present, of both kinds", () => {
  expect(rows.filter((row) => row.expect === "deny").length).toBeGreaterThanOrEqual(95);
  expect(rows.filter((row) => row.expect === "allow").length).toBeGreaterThanOrEqual(25);
});
