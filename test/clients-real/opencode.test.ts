import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { opencodeAgent } from "../../src/clients/opencode/run.ts";
import { missing as noSandbox } from "../support/sandboxed.ts";
import { clientPlace } from "./support/client-place.ts";
import { clientRepository, fileTask, report } from "./support/client-repository.ts";
import { installClient } from "./support/install-client.ts";
import { openaiStandIn } from "./support/openai.ts";
import type { Answer, Turn } from "./support/stand-in.ts";

const { bin, missing } = await installClient("opencode", "opencode-ai", "1.18.33");

const model = "standin/m";
const settings = { model, args: [], env: {} };
const configFile = ".config/opencode/opencode.json";

/** The person's own settings, with a provider of their own. */
function configFor(url: string): string {
  const known = { m: { name: "m", tool_call: true, limit: { context: 500_000, output: 8000 } } };
  const options = { baseURL: `${url}/v1`, apiKey: "stand-in" };
  const provider = { npm: "@ai-sdk/openai-compatible", name: "Stand-in", options, models: known };
  return JSON.stringify({ provider: { standin: provider } });
}

function write(filePath: string, content: string): Turn {
  return { calls: [{ name: "write", input: { filePath, content } }] };
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
  await using server = await openaiStandIn(turns);
  using place = clientPlace({ bin, files });
  place.home.write(configFile, configFor(server.url));
  const client = opencodeAgent(settings);
  const probe = await client.probe();
  const started = await place.start(client, { prompt, sandboxed });
  const read = (name: string) => {
    const file = join(place.repository.path, name);
    return existsSync(file) ? readFileSync(file, "utf8") : undefined;
  };
  const after = Object.fromEntries(names.map((name) => [name, read(name)]));
  return { ...started, probe, asked: server.asked, prompts: server.prompts(), files: after };
}

const names = ["made.txt", "plugin-ran", "server-ran"];

