import { describe, expect, it } from "vitest";
import { missing as noSandbox } from "../support/sandboxed.ts";
import { anthropicStandIn } from "./support/anthropic.ts";
import { clientRepository, fileTask, report } from "./support/client-repository.ts";
import { geminiStandIn } from "./support/gemini.ts";
import { installClient } from "./support/install-client.ts";
import { openaiStandIn } from "./support/openai.ts";

interface Client {
  readonly install: readonly [name: string, pack: string, version: string];
  /** The name of its tool for the shell, and of the parameter for the command. */
  readonly shell: readonly [tool: string, input: string];
  readonly model?: string;
  readonly standIn: typeof openaiStandIn | typeof geminiStandIn | typeof anthropicStandIn;
  env?(url: string): Record<string, string>;
  files?(url: string): Record<string, string>;
}

const provider = (url: string) => ({
  ...{ npm: "@ai-sdk/openai-compatible", name: "Stand-in" },
  options: { baseURL: `${url}/v1`, apiKey: "stand-in" },
  models: { m: { name: "m", tool_call: true, limit: { context: 500_000, output: 8000 } } },
});

const clients: Readonly<Record<string, Client>> = {
  claude: {
    install: ["claude", "@anthropic-ai/claude-code", "2.1.325"],
    shell: ["Bash", "command"],
    standIn: anthropicStandIn,
    env: (url) => ({ ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: "stand-in" }),
  },
  codex: {
    install: ["codex", "@openai/codex", "0.166.0"],
    shell: ["exec_command", "cmd"],
    standIn: openaiStandIn,
    env: () => ({ STAND_IN_KEY: "stand-in" }),
    files: (url) => ({
      ".codex/config.toml": `model = "gpt-5.5"\nmodel_provider = "s"\n[model_providers.s]\nname = "s"\nbase_url = "${url}/v1"\nwire_api = "responses"\nenv_key = "STAND_IN_KEY"\n`,
    }),
  },
  gemini: {
    install: ["gemini", "@google/gemini-cli", "0.61.0"],
    shell: ["run_shell_command", "command"],
    model: "gemini-2.5-pro",
    standIn: geminiStandIn,
    env: (url) => ({ GEMINI_API_KEY: "stand-in", GOOGLE_GEMINI_BASE_URL: url }),
    files: () => ({ ".gemini/settings.json": '{"security":{"auth":{"selectedType":"gemini-api-key"}}}' }),
  },
  opencode: {
    install: ["opencode", "opencode-ai", "1.18.33"],
    shell: ["bash", "command"],
    model: "standin/m",
    standIn: openaiStandIn,
    files: (url) => ({
      ".config/opencode/opencode.json": JSON.stringify({ provider: { standin: provider(url) } }),
    }),
  },
  copilot: {
    install: ["copilot", "@github/copilot", "1.0.102"],
    shell: ["bash", "command"],
    model: "stand-in",
    standIn: openaiStandIn,
    env: (url) => ({
      COPILOT_OFFLINE: "true",
      COPILOT_PROVIDER_BASE_URL: `${url}/v1`,
      COPILOT_PROVIDER_API_KEY: "key-of-the-stand-in",
      COPILOT_PROVIDER_MAX_PROMPT_TOKENS: "1000000",
      COPILOT_PROVIDER_MAX_OUTPUT_TOKENS: "8000",
    }),
  },
};

describe.each(Object.entries(clients))("%s", async (name, client) => {
  const { bin, missing } = await installClient(...client.install);

  it.skipIf(missing !== undefined).each([
    ["inside the sandbox", "required"],
    ["outside", "off"],
  ])("finds `lockstep` %s, and gets more scope with it", async (_, sandbox) => {
    if (sandbox === "required" && noSandbox !== undefined) return;
    const [tool, input] = client.shell;
    const runs = (command: string) => ({
      calls: [{ name: tool, input: { [input]: command, description: "does it" } }],
    });
    await using server = await client.standIn([
      runs("lockstep widen A B.txt --why 'it belongs there'"),
      runs("echo made > A.txt"),
      runs("echo made > B.txt"),
      { text: report() },
    ]);
    const model = client.model === undefined ? "" : `, model: ${client.model}`;
    using repository = clientRepository({
      ...{ bin, tasks: [fileTask("A")], env: client.env?.(server.url) ?? {} },
      agentConfig: `{ adapter: ${name}, role: Coder${model} }`,
      config: `sandbox: ${sandbox}\nlimits: { widen: auto }\n`,
    });
    for (const [path, text] of Object.entries(client.files?.(server.url) ?? {}))
      repository.home.write(path, text);
    const { stderr } = await repository.run();
    const last = server.prompts().at(-1) ?? "";
    expect(last, stderr).toContain("now also held: B.txt");
    expect(last).not.toContain("command not found");
  });
});
