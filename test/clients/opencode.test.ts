import { chmodSync, readdirSync } from "node:fs";
import { delimiter, join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { endingLongWaits } from "../../src/clients/opencode/long-waits.ts";
import { OpencodeReading } from "../../src/clients/opencode/read-stream.ts";
import { opencodeAgent } from "../../src/clients/opencode/run.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { PATH, started } from "./started-agent.ts";

// Recorded from 1.18.33, without the parts that the product does not read.
const sessionID = "ses_e1fb0e58dffehGNF8hZCihwidR";
const line = (type: string, part: object) => ({ type, sessionID, part });
const text = (said: string) => line("text", { type: "text", text: said });
const tool = (name: string, state: object) =>
  line("tool_use", { type: "tool", tool: name, callID: "c", state });
const finished = (cost: number) =>
  line("step_finish", {
    reason: "tool-calls",
    tokens: { total: 109, input: 61, output: 5, reasoning: 3, cache: { write: 2, read: 40 } },
    cost,
  });
const failed = (name: string, data: object) => ({ type: "error", sessionID, error: { name, data } });

function read(messages: readonly unknown[], exit = 0, tail = "") {
  const reading = new OpencodeReading();
  const events = messages.flatMap((message) => reading.read(message));
  return { events, end: reading.end({ exit, tail }) };
}

const log = (message: string) =>
  `timestamp=2026-11-15T17:50:05.572Z level=ERROR run=6e0331e7 message="stream error" providerID=p small=false error.error="AI_APICallError: ${message}"`;

afterEach(() => vi.unstubAllEnvs());

describe("the output of opencode", () => {
  it("has its messages, actions and usage", () => {
    const { events, end } = read([
      line("step_start", { type: "step-start" }),
      text("I begin."),
      tool("write", {
        status: "completed",
        input: { filePath: "a.txt", content: "hello\n" },
        output: "Wrote file successfully.",
      }),
      finished(0.02),
      tool("write", { status: "error", input: { filePath: "/x" }, error: "The user rejected permission" }),
      finished(0),
      text('Done.\n{"status":"OK","summary":"did it"}'),
    ]);
    const counts = { type: "usage", tokens: 71, input: 63, cached: 40, output: 8 };
    expect(events).toEqual([
      { type: "conversation", id: sessionID },
      { type: "said", text: "I begin." },
      { type: "tool", name: "write", text: "a.txt", input: { filePath: "a.txt", content: "hello\n" } },
      { type: "tool-result", text: "Wrote file successfully." },
      { ...counts, costUsd: 0.02 },
      { type: "tool", name: "write", text: "/x", input: { filePath: "/x" } },
      { type: "tool-result", text: "The user rejected permission" },
      counts,
      { type: "said", text: 'Done.\n{"status":"OK","summary":"did it"}' },
    ]);
    expect(end).toEqual({ how: "done", answer: { status: "OK", summary: "did it" } });
  });

  it.each([
    ["a header", "Rate limit reached", { "retry-after": "3600" }, 3_600_000],
    ["a header in milliseconds", "Rate limit reached", { "retry-after-ms": "1500" }, 1500],
    [
      "a header with a date",
      "Rate limit reached",
      { "retry-after": "Sat, 18 Nov 2026 11:06:40 GMT" },
      200_000,
    ],
    ["its words", "Rate limit reached. Please try again in 20s.", {}, 20_000],
    ["long words", "Usage limit reached. It will reset in 2 hours 5 minutes. To continue", {}, 7_500_000],
    ["an unknown time", "You exceeded your current quota", {}, null],
  ])("ends as limited until %s", (_what, message, responseHeaders, ms) => {
    const now = Date.parse("2026-11-18T11:03:20Z");
    vi.useFakeTimers({ now });
    const { end } = read([failed("APIError", { message, statusCode: 429, responseHeaders })], 1);
    vi.useRealTimers();
    expect(end).toEqual({ how: "limited", until: ms === null ? null : new Date(now + ms), reason: message });
  });

  it.each([
    ["APIError", { message: "Incorrect API key provided: x", statusCode: 401 }, "unauthenticated"],
    ["ProviderAuthError", { message: "no", providerID: "p" }, "unauthenticated"],
    ["APIError", { message: "The server had an error", statusCode: 500 }, "unavailable"],
    ["APIError", { message: "Cannot connect to API: Unable to connect." }, "unavailable"],
    ["APIError", { message: "The model `m` does not exist", statusCode: 404 }, "failed"],
    ["ContextOverflowError", { message: "Input exceeds the context window" }, "failed"],
  ])("ends by its %s %j as %s", (name, data, how) => {
    expect(read([failed(name, data)], 1).end).toMatchObject({ how, reason: data.message });
  });

  it("ends as failed with the error in its log after an internal error", () => {
    const logged = `level=ERROR message=failed ref=err_1 error="ProviderModelNotFoundError: Model not found: p/m" cause="x\\n at y"`;
    const { end } = read([failed("UnknownError", { message: "Unexpected server error." })], 1, logged);
    expect(end).toMatchObject({ how: "failed", reason: "ProviderModelNotFoundError: Model not found: p/m" });
  });

  it("has no end if the reason is unknown", () => {
    expect(read([], 1, "Error: Session not found").end).toBeUndefined();
  });
});

/** A program called opencode that runs the script. */
function withProgram(script: string) {
  const known = `case "$1" in --version) echo 1.18.33; exit;; models) [ "$2" = p ] || echo "Provider not found: $2"; exit;; esac`;
  const folder = temporaryFolder({ "bin/opencode": `#!/bin/sh\n${known}\n${script}\n`, "home/.keep": "" });
  chmodSync(join(folder.path, "bin/opencode"), 0o755);
  const path = [join(folder.path, "bin"), PATH].join(delimiter);
  vi.stubEnv("PATH", path);
  vi.stubEnv("HOME", join(folder.path, "home"));
  for (const name of ["XDG_DATA_HOME", "XDG_CONFIG_HOME", "OPENCODE_CONFIG", "OPENCODE_CONFIG_DIR"])
    vi.stubEnv(name, undefined);
  return { ...folder, env: { PATH: path, LOCKSTEP_TASK: "s/T-1" } };
}

const settings = { model: "p/m", args: ["--variant", "high"], env: {} };

describe("the opencode client", () => {
  const echo = `printf '%s\\n' "$*" "$OPENCODE_DISABLE_PROJECT_CONFIG" "may $OPENCODE_PERMISSION" "also $OPENCODE_CONFIG_CONTENT"; cat`;

  it("is started with full permissions inside a policy, and in the same conversation", async () => {
    using place = withProgram(echo);
    const more = { env: place.env, sandboxed: true, resume: sessionID, prompt: "go on" };
    const { said } = await started(opencodeAgent(settings), more);
    const words =
      "run --format json --print-logs --log-level ERROR --title Lockstep s/T-1 --auto --model p/m";
    expect(said).toEqual([`${words} --session ${sessionID} --variant high`, "1", "may", "also", "go on"]);
  });

  it("is started without prompts if there is no policy, and with the project's guide", async () => {
    using place = withProgram(echo);
    const guide = place.write("AGENTS.md", "Be brief.\n");
    const more = { env: place.env, folder: place.path, prompt: "go" };
    const { said } = await started(opencodeAgent(settings), more);
    expect(said[0]).not.toContain("--auto");
    expect(JSON.parse(said[2]?.slice(4) ?? "")).toMatchObject({ "*": "deny", bash: "allow", edit: "allow" });
    expect(JSON.parse(said[3]?.slice(5) ?? "")).toEqual({ instructions: [guide] });
  });

  it("does not wait for hours when its server demands that", async () => {
    using place = withProgram(`echo '${log("You exceeded your current quota")}' >&2; exec sleep 60`);
    const client = endingLongWaits(opencodeAgent(settings), 200);
    const { end } = await started(client, { env: place.env, prompt: "go" });
    expect(end).toEqual({ how: "limited", until: null, reason: "You exceeded your current quota" });
  });

  it("may wait for a short time and continue by itself", async () => {
    const answer = JSON.stringify(text('{"status":"OK"}'));
    const script = `echo '${log("Overloaded")}' >&2; sleep 0.1; echo '${answer}'; sleep 0.5`;
    using place = withProgram(script);
    const client = endingLongWaits(opencodeAgent(settings), 400);
    const { end } = await started(client, { env: place.env, prompt: "go" });
    expect(end).toEqual({ how: "done", answer: { status: "OK" } });
  });

  it("is usable with a known provider, and then has the settings that it needs to start", async () => {
    using place = withProgram("");
    const client = opencodeAgent(settings);
    expect(await client.probe()).toMatchObject({ usable: true, version: "1.18.33" });
    const folder = (name: string) => join(place.path, "home", name, "opencode");
    expect(client.home).toMatchObject({
      folders: [{ path: folder(".local/share") }, { path: folder(".local/state") }],
      shows: [folder(".config")],
    });
    expect(readdirSync(folder(".config"))).toEqual([".gitignore"]);
    const other = opencodeAgent({ ...settings, model: "q/m" });
    expect(await other.probe()).toMatchObject({ usable: false, why: "unauthenticated" });
  });

  it("gets only the key of its model's provider", () => {
    const keys = (model: string | null) =>
      opencodeAgent({ model, args: [], env: {} }).passes.filter((name) => name.endsWith("_API_KEY"));
    expect(keys("openai/gpt-6")).toEqual(["OPENAI_API_KEY"]);
    expect(keys("own/m")).toEqual([]);
    expect(keys(null)).toContain("ANTHROPIC_API_KEY");
  });
});
