import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { geminiAgent } from "../../src/clients/gemini/run.ts";
import { missing as noSandbox } from "../support/sandboxed.ts";
import { clientPlace } from "./support/client-place.ts";
import { clientRepository, fileTask, report } from "./support/client-repository.ts";
import { type GeminiStandIn, geminiStandIn, refusal } from "./support/gemini.ts";
import { installClient } from "./support/install-client.ts";
import type { Answer, Turn } from "./support/stand-in.ts";

const { bin, missing } = await installClient("gemini", "@google/gemini-cli", "0.61.0");

const model = "gemini-2.5-pro";
const settings = { model, args: [], env: {} };
/** Only a login by key may use a custom server. */
const keyAsLogin = JSON.stringify({ security: { auth: { selectedType: "gemini-api-key" } } });

function envFor({ url }: GeminiStandIn) {
  return { GEMINI_API_KEY: "stand-in", GOOGLE_GEMINI_BASE_URL: url };
}

function write(file: string, content: string): Turn {
  return { calls: [{ name: "write_file", input: { file_path: file, content } }] };
}

/** One conversation with the client alone. */
async function talk(
  turns: readonly (Turn | Answer)[],
  {
    prompt = "go",
    sandboxed = noSandbox === undefined,
    files = {},
  }: { prompt?: string; sandboxed?: boolean; files?: Record<string, string> } = {},
) {
  await using server = await geminiStandIn(turns);
  using place = clientPlace({ bin, env: envFor(server), files });
  place.home.write(".gemini/settings.json", keyAsLogin);
  const client = geminiAgent(settings);
  const probe = await client.probe();
  const started = await place.start(client, { prompt, sandboxed });
  const read = (name: string) => {
    const file = join(place.repository.path, name);
    return existsSync(file) ? readFileSync(file, "utf8") : undefined;
  };
  return {
    ...started,
    probe,
    prompts: server.prompts(),
    files: Object.fromEntries(names.map((name) => [name, read(name)])),
  };
}

const names = ["made.txt", "hook-ran", "server-ran"];

