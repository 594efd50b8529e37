import { appendFileSync, chmodSync, existsSync, readFileSync, symlinkSync } from "node:fs";
import { delimiter, join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { AgentEnd, AgentEvent, AgentStart } from "../../src/clients/agent.ts";
import { readError } from "../../src/clients/codex/read-error.ts";
import { CodexReading } from "../../src/clients/codex/read-stream.ts";
import { codexAgent } from "../../src/clients/codex/run.ts";
import { ThreadUsage } from "../../src/clients/codex/thread-usage.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { PATH, started } from "./started-agent.ts";

// Recorded from 0.166.0, without the parts that the product does not read.
const thread = "01a1e04c-f1ad-7903-8d25-1530bc4cd322";
const begins = [{ type: "thread.started", thread_id: thread }, { type: "turn.started" }];
const item = (type: string, more: object) => ({ id: "item_1", type, ...more });
const begun = (one: object) => ({ type: "item.started", item: { ...one, status: "in_progress" } });
const ended = (one: object) => ({ type: "item.completed", item: { status: "completed", ...one } });
const says = (text: string) => ended(item("agent_message", { text }));
const command = "/bin/bash -lc 'npm test'";
const completed = {
  type: "turn.completed",
  usage: {
    ...{ input_tokens: 4000, cached_input_tokens: 1600, cache_write_input_tokens: 0 },
    ...{ output_tokens: 200, reasoning_output_tokens: 20 },
  },
};
const failed = (message: string) => [
  { type: "error", message: `Reconnecting... 1/5 (${message})` },
  { type: "turn.failed", error: { message } },
];

function read(exit: number, ...messages: unknown[]): { events: AgentEvent[]; end: AgentEnd | undefined } {
  const reading = new CodexReading(new ThreadUsage("/nowhere"));
  const events = messages.flatMap((message) => reading.read(message));
  return { events, end: reading.end({ exit }) };
}

describe("the output of codex", () => {
  it("has the conversation, its messages and actions, and its answer", () => {
    const run = item("command_execution", { command, aggregated_output: "", exit_code: null });
    const patch = item("file_change", { changes: [{ path: "/project/A.txt", kind: "add" }] });
    const { events, end } = read(
      0,
      ...begins,
      says("I will look."),
      begun(run),
      ended({ ...run, aggregated_output: "x".repeat(3000), exit_code: 1, status: "failed" }),
      begun(patch),
      ended(patch),
      says('Done.\n{"status":"OK"}'),
      completed,
    );
    expect(events).toEqual([
      { type: "conversation", id: thread },
      { type: "said", text: "I will look." },
      { type: "tool", name: "command_execution", text: command, input: { command } },
      { type: "tool-result", text: "x".repeat(2000) },
      {
        ...{ type: "tool", name: "file_change", text: "add /project/A.txt" },
        input: { changes: [{ path: "/project/A.txt", kind: "add" }] },
      },
      { type: "tool-result", text: "completed" },
      { type: "said", text: 'Done.\n{"status":"OK"}' },
      { type: "usage", tokens: 2600, input: 2400, cached: 1600, output: 200, turns: 3 },
    ]);
    expect(end).toEqual({ how: "done", answer: { status: "OK" } });
  });

  it("has a call of which codex reports only the end", () => {
    const { events } = read(0, ended(item("web_search", { query: "lockstep" })));
    expect(events.map(({ type }) => type)).toEqual(["tool", "tool-result"]);
  });

  it("has calls to other servers and their answers", () => {
    const call = item("mcp_tool_call", { server: "docs", tool: "find", arguments: { query: "x" } });
    const result = { content: [{ type: "text", text: "found" }] };
    expect(read(0, begun(call), ended({ ...call, result })).events).toEqual([
      { type: "tool", name: "docs.find", text: "x", input: { query: "x" } },
      { type: "tool-result", text: "found" },
    ]);
  });

  it("has no end if it breaks off", () => {
    expect(read(1, ...begins, says('{"status":"OK"}')).end).toBeUndefined();
  });

  it.each<[string, unknown]>([
    ["of another kind", { type: "turn.started" }],
    ["without its parts", { type: "item.completed" }],
    ["with parts of other kinds", { type: "thread.started", thread_id: 7 }],
    ["that is null", null],
  ])("ignores a message %s", (_, message) => {
    expect(read(1, message)).toEqual({ events: [], end: undefined });
  });
});

describe("the usage of a thread", () => {
  const total = (input: number, cached: number, output: number) => ({
    ...{ input_tokens: input, cached_input_tokens: cached, output_tokens: output },
    total_tokens: input + output,
  });
  const counted = (...of: Parameters<typeof total>) =>
    `${JSON.stringify({ type: "event_msg", payload: { type: "token_count", info: { total_token_usage: total(...of) } } })}\n`;
  const record = `sessions/2026/11/15/rollout-2026-11-15T17-41-41-${thread}.jsonl`;
  const usage = (input: number, cached: number, output: number) => [
    { type: "usage", tokens: input + output, input, cached, output },
  ];

  it("is reported from its record while it works, and the rest at the end", () => {
    using home = temporaryFolder();
    const used = new ThreadUsage(home.path);
    used.follow(thread);
    expect(used.recorded()).toEqual([]);
    const said = `${JSON.stringify({ type: "response_item", payload: { text: '"token_count"' } })}\n`;
    home.write(record, `${counted(1000, 400, 50)}${said}${counted(2000, 800, 100).slice(0, 40)}`);
    expect(used.recorded()).toEqual(usage(600, 400, 50));
    expect(used.recorded()).toEqual([]);
    appendFileSync(join(home.path, record), counted(2000, 800, 100).slice(40));
    expect(used.recorded()).toEqual(usage(600, 400, 50));
    expect(used.ofTotal(total(3000, 1200, 150))).toEqual(usage(600, 400, 50));
    expect(used.ofTotal(total(3000, 1200, 150))).toEqual([]);
  });

  it("is reported before the tools of an answer run, if the record has it by then, and not again after them", () => {
    const recorded = (thread_id: string, ...of: Parameters<typeof total>) =>
      `${JSON.stringify({ type: "token_usage_record", payload: { thread_id, usage: total(1, 0, 1), thread_token_usage: total(...of) } })}\n`;
    using home = temporaryFolder({ [record]: recorded(thread, 1000, 400, 50) });
    const used = new ThreadUsage(home.path);
    used.follow(thread);
    expect(used.recorded()).toEqual(usage(600, 400, 50));
    appendFileSync(join(home.path, record), counted(1000, 400, 50) + recorded("another", 9000, 0, 900));
    expect(used.recorded()).toEqual([]);
    appendFileSync(join(home.path, record), recorded(thread, 1500, 400, 60));
    expect(used.recorded()).toEqual(usage(500, 0, 10));
  });

  it("from before a resume is not reported again", () => {
    using home = temporaryFolder({ [record]: `${counted(1000, 400, 50)}${counted(4000, 1600, 200)}` });
    const used = new ThreadUsage(home.path, thread);
    used.follow(thread);
    expect(used.recorded()).toEqual([]);
    expect(used.ofTotal(total(5000, 2000, 250))).toEqual(usage(600, 400, 50));
  });
});

describe("a record of threads that an agent could have tampered with", () => {
  it("is not followed in a circle of links, and may be missing", () => {
    using home = temporaryFolder({ "sessions/2026/x": "", "file/sessions": "" });
    for (const name of ["10", "11", "12"]) symlinkSync(".", join(home.path, "sessions", name));
    expect(new ThreadUsage(home.path, thread).recorded()).toEqual([]);
    expect(new ThreadUsage(join(home.path, "file"), thread).recorded()).toEqual([]);
  });
});

describe("a codex that cannot continue", () => {
  it.each<[string, AgentEnd["how"]]>([
    ["You’ve hit your usage limit. Upgrade to Pro or try again later.", "limited"],
    ["Quota exceeded. Check your plan and billing details.", "limited"],
    ["exceeded retry limit, last status: 429 Too Many Requests", "limited"],
    ["To use Codex with your ChatGPT plan, upgrade to Plus: https://example.com", "limited"],
    ["unexpected status 401 Unauthorized: Incorrect API key provided", "unauthenticated"],
    ["Missing environment variable: `SOME_KEY`.", "unauthenticated"],
    ["Your access token could not be refreshed. Please log out and sign in again.", "unauthenticated"],
    ["unexpected status 503 Service Unavailable: overloaded", "unavailable"],
    ["stream disconnected before completion: no name", "unavailable"],
    ["Connection failed: error sending request", "unavailable"],
    ['{"error":{"message":"no such model"}}', "failed"],
  ])("with the message %j is %s", (message, how) => {
    expect(read(1, ...begins, ...failed(message)).end).toMatchObject({ how, reason: message });
  });

  const now = new Date(2026, 10, 15, 17, 45, 20);
  it.each<[string, Date | null]>([
    ["try again at 10:00 PM.", new Date(2026, 10, 15, 22, 1)],
    ["try again at 12:05 AM.", new Date(2026, 10, 15, 0, 6)],
    ["try again at Nov 18th, 2026 5:47 PM.", new Date(2026, 10, 18, 17, 48)],
    ["try again at Jan 1st, 2027 12:30 AM.", new Date(2027, 0, 1, 0, 31)],
    ["try again in 2 days 3 hours", new Date(2026, 10, 17, 20, 45, 20)],
    ["try again later.", null],
  ])("for lack of quota rests as long as its message says: %s", (text, until) => {
    expect(readError(`You’ve hit your usage limit. Upgrade to Pro or ${text}`, now)).toMatchObject({ until });
  });
});

describe("codex", () => {
  afterEach(() => void vi.unstubAllEnvs());

  /** A program called codex that records how it was started and prints the given text. */
  function program(...printed: unknown[]) {
    const folder = temporaryFolder({
      printed: printed.map((one) => `${JSON.stringify(one)}\n`).join(""),
      "bin/codex": [
        "#!/bin/sh",
        `case "$*" in`,
        `--version) echo 'codex-cli 0.166.0'; exit;;`,
        `"login status") echo 'Not logged in' >&2; exit 1;;`,
        "esac",
        `here=$(dirname "$0")/..; printf '%s\\n' "$@" > "$here/words"; cat > "$here/input"`,
        `cat "$here/printed"`,
      ].join("\n"),
    });
    chmodSync(join(folder.path, "bin/codex"), 0o755);
    const path = `${join(folder.path, "bin")}${delimiter}${PATH}`;
    const home = join(folder.path, "state");
    vi.stubEnv("PATH", path);
    vi.stubEnv("CODEX_HOME", home);
    vi.stubEnv("CODEX_API_KEY", undefined);
    const file = (name: string) => readFileSync(join(folder.path, name), "utf8");
    const start = (more: Partial<AgentStart> = {}, settings: object = {}) =>
      started(codexAgent({ model: null, args: [], env: {}, ...settings }), {
        ...{ env: { PATH: path }, folder: folder.path, prompt: "the prompt" },
        ...more,
      });
    return { ...folder, home, file, start };
  }
  const client = () => codexAgent({ model: null, args: [], env: {} });

  it("gets its prompt on stdin, works without asking inside a policy, and is followed to its answer", async () => {
    using fake = program(...begins, says('{"status":"OK"}'), completed);
    const { end, events } = await fake.start({ sandboxed: true });
    expect(end).toEqual({ how: "done", answer: { status: "OK" } });
    expect(events[0]).toEqual({ type: "conversation", id: thread });
    expect(fake.file("input")).toBe("the prompt");
    const words = fake.file("words");
    expect(words).toContain("\n--dangerously-bypass-approvals-and-sandbox\n");
    expect(words).toContain(`\nprojects={"${fake.path}"={trust_level="untrusted"}}\n`);
    expect(words).toMatch(/^exec\n--json\n[\s\S]*\n-\n$/);
    expect(words).not.toMatch(/sandbox_mode|--model|resume/);
  });

  it("without a policy uses its own sandbox", async () => {
    using fake = program(completed);
    await fake.start();
    expect(fake.file("words")).toMatch(/\napproval_policy="never"\n-c\nsandbox_mode="workspace-write"\n/);
    expect(fake.file("words")).not.toContain("dangerously");
  });

  it("continues a conversation, with the model and the arguments of the configuration", async () => {
    using fake = program(completed);
    fake.write("AGENTS.md", "Indent with three spaces.\n");
    await fake.start({ resume: thread }, { model: "gpt-5.5", args: ["-c", "x=1"] });
    expect(fake.file("words")).toMatch(new RegExp(`\n--model\ngpt-5.5\n-c\nx=1\nresume\n${thread}\n-\n$`));
    expect(fake.file("input")).toBe("the prompt");
    expect(client().resumeCommand?.(thread)).toEqual(["codex", "resume", thread]);
  });

  it("gets a note about instructions that it does not read by itself", async () => {
    using fake = program(completed);
    fake.write("AGENTS.md", "Indent with three spaces.\n");
    await fake.start();
    expect(fake.file("input")).toMatch(/^`AGENTS\.md` has .*\n\nthe prompt$/);
  });

  it("is usable with a key, and the probe creates nothing in its folder", async () => {
    using fake = program();
    vi.stubEnv("CODEX_API_KEY", "k");
    expect(await client().probe()).toMatchObject({ usable: true, version: "0.166.0" });
    expect(client().home?.folders).toMatchObject([{ path: fake.home }]);
    expect(existsSync(fake.home)).toBe(false);
  });

  it("is usable with another provider, whose key it gets", async () => {
    using fake = program();
    const settings = 'model_provider = "other"\n[model_providers.other]\nenv_key = "OTHER_KEY"\n';
    fake.write("state/config.toml", settings);
    expect(await client().probe()).toMatchObject({ usable: true });
    expect(client().passes).toContain("OTHER_KEY");
    expect(fake.file("state/config.toml")).toBe(settings);
  });

  it("is not usable if it is not logged in", async () => {
    using fake = program();
    expect(await client().probe()).toEqual({
      ...{ usable: false, why: "unauthenticated" },
      reason: "`codex` is not logged in: run `codex login`, or set CODEX_API_KEY",
    });
    expect(existsSync(fake.home)).toBe(false);
  });

  it("is not usable if it is missing or broken", async () => {
    using fake = program();
    fake.write("bin/codex", "#!/bin/sh\necho no library\nexit 1\n");
    expect(await client().probe()).toMatchObject({ usable: false, why: "broken" });
    vi.stubEnv("PATH", join(fake.path, "empty"));
    expect(await client().probe()).toMatchObject({ usable: false, why: "missing" });
  });
});