describe.skipIf(missing !== undefined)("the opencode client alone", () => {
  it.each([noSandbox === undefined, false])(
    "works in a sandbox (%s), and reports its actions and usage",
    async (sandboxed) => {
      const { end, events, probe, files } = await talk(
        [
          { text: "I begin.", ...write("made.txt", "one\n") },
          { calls: [{ name: "bash", input: { command: "cat made.txt", description: "look" } }] },
          { text: `Done.\n${report()}`, usage: { input: 50, cached: 30, output: 7 } },
        ],
        { sandboxed },
      );
      expect(end).toEqual({ how: "done", answer: JSON.parse(report()) });
      expect(probe).toMatchObject({ usable: true, version: "1.18.33", can: { resume: true } });
      expect(files["made.txt"]).toBe("one\n");
      expect(events.filter(({ type }) => type === "tool")).toMatchObject([
        { name: "write", text: "made.txt" },
        { name: "bash", text: "cat made.txt" },
      ]);
      expect(events).toContainEqual({ type: "tool-result", text: "one\n" });
      expect(events).toContainEqual({ type: "said", text: "I begin." });
      const usual = { type: "usage", tokens: 110, input: 100, cached: 0, output: 10 };
      const last = { type: "usage", tokens: 57, input: 50, cached: 30, output: 7 };
      expect(events.filter(({ type }) => type === "usage")).toEqual([usual, usual, last]);
      expect(events.filter(({ type }) => type === "conversation")).toHaveLength(1);
    },
  );

  it("gets the whole, unchanged prompt, and asks no model for a title", async () => {
    const prompt = `Look at @a.txt, mail me@example.com.\n${"word ".repeat(60_000)}\nthe end`;
    const { asked, prompts } = await talk([{ text: report() }], { prompt });
    expect(asked).toHaveLength(1);
    expect(prompts[0]).toContain(prompt);
  });

  it("runs nothing from the project's own settings, and reads its guide", async () => {
    const mark = (name: string) => `require("fs").writeFileSync("${name}", "")`;
    const project = {
      mcp: { s: { type: "local", command: ["sh", "-c", "touch server-ran"], enabled: true } },
    };
    await using server = await openaiStandIn([write("made.txt", "one\n"), { text: report() }]);
    using place = clientPlace({
      bin,
      files: {
        "opencode.json": JSON.stringify(project),
        ".opencode/plugins/p.js": `export const P = async () => { ${mark("plugin-ran")}; return {} };\n`,
        "AGENTS.md": "Be brief.\n",
      },
    });
    place.home.write(configFile, configFor(server.url));
    const client = opencodeAgent(settings);
    await client.probe();
    const { end } = await place.start(client, { prompt: "go", sandboxed: noSandbox === undefined });
    expect(end.how).toBe("done");
    expect(server.prompts()[0]).toContain("Be brief.");
    const found = names.filter((name) => existsSync(join(place.repository.path, name)));
    expect(found).toEqual(["made.txt"]);
  });

  it("continues without a sandbox after a refused write outside its folder", async () => {
    using outside = clientPlace({ bin });
    const file = join(outside.home.path, "out.txt");
    const { end, events } = await talk([write(file, "out\n"), { text: report() }], { sandboxed: false });
    expect(end.how).toBe("done");
    expect(existsSync(file)).toBe(false);
    expect(events.filter(({ type }) => type === "tool-result")).toHaveLength(1);
  });

  it.skipIf(noSandbox !== undefined)(
    "cannot change the settings of the person's own conversations",
    async () => {
      const command = "touch ~/.config/opencode/x; touch ~/.local/share/opencode/y";
      const shell = { calls: [{ name: "bash", input: { command, description: "try" } }] };
      const { events } = await talk([shell, { text: report() }]);
      const results = events.flatMap((event) => (event.type === "tool-result" ? [event.text] : []));
      expect(results.join("\n").match(/Read-only file system/g)).toHaveLength(1);
    },
  );

  it("ends as limited if the server still refuses after its own retries", async () => {
    const error = { error: { message: "Rate limit reached for m", code: "rate_limit_exceeded" } };
    const { end, asked } = await talk([{ status: 429, headers: { "retry-after": "1" }, body: error }]);
    expect(end).toMatchObject({
      how: "limited",
      until: expect.any(Date),
      reason: "Rate limit reached for m",
    });
    expect(asked.length).toBeGreaterThan(1);
  });

  it("ends as unauthenticated with a key that the server rejects", async () => {
    const error = { error: { message: "Incorrect API key provided", code: "invalid_api_key" } };
    const { end } = await talk([{ status: 401, body: error }]);
    expect(end).toEqual({ how: "unauthenticated", reason: "Incorrect API key provided" });
  });

  it("is not usable with a model of a provider without a login", async () => {
    using _place = clientPlace({ bin });
    expect(await opencodeAgent(settings).probe()).toMatchObject({ usable: false, why: "unauthenticated" });
  });
});

describe.skipIf(missing !== undefined)("a run with the opencode client", () => {
  const agentConfig = `{ adapter: opencode, role: Coder, model: ${model} }`;

  it("merges proven work, and records the usage", async () => {
    await using server = await openaiStandIn([write("T-1.txt", "one\n"), { text: report() }]);
    using repository = clientRepository({ agentConfig, tasks: [fileTask("T-1")], bin });
    repository.home.write(configFile, configFor(server.url));
    const { done, stderr } = await repository.run();
    expect(done.outcome, stderr).toBe("merged");
    const usage = { tokens: 220 };
    expect(done.tasks).toMatchObject([{ state: "MERGED", attempts: 1, usage }]);
    expect(repository.git("show", "main:T-1.txt")).toBe("one");
    expect(server.prompts()[0]).toContain("make T-1.txt");
  });

  it("continues the same conversation after a refused review", async () => {
    const turns = [
      write("T-1.txt", "one\n"),
      { text: "And another.", ...write("stray.txt", "none\n") },
      { text: report() },
      { calls: [{ name: "bash", input: { command: "rm stray.txt", description: "undo" } }] },
      { text: report() },
    ];
    await using server = await openaiStandIn(turns);
    using repository = clientRepository({ agentConfig, tasks: [fileTask("T-1")], bin });
    repository.home.write(configFile, configFor(server.url));
    const { done, stderr } = await repository.run();
    expect(done.outcome, stderr).toBe("merged");
    expect(done.tasks).toMatchObject([{ state: "MERGED", attempts: 2 }]);
    const again = server.prompts()[3] ?? "";
    expect(again).toContain("And another.");
    expect(again).toContain("This is attempt 2");
    expect(again.match(/You are Coder in a team/g)).toHaveLength(1);
  });
});