describe.skipIf(missing !== undefined)("the gemini client alone", () => {
  it.each([noSandbox === undefined, false])(
    "works in a sandbox (%s), and reports its actions and usage",
    async (sandboxed) => {
      const turns = [
        { text: "I begin.", ...write("made.txt", "one\n") },
        { calls: [{ name: "run_shell_command", input: { command: "cat made.txt" } }] },
        { text: `Done.\n${report()}`, usage: { input: 50, cached: 30, output: 7 } },
      ];
      const { end, events, probe, files } = await talk(turns, { sandboxed });
      expect(end).toEqual({ how: "done", answer: JSON.parse(report()) });
      expect(probe).toMatchObject({ usable: true, version: "0.61.0", can: { resume: true } });
      expect(files["made.txt"]).toBe("one\n");
      const tools = events.filter(({ type }) => type === "tool");
      expect(tools).toMatchObject([
        { name: "write_file", text: "made.txt" },
        { name: "run_shell_command", text: "cat made.txt" },
      ]);
      expect(events).toContainEqual({ type: "tool-result", text: "one" });
      expect(events).toContainEqual({ type: "said", text: "I begin." });
      const usual = { type: "usage", tokens: 110, input: 100, cached: 0, output: 10 };
      const last = { type: "usage", tokens: 57, input: 50, cached: 30, output: 7 };
      expect(events.filter(({ type }) => type === "usage")).toMatchObject([usual, usual, last]);
      expect(events.filter(({ type }) => type === "conversation")).toHaveLength(1);
    },
  );

  it("gets the whole prompt, without files in the place of names", async () => {
    const prompt = `Look at @a.txt, mail me@example.com.\n${"word ".repeat(60_000)}\nthe end`;
    const { prompts } = await talk([{ text: report() }], { prompt });
    const text = prompts[0]?.replaceAll("\\@", "@") ?? "";
    expect(text).toContain(prompt);
    expect(text).not.toContain("Content from");
  });

  it("runs nothing from the project's own settings", async () => {
    const mark = (name: string) => `touch "$PWD/${name}"`;
    const hook = { type: "command", command: mark("hook-ran"), name: "h" };
    const project = {
      hooks: { BeforeTool: [{ hooks: [hook] }], SessionStart: [{ hooks: [hook] }] },
      mcpServers: { s: { command: "sh", args: ["-c", mark("server-ran")] } },
    };
    const { end, files } = await talk([write("made.txt", "one\n"), { text: report() }], {
      files: { ".gemini/settings.json": JSON.stringify(project), "GEMINI.md": "Be brief.\n" },
    });
    expect(end.how).toBe("done");
    expect(files).toEqual({ "made.txt": "one\n", "hook-ran": undefined, "server-ran": undefined });
  });

  it("ends as limited by a quota, until the time that the server sends", async () => {
    const quota = refusal(429, "RESOURCE_EXHAUSTED", "Your quota will reset after 3h17m5s.", [
      {
        "@type": "type.googleapis.com/google.rpc.ErrorInfo",
        reason: "QUOTA_EXHAUSTED",
        domain: "cloudcode-pa.googleapis.com",
      },
      { "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "11825s" },
    ]);
    const before = Date.now();
    const { end } = await talk([quota]);
    expect(end).toMatchObject({ how: "limited", reason: "Your quota will reset after 3h17m5s." });
    const until = end.how === "limited" ? (end.until?.getTime() ?? 0) : 0;
    expect(until - before).toBeGreaterThan(11_800_000);
    expect(until - before).toBeLessThan(12_000_000);
  });

  it("ends as unauthenticated with a key that the server rejects", async () => {
    const invalid = refusal(400, "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key.", [
      {
        "@type": "type.googleapis.com/google.rpc.ErrorInfo",
        reason: "API_KEY_INVALID",
        domain: "googleapis.com",
      },
    ]);
    const { end } = await talk([invalid]);
    expect(end).toEqual({
      how: "unauthenticated",
      reason: "API key not valid. Please pass a valid API key.",
    });
    const { end: unknown } = await talk([
      refusal(401, "UNAUTHENTICATED", "Request had invalid credentials."),
    ]);
    expect(unknown).toEqual({ how: "unauthenticated", reason: "Request had invalid credentials." });
  });

  it("is not usable without a login", async () => {
    using _place = clientPlace({ bin });
    expect(await geminiAgent(settings).probe()).toMatchObject({ usable: false, why: "unauthenticated" });
  });
});

describe.skipIf(missing !== undefined)("a run with the gemini client", () => {
  const agentConfig = `{ adapter: gemini, role: Coder, model: ${model} }`;

  it("merges proven work, and records the usage", async () => {
    await using server = await geminiStandIn([write("T-1.txt", "one\n"), { text: report() }]);
    using repository = clientRepository({ agentConfig, tasks: [fileTask("T-1")], bin, env: envFor(server) });
    repository.home.write(".gemini/settings.json", keyAsLogin);
    const { done, stderr } = await repository.run();
    expect(done.outcome, stderr).toBe("merged");
    expect(done.tasks).toMatchObject([{ state: "MERGED", attempts: 1, usage: { tokens: 220 } }]);
    expect(repository.git("show", "main:T-1.txt")).toBe("one");
    expect(server.prompts()[0]).toContain("make T-1.txt");
  });

  it("continues the same conversation after a refused review", async () => {
    await using server = await geminiStandIn([
      write("T-1.txt", "one\n"),
      { text: "And another.", ...write("stray.txt", "none\n") },
      { text: report() },
      { calls: [{ name: "run_shell_command", input: { command: "rm stray.txt" } }] },
      { text: report() },
    ]);
    using repository = clientRepository({ agentConfig, tasks: [fileTask("T-1")], bin, env: envFor(server) });
    repository.home.write(".gemini/settings.json", keyAsLogin);
    const { done, stderr } = await repository.run();
    expect(done.outcome, stderr).toBe("merged");
    expect(done.tasks).toMatchObject([{ state: "MERGED", attempts: 2 }]);
    const again = server.prompts()[3] ?? "";
    expect(again).toContain("And another.");
    expect(again).toContain("This is attempt 2");
    expect(again.match(/You are Coder in a team/g)).toHaveLength(1);
  });
});
