import { chmodSync, existsSync, readFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { AgentEnd, AgentEvent, AgentStart } from "../../src/clients/agent.ts";
import { ClaudeReading } from "../../src/clients/claude/read-stream.ts";
import { readResetTime } from "../../src/clients/claude/reset-time.ts";
import { claudeAgent } from "../../src/clients/claude/run.ts";
import { assignmentOf, universalInput } from "../../src/clients/input/universal-input.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { PATH, started } from "./started-agent.ts";

// Recorded from 2.1.325, without the parts that the product does not read.
const id = "f478eb17-427e-41c4-8d4f-18aa9991dad3";
const init = { type: "system", subtype: "init", session_id: id, tools: ["Bash"], model: "claude-opus-5-5" };
const read1 = {
  input_tokens: 100,
  cache_read_input_tokens: 50,
  cache_creation_input_tokens: 0,
  output_tokens: 1,
};
const part = (event: unknown) => ({ type: "stream_event", event, parent_tool_use_id: null, session_id: id });
const begun = (message: string, usage: unknown) =>
  part({ type: "message_start", message: { id: message, content: [], usage } });
const written = (output_tokens: number) =>
  part({ type: "message_delta", delta: { stop_reason: "tool_use" }, usage: { output_tokens } });
const assistant = (message: string, block: unknown, usage: unknown = read1, more: unknown = {}) => ({
  type: "assistant",
  message: { id: message, type: "message", role: "assistant", content: [block], usage },
  parent_tool_use_id: null,
  session_id: id,
  ...(more as object),
});
const toolUse = (name: string, input: unknown) => ({ type: "tool_use", id: "toolu_1", name, input });
const toolResult = (content: unknown) => ({
  type: "user",
  message: {
    role: "user",
    content: [{ tool_use_id: "toolu_1", type: "tool_result", content, is_error: false }],
  },
  tool_use_result: { stdout: "hi", originalFile: "long" },
});
const spent = (inputTokens: number, outputTokens: number, cacheReadInputTokens: number, costUSD: number) => ({
  "claude-opus-5-5": {
    inputTokens,
    outputTokens,
    cacheReadInputTokens,
    cacheCreationInputTokens: 0,
    costUSD,
  },
});
const result = (text: string, more: object = {}) => ({
  ...{ type: "result", subtype: "success", is_error: false, api_error_status: null, session_id: id },
  ...{ result: text, total_cost_usd: 0.5, modelUsage: spent(9000, 9000, 9000, 0.5) },
  model_usage_since_last_result: spent(220, 27, 110, 0.0014),
  ...more,
});

function read(...messages: unknown[]): { readonly events: AgentEvent[]; readonly end: AgentEnd | undefined } {
  const reading = new ClaudeReading();
  const events = messages.flatMap((message) => reading.read(message));
  return { events, end: reading.end() };
}

describe("the output of claude", () => {
  it("has the conversation, its messages and actions, and its answer", () => {
    const { events, end } = read(
      init,
      assistant("msg_1", { type: "text", text: "I write." }),
      assistant("msg_1", toolUse("Bash", { command: "npm test\nls", description: "runs the tests" })),
      assistant("msg_1", toolUse("Write", { file_path: "/project/A.txt", content: "x\n" })),
      toolResult("hi"),
      toolResult([{ type: "text", text: "x".repeat(3000) }]),
      result('Done.\n```json\n{"status":"OK"}\n```'),
    );
    expect(events.filter(({ type }) => type !== "usage")).toEqual([
      { type: "conversation", id },
      { type: "said", text: "I write." },
      {
        ...{ type: "tool", name: "Bash", text: "npm test" },
        input: { command: "npm test\nls", description: "runs the tests" },
      },
      {
        type: "tool",
        name: "Write",
        text: "/project/A.txt",
        input: { file_path: "/project/A.txt", content: "x\n" },
      },
      { type: "tool-result", text: "hi" },
      { type: "tool-result", text: "x".repeat(2000) },
    ]);
    expect(end).toEqual({ how: "done", answer: { status: "OK" } });
  });

  it("has the structured answer, if there is one", () => {
    const { end } = read(init, result("prose", { structured_output: { status: "OK" } }));
    expect(end).toEqual({ how: "done", answer: { status: "OK" } });
  });

  it("keeps its answer if the end of a background command makes claude continue", () => {
    const { end } = read(init, result('{"status":"OK"}'), result("The background command ended."));
    expect(end).toEqual({ how: "done", answer: { status: "OK" } });
  });

  it("has no end if it breaks off", () => {
    expect(read(init, assistant("msg_1", { type: "text", text: '{"status":"OK"}' })).end).toBeUndefined();
  });

  it("shows that claude repeats a request to the server", () => {
    const retry = { type: "system", subtype: "api_retry", attempt: 1, max_retries: 10, retry_delay_ms: 1126 };
    expect(read({ ...retry, error_status: 529, error: "overloaded" }).events).toEqual([
      { type: "said", text: "the server answered 529 (overloaded): retrying in 2 s" },
    ]);
  });

  it.each<[string, unknown]>([
    ["of another kind", { type: "system", subtype: "status", status: "requesting" }],
    ["without its parts", { type: "assistant" }],
    ["with parts of other kinds", { type: "user", message: { content: [7, null, "x"] } }],
    ["that is null", null],
  ])("ignores a message %s", (_, message) => {
    expect(read(message)).toEqual({ events: [], end: undefined });
  });
});

describe("the usage that claude reports", () => {
  const total = (events: readonly AgentEvent[]) => {
    const all = events.filter((event) => event.type === "usage");
    const sum = (name: "tokens" | "input" | "cached" | "output" | "costUsd") =>
      all.reduce((before, usage) => before + (usage[name] ?? 0), 0);
    return [sum("tokens"), sum("input"), sum("cached"), sum("output"), sum("costUsd")];
  };
  const twoMessages = [
    begun("msg_1", read1),
    assistant("msg_1", { type: "text", text: "I write." }),
    assistant("msg_1", toolUse("Bash", { command: "ls" })),
    written(20),
    begun("msg_2", { ...read1, input_tokens: 120, cache_read_input_tokens: 60 }),
    assistant(
      "msg_2",
      { type: "text", text: "done" },
      { ...read1, input_tokens: 120, cache_read_input_tokens: 60 },
    ),
    written(7),
  ];

  it("counts once, although each message and the end repeat it", () => {
    expect(total(read(init, ...twoMessages).events)).toEqual([247, 220, 110, 27, 0]);
    expect(total(read(init, ...twoMessages, result("")).events)).toEqual([247, 220, 110, 27, 0.0014]);
  });

  it("is reported while claude works", () => {
    const [first] = read(begun("msg_1", { ...read1, cache_creation_input_tokens: 30 })).events;
    expect(first).toEqual({ type: "usage", tokens: 131, input: 130, cached: 50, output: 1 });
  });

  it("includes at the end what subagents used, which was not reported before", () => {
    const whole = {
      model_usage_since_last_result: {
        ...spent(220, 27, 110, 0.25),
        small: { outputTokens: 500, costUSD: 0.5 },
      },
    };
    expect(total(read(init, ...twoMessages, result("", whole)).events)).toEqual([747, 220, 110, 527, 0.75]);
  });

  it("is that of each result if there are several", () => {
    const other = { model_usage_since_last_result: spent(5, 5, 0, 0.25) };
    expect(total(read(...twoMessages, result("", other), result("", other)).events)).toEqual([
      ...[257, 225, 110, 32, 0.5],
    ]);
  });

  it("is that of the whole run in an older client, even with several results", () => {
    const older = (costUSD: number) =>
      result("", { model_usage_since_last_result: undefined, modelUsage: spent(220, 27, 110, costUSD) });
    expect(total(read(...twoMessages, older(0.25), older(0.75)).events)).toEqual([247, 220, 110, 27, 0.75]);
  });
});

describe("a claude that cannot continue", () => {
  const fails = (text: string, error: string, more: object = {}) => [
    init,
    assistant("m", { type: "text", text }, {}, { error, is_api_error_message: true, ...more }),
    result(text, { is_error: true, ...more }),
  ];
  const rejected = {
    type: "rate_limit_event",
    rate_limit_info: { status: "rejected", resetsAt: 1795000000, rateLimitType: "five_hour" },
  };
  const limitText = "You've hit your 5-hour limit · resets Nov 18, 11:06am (UTC)";

  it("has used up its quota, and is limited until the reported time", () => {
    const { end } = read(rejected, ...fails(limitText, "rate_limit", { api_error_status: 429 }));
    expect(end).toEqual({ how: "limited", until: new Date(1795000000_000), reason: limitText });
  });

  it("is limited until the time in its text if it reports no other", () => {
    const text = "Claude AI usage limit reached|1795000000";
    expect(read(...fails(text, "rate_limit")).end).toMatchObject({
      how: "limited",
      until: new Date(1795000000_000),
    });
  });

  it("is not limited by a warning about a limit", () => {
    const near = {
      type: "rate_limit_event",
      rate_limit_info: { status: "allowed_warning", resetsAt: 1795000000 },
    };
    expect(read(near, ...fails("API Error: 429", "rate_limit")).end).toMatchObject({ until: null });
  });

  it.each<[string, string, number | null, AgentEnd["how"]]>([
    [
      "API Error: Request rejected (429) · This request would exceed your rate limit",
      "rate_limit",
      429,
      "limited",
    ],
    ["Credit balance is too low", "billing_error", 400, "limited"],
    ["Invalid API key · Fix external API key", "authentication_failed", 401, "unauthenticated"],
    ["Failed to authenticate. API Error: 403 not allowed", "authentication_failed", 403, "unauthenticated"],
    ["Not logged in · Please run /login", "authentication_failed", null, "unauthenticated"],
    ["API Error: 529 Overloaded. This is a server-side issue", "server_error", 529, "unavailable"],
    ["API Error: Connection refused (ECONNREFUSED)", "server_error", null, "unavailable"],
    ["API Error: 503", "unknown", 503, "unavailable"],
    ["There's an issue with the selected model (x)", "model_not_found", 404, "failed"],
  ])("with the message %j (%s, %s) is %s", (text, error, api_error_status, how) => {
    expect(read(...fails(text, error, { api_error_status })).end).toMatchObject({ how, reason: text });
  });

  it("has failed for the reasons that it lists", () => {
    const text = `No conversation found with session ID: ${id}`;
    const { end } = read(
      result("", { is_error: true, subtype: "error_during_execution", result: undefined, errors: [text] }),
    );
    expect(end).toEqual({ how: "failed", reason: text, output: text });
    const silent = read(result("", { is_error: true, subtype: "error_max_turns", result: undefined }));
    expect(silent.end).toMatchObject({ how: "failed", reason: "it ended with `error_max_turns`" });
  });

  it("has not failed if it recovered from an error", () => {
    const over = assistant("m", { type: "text", text: "API Error" }, {}, { error: "server_error" });
    expect(read(init, over, result('{"status":"OK"}')).end).toMatchObject({ how: "done" });
  });
});

describe("the time at which a limit ends", () => {
  const now = new Date("2026-11-15T17:45:00Z");

  it.each<[string, string | null]>([
    ["resets Nov 18, 11:06am (UTC)", "2026-11-18T11:06:00Z"],
    ["resets Jan 2 at 5pm (UTC)", "2027-01-02T17:00:00Z"],
    ["resets 3am (UTC)", "2026-11-16T03:00:00Z"],
    ["resets 11:30pm (UTC)", "2026-11-15T23:30:00Z"],
    ["resets at 7pm (Europe/Berlin)", "2026-11-15T18:00:00Z"],
    ["resets 12am (America/New_York)", "2026-11-16T05:00:00Z"],
    ["limit reached|1795000000", "2026-11-18T11:06:40Z"],
    ["resets 3am (Nowhere/Else)", null],
    ["resets soon", null],
    ["", null],
  ])("is read from %j", (text, expected) => {
    expect(readResetTime(text, now)).toEqual(expected === null ? null : new Date(expected));
  });
});

describe("claude", () => {
  afterEach(() => void vi.unstubAllEnvs());

  /** A program called claude that records how it was started and prints the given text. */
  function program(printed: string, version = "2.1.325 (Claude Code)", loggedIn = true) {
    const folder = temporaryFolder({
      printed,
      "bin/claude": [
        "#!/bin/sh",
        `case "$*" in`,
        `--version) echo '${version}'; exit;;`,
        `"auth status") echo '{"loggedIn": ${loggedIn}}'; exit;;`,
        "esac",
        `here=$(dirname "$0")/..; printf '%s\\n' "$@" > "$here/words"; cat > "$here/input"; env > "$here/env"`,
        `cat "$here/printed"`,
      ].join("\n"),
    });
    chmodSync(join(folder.path, "bin/claude"), 0o755);
    const path = `${join(folder.path, "bin")}${delimiter}${PATH}`;
    vi.stubEnv("PATH", path);
    vi.stubEnv("CLAUDE_CONFIG_DIR", join(folder.path, "state"));
    const file = (name: string) => readFileSync(join(folder.path, name), "utf8");
    const start = (more: Partial<AgentStart> = {}, settings: object = {}) =>
      started(claudeAgent({ model: null, args: [], env: {}, ...settings }), {
        ...{ env: { PATH: path }, folder: folder.path, prompt: "the prompt" },
        ...more,
      });
    return { ...folder, file, start };
  }
  const client = () => claudeAgent({ model: null, args: [], env: {} });
  const lines = (...messages: unknown[]) => messages.map((one) => `${JSON.stringify(one)}\n`).join("");

  it("gets its prompt on stdin, works without asking inside a policy, and is followed to its answer", async () => {
    using fake = program(lines(init, result('{"status":"OK"}')));
    const { end, events } = await fake.start({ sandboxed: true });
    expect(end).toEqual({ how: "done", answer: { status: "OK" } });
    expect(events[0]).toEqual({ type: "conversation", id });
    expect(fake.file("input")).toBe("the prompt");
    const words = fake.file("words");
    expect(words).toContain("--permission-mode\nbypassPermissions\n");
    expect(words).toContain('--setting-sources\nuser\n--settings\n{"disableAllHooks":false}\n');
    expect(words).toContain("--strict-mcp-config\n");
    expect(words).not.toContain("the prompt");
    expect(words).not.toMatch(/--model|--resume/);
    expect(fake.file("env")).toMatch(/^CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1$/m);
  });

  it("without a policy may edit and run the task's checks, and nothing else", async () => {
    using fake = program(lines(result("")));
    const task = {
      ...{ id: "T-1", title: "x", goal: "x", lock_scope: ["."], timeout_seconds: 900 },
      acceptance_checks: [" CMD: node -e 'f(1)'", "Manual: looks good"],
      heartbeat_interval_seconds: 60,
    };
    const input = universalInput(task, {
      assignment: { ...assignmentOf(task, "T-1.md"), proves: ["npm test"] },
      ...{ attempt: 1, fixDelta: null, branch: "main", projectType: "lib", role: "Coder" },
    });
    await fake.start({ input });
    const words = fake.file("words");
    expect(words).toContain("--permission-mode\nacceptEdits\n");
    const allow = ["Bash(node -e 'f\\(1\\)')", "Bash(npm test)", "Bash(lockstep widen:*)"];
    expect(words).toContain(`\n${JSON.stringify({ disableAllHooks: false, permissions: { allow } })}\n`);
    expect(fake.file("env")).not.toContain("IS_SANDBOX");
  });

  it("continues a conversation, with the model and the arguments of the configuration", async () => {
    using fake = program(lines(result("")));
    await fake.start({ resume: id }, { model: "opus", args: ["--effort", "high"] });
    expect(fake.file("words")).toMatch(new RegExp(`--model\nopus\n--resume\n${id}\n--effort\nhigh\n$`));
    expect(client().resumeCommand?.(id)).toEqual(["claude", "--resume", id]);
  });

  it("is parsed with messages of any length", async () => {
    using fake = program(lines(init, toolResult("x".repeat(5_000_000)), result('{"status":"OK"}')));
    const { end, events } = await fake.start();
    expect(end).toEqual({ how: "done", answer: { status: "OK" } });
    expect(events.filter((event) => event.type === "said" && event.text !== "")).toEqual([]);
  });

  it("has failed by its exit code if it reports no result", async () => {
    using fake = program("error: unknown option\n");
    fake.write("bin/claude", "#!/bin/sh\necho 'error: unknown option' >&2; exit 1\n");
    expect((await fake.start()).end).toMatchObject({
      how: "failed",
      reason: "`claude` ended with exit code 1: error: unknown option",
      output: "error: unknown option\n",
    });
  });

  it("is usable if it is logged in, and the probe creates nothing in its folder", async () => {
    using fake = program("");
    expect(await client().probe()).toMatchObject({ usable: true, version: "2.1.325", can: { resume: true } });
    expect(client().home?.folders).toMatchObject([{ path: join(fake.path, "state") }]);
    expect(existsSync(join(fake.path, "state"))).toBe(false);
  });

  it("is not usable if it is not logged in", async () => {
    using fake = program("", "2.1.325 (Claude Code)", false);
    expect(await client().probe()).toEqual({
      ...{ usable: false, why: "unauthenticated" },
      reason: "`claude` is not logged in: run `claude auth login`, or set ANTHROPIC_API_KEY",
    });
    expect(existsSync(join(fake.path, "state"))).toBe(false);
  });

  it("is not asked for its login if it could mistake the question for a prompt", async () => {
    using _fake = program("", "2.0.9 (Claude Code)", false);
    expect(await client().probe()).toMatchObject({ usable: true, version: "2.0.9" });
  });

  it("is not usable if it is missing or broken", async () => {
    using fake = program("");
    fake.write("bin/claude", "#!/bin/sh\necho no library\nexit 1\n");
    expect(await client().probe()).toMatchObject({ usable: false, why: "broken" });
    vi.stubEnv("PATH", join(fake.path, "empty"));
    expect(await client().probe()).toMatchObject({ usable: false, why: "missing" });
  });

  it("gets the keys of a cloud only if its login uses them", () => {
    expect(client().passes).toContain("ANTHROPIC_API_KEY");
    expect(client().passes).not.toContain("AWS_SECRET_ACCESS_KEY");
    vi.stubEnv("CLAUDE_CODE_USE_BEDROCK", "1");
    expect(client().passes).toContain("AWS_SECRET_ACCESS_KEY");
  });
});
