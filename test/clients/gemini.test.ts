import { appendFileSync, chmodSync, existsSync, readdirSync } from "node:fs";
import { delimiter, join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { ChatUsage } from "../../src/clients/gemini/chat-usage.ts";
import { GeminiReading } from "../../src/clients/gemini/read-stream.ts";
import { geminiAgent } from "../../src/clients/gemini/run.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { PATH, started } from "./started-agent.ts";

// Recorded from 0.61.0, without the parts that the product does not read.
const id = "24e6cb15-c649-4d84-b702-4710484162e8";
const init = { type: "init", session_id: id, model: "gemini-2.5-pro" };
const asked = { type: "message", role: "user", content: "go\n" };
const said = (content: string) => ({ type: "message", role: "assistant", content, delta: true });
const tool = (tool_name: string, parameters: object) => ({
  type: "tool_use",
  tool_name,
  tool_id: "t",
  parameters,
});
const result = (more: object) => ({ type: "tool_result", tool_id: "t", status: "success", ...more });
const stats = { total_tokens: 438, input_tokens: 406, output_tokens: 20, cached: 160, input: 246 };
const none = { total_tokens: 0, input_tokens: 0, output_tokens: 0, cached: 0, input: 0 };
const ended = { type: "result", status: "success", stats };
const failed = (message: string) => ({
  type: "result",
  status: "error",
  error: { type: "unknown", message },
  stats: none,
});

function read(messages: readonly unknown[], exit = 0, tail = "") {
  const reading = new GeminiReading(new ChatUsage("/nowhere"));
  const events = messages.flatMap((message) => reading.read(message));
  return { events, end: reading.end({ exit, tail }) };
}

const nextStep = "\nPlease wait and try again later. To increase your limits, request a quota increase";

afterEach(() => vi.unstubAllEnvs());

describe("the output of gemini", () => {
  it("has its messages, actions and usage", () => {
    const { events, end } = read([
      init,
      asked,
      said("I be"),
      said("gin."),
      tool("write_file", { file_path: "a.txt", content: "hello\n" }),
      result({}),
      tool("run_shell_command", { command: "cat a.txt\necho x", description: "look" }),
      result({ output: "hello\nx" }),
      tool("write_file", { file_path: "/x" }),
      result({ status: "error", error: { type: "invalid_tool_params", message: "Path not in workspace" } }),
      said('Done.\n{"status":"OK",'),
      said('"summary":"did it"}'),
      ended,
    ]);
    expect(events).toEqual([
      { type: "conversation", id },
      { type: "said", text: "I begin." },
      { type: "tool", name: "write_file", text: "a.txt", input: { file_path: "a.txt", content: "hello\n" } },
      { type: "tool-result", text: "success" },
      expect.objectContaining({ type: "tool", name: "run_shell_command", text: "cat a.txt" }),
      { type: "tool-result", text: "hello\nx" },
      expect.objectContaining({ type: "tool", text: "/x" }),
      { type: "tool-result", text: "Path not in workspace" },
      { type: "said", text: 'Done.\n{"status":"OK","summary":"did it"}' },
      { type: "usage", tokens: 278, input: 246, cached: 160, output: 32, turns: 4 },
    ]);
    expect(end).toEqual({ how: "done", answer: { status: "OK", summary: "did it" } });
  });

  it.each([
    ["a time", "Your quota will reset after 3h17m5s.", "", 11_825_000],
    [
      "seconds",
      "You exceeded your current quota. Please retry in 7.5s.\nSuggested retry after 7.5s.",
      "",
      7500,
    ],
    ["a time on stderr", "You have exhausted your capacity.", "  retryDelayMs: 60000,\n", 60_000],
  ])("ends as limited until %s", (_what, message, tail, ms) => {
    vi.useFakeTimers({ now: 1_795_000_000_000 });
    const { end } = read([init, failed(`[API Error: ${message}]${nextStep}`)], 429 % 256, tail);
    vi.useRealTimers();
    expect(end).toEqual({
      how: "limited",
      until: new Date(1_795_000_000_000 + ms),
      reason: message.split("\n")[0],
    });
  });

  it("ends as limited for an unknown time by a daily quota", () => {
    const message = "You have exhausted your daily quota on this model.";
    const { end } = read([failed(`[API Error: ${message}]${nextStep}`)], 173, "  retryDelayMs: undefined,\n");
    expect(end).toEqual({ how: "limited", until: null, reason: message });
  });

  it.each([
    [145, 401, "UNAUTHENTICATED", "Request had invalid authentication credentials.", "unauthenticated"],
    [144, 400, "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key.", "unauthenticated"],
    [244, 500, "INTERNAL", "An internal error has occurred.", "unavailable"],
    [144, 400, "INVALID_ARGUMENT", "The input token count exceeds the maximum.", "failed"],
  ])("ends with exit code %s by the server's %s %s: %s", (exit, code, status, message, how) => {
    const document = JSON.stringify({ error: { code, message, status, details: [] } });
    expect(read([failed(`[API Error: ${document}]`)], exit).end).toMatchObject({ how, reason: message });
  });

  it.each([
    [247, "The model is overloaded. Please try again later."],
    [1, "exception TypeError: fetch failed sending request"],
  ])("ends as unavailable with exit code %s: %s", (exit, reason) => {
    const { end } = read([failed(`[API Error: ${reason}]`)], exit);
    expect(end).toEqual({ how: "unavailable", reason });
  });

  it("ends as unauthenticated if no login was chosen", () => {
    const reason = "Please set an Auth method in your settings.json";
    const { end } = read([], 41, `YOLO mode is enabled.\n${reason}\n`);
    expect(end).toEqual({ how: "unauthenticated", reason });
  });

  it("ends as failed with its last message if its result has no reason", () => {
    const fault = { type: "error", severity: "error", message: "The model returned an empty response." };
    const { end } = read([init, fault, { type: "result", status: "error", stats: none }], 1);
    expect(end).toMatchObject({ how: "failed", reason: "The model returned an empty response." });
  });

  it("has no end if the reason is unknown", () => {
    expect(read([init], 42, "Error resuming session").end).toBeUndefined();
  });
});

describe("the usage of a conversation", () => {
  const record = `tmp/project/chats/session-2026-11-16T14-46-${id.slice(0, 8)}.jsonl`;
  const answer = (
    name: string,
    [input, cached, output, thoughts = 0]: readonly number[],
    more: object = {},
  ) => ({
    ...{ id: name, type: "gemini", content: "", ...more },
    tokens: { input, output, cached, thoughts, tool: 0, total: (input ?? 0) + (output ?? 0) + thoughts },
  });
  const asks = { id: "u", type: "user", content: [{ text: 'a text with "tokens"' }] };
  const lines = (...documents: object[]) => documents.map((one) => `${JSON.stringify(one)}\n`).join("");
  const usage = (input: number, cached: number, output: number) => ({
    ...{ type: "usage", tokens: input + output, input, cached, output },
  });
  const total = (input: number, cached: number, output: number) => ({
    ...{ input_tokens: input, cached, output_tokens: output, total_tokens: input + output },
  });

  it("is reported once per answer, before the tools of the answer have ended", () => {
    using home = temporaryFolder({ [record]: lines({ sessionId: id }) });
    const used = new ChatUsage(home.path);
    expect(used.recorded()).toEqual([]);
    used.follow(id);
    const add = (...documents: object[]) => appendFileSync(join(home.path, record), lines(...documents));
    add(asks, answer("a", [1200, 200, 11, 5]));
    expect(used.recorded()).toEqual([usage(1000, 200, 16)]);
    add(
      answer("a", [1200, 200, 11, 5], { toolCalls: [{ name: "run_shell_command" }] }),
      answer("b", [30, 0, 2]),
    );
    expect(used.recorded()).toEqual([usage(30, 0, 2)]);
    expect(used.recorded()).toEqual([]);
  });

  it("gets the missing rest from the total, and nothing after it", () => {
    using home = temporaryFolder({ [record]: lines(answer("a", [1200, 200, 11])) });
    const used = new ChatUsage(home.path);
    used.follow(id);
    expect(used.recorded()).toEqual([usage(1000, 200, 11)]);
    expect(used.ofTotal(total(1280, 230, 18))).toEqual([usage(50, 30, 7)]);
    appendFileSync(join(home.path, record), lines(answer("b", [80, 30, 7])));
    expect(used.recorded()).toEqual([]);
  });

  it("excludes earlier runs, even if the record repeats them or continues in a second file", () => {
    const before = answer("a", [1200, 200, 11]);
    using home = temporaryFolder({ [record]: lines(before) });
    const used = new ChatUsage(home.path, id);
    const second = record.replace("14-46", "14-59");
    home.write(second, lines({ $set: { messages: [asks, before] } }));
    appendFileSync(join(home.path, record), lines({ $set: { messages: [asks, before] } }));
    expect(used.recorded()).toEqual([]);
    appendFileSync(join(home.path, second), lines(answer("b", [70, 0, 3])));
    expect(used.recorded()).toEqual([usage(70, 0, 3)]);
  });

  it.each<[string, unknown]>([
    ["without an id", { type: "gemini", tokens: { input: 5, total: 6 } }],
    ["with nonsense", { id: "x", type: "gemini", tokens: { input: -5, cached: 1e99, total: "many" } }],
    ["that is not an object", ["tokens"]],
  ])("ignores a message %s", (_, message) => {
    using home = temporaryFolder({ [record]: `${JSON.stringify(message)}\n"tokens"\n` });
    const used = new ChatUsage(home.path);
    used.follow(id);
    expect(used.recorded()).toEqual([]);
  });
});

/** A program called gemini that prints its arguments, some of its environment and its input. */
const echo = `#!/bin/sh
[ "$1" = --version ] && { echo 0.61.0; exit; }
printf '%s\\n' "words $*" "sandbox <$GEMINI_SANDBOX>" "server <\${GOOGLE_GEMINI_BASE_URL-unset}>"; sed 's/^/in /'
`;

function withProgram() {
  const folder = temporaryFolder({ "bin/gemini": echo, "home/.keep": "" });
  chmodSync(join(folder.path, "bin/gemini"), 0o755);
  const path = [join(folder.path, "bin"), PATH].join(delimiter);
  vi.stubEnv("PATH", path);
  vi.stubEnv("HOME", join(folder.path, "home"));
  for (const name of ["GEMINI_API_KEY", "GEMINI_CLI_HOME", "GOOGLE_API_KEY", "CLOUD_SHELL"])
    vi.stubEnv(name, undefined);
  return { ...folder, env: { PATH: path } };
}

describe("the gemini client", () => {
  const settings = { model: "gemini-2.5-pro", args: ["--debug"], env: {} };

  it("is started with full permissions inside a policy, and in the same conversation", async () => {
    using place = withProgram();
    const more = { env: place.env, sandboxed: true, resume: id, prompt: "go on" };
    const { said: printed } = await started(geminiAgent(settings), more);
    expect(printed).toEqual([
      `words --output-format stream-json --skip-trust --approval-mode yolo --model gemini-2.5-pro --resume ${id} --debug`,
      "sandbox <false>",
      "server <>",
      "in go on",
    ]);
  });

  it("is started with edits and the shell alone without a policy", async () => {
    using place = withProgram();
    const client = geminiAgent({ model: null, args: [], env: {} });
    const { said: printed } = await started(client, { env: place.env, prompt: "go" });
    const words = "--skip-trust --approval-mode auto_edit --allowed-tools=run_shell_command";
    expect(printed.slice(0, 2)).toEqual([`words --output-format stream-json ${words}`, "sandbox <>"]);
  });

  it("gets at signs in a form that it does not mistake for a file name", async () => {
    using place = withProgram();
    const prompt = "mail me@example.com about @src/a.ts and \\@done";
    const { said: printed } = await started(geminiAgent(settings), { env: place.env, prompt });
    expect(printed.slice(3)).toEqual([
      "in (Read every \\@ below as an at sign.)",
      "in",
      "in mail me\\@example.com about \\@src/a.ts and \\@done",
    ]);
  });

  it("is usable by a person who is logged in, and the probe creates nothing in its folder", async () => {
    using place = withProgram();
    const folder = join(place.path, "home/.gemini");
    const client = geminiAgent(settings);
    expect(await client.probe()).toMatchObject({ usable: false, why: "unauthenticated" });
    expect(existsSync(folder)).toBe(false);
    place.write(
      "home/.gemini/settings.json",
      '{ "security": { "auth": { "selectedType": "oauth-personal" } } }',
    );
    expect(await client.probe()).toMatchObject({ usable: true, version: "0.61.0" });
    expect(client.home?.folders).toMatchObject([{ path: folder }]);
    expect(readdirSync(folder)).toEqual(["settings.json"]);
  });

  it("is usable with a key of its own configuration", async () => {
    using _place = withProgram();
    const client = geminiAgent({ ...settings, env: { GEMINI_API_KEY: "k" } });
    expect(await client.probe()).toMatchObject({ usable: true });
  });
});
