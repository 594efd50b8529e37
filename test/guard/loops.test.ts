import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { operate } from "../../src/engine/operate.ts";
import { type HeldGuard, heldGuard } from "../support/held-guard.ts";
import { person } from "../support/memory-engine.ts";

let held: HeldGuard;
let calls = 0;

beforeEach(async () => {
  held = await heldGuard();
  // The budget that the numbers of C-19 belong to.
  held.repository.write(".lockstep/config.yaml", "limits: { tokens: { warn: 35000, halt: 50000 } }\n");
  await use("Bash", { command: "lockstep claim T-A" });
});
afterEach(() => held[Symbol.dispose]());

interface How {
  readonly agent?: string;
  readonly gives?: string;
  readonly started?: true;
}

/** A call of a subagent in a person's session, before and after: `refused: …`, its message, or nothing. */
async function use(tool: string, input: object, { agent = "one", gives, started }: How = {}) {
  calls += 1;
  const call = {
    ...{ session_id: "s1", cwd: held.repository.path, tool_name: tool, tool_input: input },
    ...{ agent_id: agent, agent_type: "worker", tool_use_id: `call-${calls}` },
  };
  const ask = started ? held.answer : held.answerPerson;
  const before = await ask("claude", { ...call, hook_event_name: "PreToolUse" });
  if (before.exit !== 0) return `refused: ${before.stderr.split("\n")[0]}`;
  const response = { stdout: gives ?? `output ${calls}` };
  const after = await ask("claude", { ...call, hook_event_name: "PostToolUse", tool_response: response });
  const results = after.stdout === "" ? {} : JSON.parse(after.stdout);
  return String(results.hookSpecificOutput?.additionalContext ?? "");
}

const edit = (path: string, how?: How) =>
  use(
    "Edit",
    { file_path: join(held.repository.path, path), old_string: "x", new_string: String(calls) },
    how,
  );
const fetched = (how?: How) => use("WebFetch", { url: `https://127.0.0.1/${calls}`, prompt: "x" }, how);

/** The results of a number of calls, in order. */
async function times(count: number, act: () => Promise<string>): Promise<readonly string[]> {
  const results: string[] = [];
  for (let at = 0; at < count; at += 1) results.push(await act());
  return results;
}

const silent = (count: number) => Array.from({ length: count }, () => "");
const warning = (what: string) => expect.stringContaining(`you may be going round in circles: ${what}`);
const halt = (what: string) =>
  expect.stringMatching(new RegExp(`^refused: R-BG-001: task \`T-A\` is in a loop: ${what}.*: stop, and `));

/** A call before it runs, as each client sends it: its shell tool, and an edit of a file. */
const forms: Readonly<Record<string, (name: string, input: object) => object>> = {
  codex: (tool_name, tool_input) => ({
    ...{ session_id: "s2", cwd: held.repository.path, hook_event_name: "PreToolUse" },
    ...{ tool_use_id: `call-${calls}`, tool_name, tool_input },
  }),
  gemini: (tool_name, tool_input) => ({
    ...{ session_id: "s2", cwd: held.repository.path, hook_event_name: "BeforeTool", tool_name, tool_input },
  }),
  copilot: (toolName, toolArgs) => ({ sessionId: "s2", cwd: held.repository.path, toolName, toolArgs }),
  opencode: (tool, args) => ({
    ...{ hook: "tool.execute.before", cwd: held.repository.path, output: { args } },
    input: { tool, sessionID: "s2", callID: `call-${calls}` },
  }),
};
const patch = "*** Begin Patch\n*** Update File: src/b/x.ts\n@@\n-x\n+y\n*** End Patch\n";

