import { execFileSync } from "node:child_process";
import { appendFileSync, chmodSync, existsSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { delimiter, join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { AgentEnd, AgentEvent, AgentStart } from "../../src/clients/agent.ts";
import { readEnd } from "../../src/clients/copilot/read-end.ts";
import { CopilotReading } from "../../src/clients/copilot/read-stream.ts";
import { copilotAgent } from "../../src/clients/copilot/run.ts";
import { AppendedLines } from "../../src/clients/process/appended-lines.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { PATH, started } from "./started-agent.ts";

// Recorded from 1.0.102, without the parts that the product does not read.
const session = "449feed5-2b93-436a-99a0-99b3c7d99d87";
const event = (type: string, data: object, more: object = {}) => ({ type, data, ...more });
const says = (content: string, more: object = {}) =>
  event("assistant.message", { content, toolRequests: [] }, more);
const calls = (toolName: string, args: unknown) =>
  event("tool.execution_start", { toolCallId: "call_1", toolName, arguments: args });
const gives = (more: object) => event("tool.execution_complete", { toolCallId: "call_1", ...more });
const result = { type: "result", sessionId: session, exitCode: 0, usage: { premiumRequests: 0 } };
const record = `session-state/${session}/events.jsonl`;
const used = (inputTokens: number, cacheReadTokens: number, outputTokens: number) =>
  `${JSON.stringify(event("session.usage_record", { usage: { inputTokens, outputTokens, cacheReadTokens } }))}\n`;
const usage = (input: number, cached: number, output: number) => ({
  ...{ type: "usage", tokens: input + output, input, cached, output },
});

function read(exit: number, ...messages: unknown[]): { events: AgentEvent[]; end: AgentEnd | undefined } {
  const reading = new CopilotReading("/nowhere", session);
  const events = messages.flatMap((message) => reading.read(message));
  return { events, end: reading.end({ exit, tail: "" }) };
}

describe("the output of copilot", () => {
  it("has the conversation, its messages and actions, and its answer", () => {
    const patch = "*** Begin Patch\n*** Add File: A.txt\n+made\n*** End Patch";
    const { events, end } = read(
      0,
      event("session.skills_loaded", { skills: [] }),
      says("I will look."),
      calls("bash", { command: "npm test\nls", description: "runs the tests" }),
      gives({ success: true, result: { content: "x".repeat(3000), detailedContent: "" } }),
      calls("apply_patch", patch),
      gives({ success: false, error: { message: "Path already exists", code: "failure" } }),
      says('Done.\n{"status":"OK"}'),
      says('{"status":"FAIL"}', { agentId: "a subagent" }),
      says(""),
      result,
    );
    expect(events).toEqual([
      { type: "conversation", id: session },
      { type: "said", text: "I will look." },
      {
        ...{ type: "tool", name: "bash", text: "npm test" },
        input: { command: "npm test\nls", description: "runs the tests" },
      },
      { type: "tool-result", text: "x".repeat(2000) },
      { type: "tool", name: "apply_patch", text: "*** Add File: A.txt", input: patch },
      { type: "tool-result", text: "Path already exists" },
      { type: "said", text: 'Done.\n{"status":"OK"}' },
      { type: "said", text: '{"status":"FAIL"}' },
    ]);
    expect(end).toEqual({ how: "done", answer: { status: "OK" } });
  });

  it.each<[string, unknown]>([
    ["of another kind", event("assistant.idle", {})],
    ["without its parts", { type: "assistant.message" }],
    ["that is nothing", null],
  ])("ignores a message %s", (_, message) => {
    const nothing = [{ type: "conversation", id: session }];
    expect(read(1, message)).toEqual({ events: nothing, end: undefined });
  });

  it("has no tokens: they come from its record, without those of earlier runs", () => {
    using home = temporaryFolder({ [record]: used(9000, 0, 900) });
    const reading = new CopilotReading(home.path, session);
    appendFileSync(join(home.path, record), used(1000, 400, 50));
    expect(reading.used()).toEqual([usage(600, 400, 50)]);
    appendFileSync(join(home.path, record), used(2000, 500, 60) + used(3000, 0, 70).slice(0, 20));
    expect(reading.used()).toEqual([usage(1500, 500, 60)]);
    appendFileSync(join(home.path, record), used(3000, 0, 70).slice(20));
    expect(reading.used()).toEqual([usage(3000, 0, 70)]);
    expect(reading.used()).toEqual([]);
  });
});

describe("a record that an agent could have tampered with", () => {
  it("is not read through a link, and a pipe does not block the reader", () => {
    using folder = temporaryFolder({ file: "a line\n" });
    symlinkSync(join(folder.path, "file"), join(folder.path, "link"));
    execFileSync("mkfifo", [join(folder.path, "pipe")]);
    const next = (name: string) => new AppendedLines(join(folder.path, name)).next();
    expect([next("file"), next("link"), next("pipe"), next("."), next("none")]).toEqual([
      ["a line"],
      ...[[], [], [], []],
    ]);
  });
});

describe("a copilot that cannot continue", () => {
  const now = new Date("2026-11-15T17:45:00Z");

  it.each<[string, string, number | undefined, string | undefined]>([
    ["rate_limit", "You've hit a rate limit.", 429, "limited"],
    ["quota", "You have no quota", 402, "limited"],
    ["query", "402 You have no quota", 402, "limited"],
    ["authentication", "Authentication failed with provider (HTTP 401).", 401, "unauthenticated"],
    ["authorization", "Not authorized", 403, "unauthenticated"],
    ["query", "Failed to get response from the AI model; Last error: 503 overloaded", 503, "unavailable"],
    ["query", "Could not connect to local model provider", undefined, "unavailable"],
    ["query", "400 no such model", 400, "failed"],
    ["context_limit", "too long", undefined, "failed"],
  ])("for %s with the message %j (%s) is %s", (errorType, message, statusCode, how) => {
    const error = event("session.error", { errorType, message: `${message}\n  more`, statusCode });
    expect(read(1, error).end).toMatchObject({ how, reason: message });
  });

  it("has not failed if it recovered from an error", () => {
    const error = event("session.error", { errorType: "query", message: "503", statusCode: 503 });
    expect(read(0, error, says('{"status":"OK"}')).end).toMatchObject({ how: "done" });
  });

  it("rests as long as its message says", () => {
    const limited = (message: string) => readEnd({ errorType: "rate_limit", message }, "", now);
    expect(limited("Please try again in 2 hours.")).toMatchObject({
      until: new Date("2026-11-15T19:45:00Z"),
    });
    expect(limited("Please wait for your limit to reset.")).toMatchObject({ until: null });
  });

  it("without a login is reported even before its session begins", () => {
    const tail = "Error: No authentication information found.\n\nTo authenticate, you can use any of these\n";
    expect(readEnd(undefined, tail, now)).toEqual({
      how: "unauthenticated",
      reason: "No authentication information found. Run `copilot login`, or set COPILOT_GITHUB_TOKEN",
    });
  });

  it("that cannot check its token is unavailable", () => {
    const tail = "Error: Authentication token found but could not be validated.\n  network fetch failed\n";
    expect(readEnd(undefined, tail, now)).toMatchObject({ how: "unavailable" });
    expect(readEnd(undefined, "Error: unknown option\n", now)).toBeUndefined();
  });
});

describe("copilot", () => {
  afterEach(() => void vi.unstubAllEnvs());

  /** A program called copilot that records how it was started and prints the given text. */
  function program(...printed: unknown[]) {
    const folder = temporaryFolder({
      printed: printed.map((one) => `${JSON.stringify(one)}\n`).join(""),
      "bin/copilot": [
        "#!/bin/sh",
        `case "$*" in --version) echo 'GitHub Copilot CLI 1.0.102.'; exit;; esac`,
        `here=$(dirname "$0")/..; printf '%s\\n' "$@" > "$here/words"; cat > "$here/input"; env > "$here/env"`,
        `cat "$here/printed"`,
      ].join("\n"),
    });
    chmodSync(join(folder.path, "bin/copilot"), 0o755);
    const path = `${join(folder.path, "bin")}${delimiter}${PATH}`;
    const home = join(folder.path, "state");
    vi.stubEnv("PATH", path);
    vi.stubEnv("HOME", folder.path);
    vi.stubEnv("COPILOT_HOME", home);
    for (const name of ["COPILOT_GITHUB_TOKEN", "COPILOT_PROVIDER_BASE_URL"]) vi.stubEnv(name, undefined);
    const file = (name: string) => readFileSync(join(folder.path, name), "utf8");
    const start = (more: Partial<AgentStart> = {}, settings: object = {}) =>
      started(copilotAgent({ model: null, args: [], env: {}, ...settings }), {
        ...{ env: { PATH: path }, folder: folder.path, prompt: "the prompt" },
        ...more,
      });
    return { ...folder, home, file, start };
  }
  const client = () => copilotAgent({ model: null, args: [], env: {} });

  it("gets its prompt on stdin, works without asking inside a policy, and is followed to its answer", async () => {
    using fake = program(says('{"status":"OK"}'), result);
    const { end, events } = await fake.start({ sandboxed: true });
    expect(end).toEqual({ how: "done", answer: { status: "OK" } });
    expect(fake.file("input")).toBe("the prompt");
    const words = fake.file("words");
    const [, id] = /^--session-id=([0-9a-f-]{36})$/m.exec(words) ?? [];
    expect(events[0]).toEqual({ type: "conversation", id });
    expect(words).toContain("\n--allow-all\n--no-sandbox\n");
    expect(words).not.toMatch(/--model|--trust-folder|the prompt/);
    expect(fake.file("env")).toMatch(/^COPILOT_AUTO_UPDATE=false$/m);
  });

  it("without a policy may edit and run commands, and nothing else", async () => {
    using fake = program(result);
    await fake.start();
    expect(fake.file("words")).toContain("\n--allow-tool=write\n--allow-tool=shell\n");
    expect(fake.file("words")).not.toContain("--allow-all");
  });

  it("continues a conversation, with the model and the arguments of the configuration", async () => {
    using fake = program(result);
    const { events } = await fake.start({ resume: session }, { model: "gpt-5.5", args: ["--stream", "off"] });
    expect(fake.file("words")).toContain(`\n--session-id=${session}\n`);
    expect(fake.file("words")).toMatch(/\n--model\ngpt-5\.5\n--stream\noff\n$/);
    expect(events[0]).toEqual({ type: "conversation", id: session });
    expect(client().resumeCommand?.(session)).toEqual(["copilot", `--resume=${session}`]);
  });

  it("is usable after a login, and the probe creates nothing in its folder", async () => {
    using fake = program();
    fake.write("state/config.json", '{"firstLaunchAt":"2026-01-01","loggedInUsers":[{"login":"a"}]}\n');
    expect(await client().probe()).toMatchObject({ usable: true, version: "1.0.102" });
    expect(client().home?.folders).toMatchObject([{ path: fake.home }]);
    expect(readdirSync(fake.home)).toEqual(["config.json"]);
  });

  it("is not usable without a login", async () => {
    using fake = program();
    expect(await client().probe()).toEqual({
      ...{ usable: false, why: "unauthenticated" },
      reason: "`copilot` is not logged in: run `copilot login`, or set COPILOT_GITHUB_TOKEN",
    });
    expect(existsSync(fake.home)).toBe(false);
  });

  it.each([
    ["a token", "COPILOT_GITHUB_TOKEN"],
    ["a provider of the person", "COPILOT_PROVIDER_BASE_URL"],
  ])("is usable with %s", async (_, name) => {
    using _fake = program();
    vi.stubEnv(name, "x");
    expect(await client().probe()).toMatchObject({ usable: true });
    expect(client().passes).toContain(name);
  });

  it("does not get credentials that could push", () => {
    expect(client().passes).not.toContain("GH_TOKEN");
    expect(client().passes).not.toContain("GITHUB_TOKEN");
  });

  it("is not usable if it is missing or broken", async () => {
    using fake = program();
    vi.stubEnv("COPILOT_GITHUB_TOKEN", "x");
    fake.write("bin/copilot", "#!/bin/sh\necho no library\nexit 1\n");
    expect(await client().probe()).toMatchObject({ usable: false, why: "broken" });
    vi.stubEnv("PATH", join(fake.path, "empty"));
    expect(await client().probe()).toMatchObject({ usable: false, why: "missing" });
  });
});