describe("edits of one file are counted, whatever the client names them", () => {
  it.each([
    ["codex", "Bash", "apply_patch", { command: patch }],
    ["gemini", "run_shell_command", "replace", { file_path: "src/b/x.ts", old_string: "x" }],
    ["copilot", "bash", "edit", { path: "src/b/x.ts", old_str: "x" }],
    ["opencode", "bash", "edit", { filePath: "src/b/x.ts", oldString: "x" }],
  ])("%s", async (client, shell, tool, input) => {
    const form = forms[client] as (typeof forms)[string];
    const ask = async (name: string, given: object) => {
      calls += 1;
      const { exit, stderr } = await held.answerPerson(client, form(name, given));
      return exit === 0 ? "" : stderr.split(": ")[0];
    };
    expect(await ask(shell, { command: "lockstep claim T-B" })).toBe("");
    const results: unknown[] = [];
    // No two of them are the same call.
    for (let at = 0; at < 20; at += 1) results.push(await ask(tool, { ...input, new_string: `y${at}` }));
    expect(results).toEqual([...silent(19), "R-BG-001"]);
  });
});

describe("an agent with a task in a person's session", () => {
  it("is warned at fifteen edits of a file and refused at twenty, and may edit other files", async () => {
    expect(await times(22, () => edit("src/a/x.ts"))).toEqual([
      ...silent(14),
      warning("the agent edited"),
      ...silent(4),
      ...Array.from({ length: 3 }, () =>
        halt("the agent edited .* 2\\d times in one attempt, which is the limit"),
      ),
    ]);
    expect(await edit("src/a/in.ts")).toBe("");
    const events = await held.repository.withEngine(({ ledger }) => ledger.events({ type: "guard.refused" }));
    expect(events).toHaveLength(3);
    expect(events[0]).toMatchObject({ task: "T-A", data: { code: "R-BG-001", tool: "Edit" } });
  });

  it("is warned at eight fetches and refused at ten", async () => {
    expect(await times(11, fetched)).toEqual([
      ...silent(7),
      warning("the agent fetched 8 times"),
      "",
      halt("the agent fetched 10 times"),
      halt("the agent fetched 11 times"),
    ]);
  });

  it("is warned about the same call three times without a new result, and refused after ten such steps", async () => {
    const again = () => use("Bash", { command: "cat src/a/x.ts" }, { gives: "x" });
    expect(await times(11, again)).toEqual([
      ...silent(2),
      warning("the agent called `Bash` 3 times with the same arguments"),
      ...silent(7),
      halt("the agent repeated itself for 10 steps"),
    ]);
    expect(await use("Bash", { command: "cat src/a/in.ts" })).toBe("");
  });

  it("may repeat a call as long as its output changes", async () => {
    expect(await times(15, () => use("Bash", { command: "cat src/a/x.ts" }))).toEqual(silent(15));
  });

  it("is counted once if two hooks report the same call", async () => {
    const call = {
      ...{ session_id: "s1", cwd: held.repository.path, agent_id: "one", agent_type: "worker" },
      ...{ hook_event_name: "PreToolUse", tool_name: "WebFetch", tool_input: { url: "https://127.0.0.1/" } },
    };
    for (let at = 0; at < 9; at += 1)
      for (const _hook of ["first", "second"])
        expect(await held.answerPerson("claude", { ...call, tool_use_id: `same-${at}` })).toMatchObject({
          exit: 0,
        });
  });

  it("is counted separately, and from zero after the next dispatch", async () => {
    await times(9, fetched);
    expect(await fetched()).toEqual(halt("the agent fetched 10 times"));
    await use("Bash", { command: "lockstep claim T-B" }, { agent: "two" });
    expect(await fetched({ agent: "two" })).toBe("");
    await held.repository.withEngine((engine) => operate(engine, "release", { task: "T-A" }, person));
    await held.repository.dispatch("T-A", ["src/a/**"], { context_revision: 2 });
    await use("Bash", { command: "lockstep claim T-A" });
    expect(await fetched()).toBe("");
  });

  it("has higher limits if the budget of its task is larger", async () => {
    held.repository.write(".lockstep/config.yaml", "limits: { tokens: { warn: 70000, halt: 100000 } }\n");
    const results = await times(20, fetched);
    expect(results.slice(0, 15)).toEqual(silent(15));
    expect(results[15]).toEqual(warning("the agent fetched 16 times"));
    expect(results[19]).toEqual(halt("the agent fetched 20 times"));
  });
});

it("an agent that Lockstep started is counted by its own process, not here", async () => {
  expect(await times(12, () => fetched({ started: true, agent: "three" }))).toEqual(silent(12));
});
