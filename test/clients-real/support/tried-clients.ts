import { anthropicStandIn } from "./anthropic.ts";
import { geminiStandIn } from "./gemini.ts";
import { openaiStandIn } from "./openai.ts";
import type { ModelCall, StandIn, Turn } from "./stand-in.ts";

export interface TriedClient {
  readonly name: string;
  readonly pack: readonly [name: string, version: string];
  /** The folder of its state, below the home. */
  readonly folder: string;
  /** The files in it that control the client. */
  readonly obeys: readonly string[];
  readonly model?: string;
  standIn(turns: readonly Turn[]): Promise<StandIn & { prompts(): readonly string[] }>;
  env(url: string): Readonly<Record<string, string>>;
  /** The person's own settings. */
  files(url: string): Readonly<Record<string, string>>;
  shell(command: string): ModelCall;
  /** The command with which a person starts it without a terminal. */
  asks(prompt: string, resume?: string): readonly string[];
}

const standInModel = { m: { name: "m", tool_call: true, limit: { context: 500_000, output: 8000 } } };

/** All clients that run here, each with a model that the test plays. */
export const triedClients: readonly TriedClient[] = [
  {
    name: "claude",
    pack: ["@anthropic-ai/claude-code", "2.1.325"],
    folder: ".claude",
    obeys: [
      ...["CLAUDE.md", "settings.json", "skills/x/SKILL.md", "agents/x.md", "commands/x.md", "hooks/x.sh"],
      ...["rules/x.md", "output-styles/x.md", "workflows/x.md", "projects/-other/memory/MEMORY.md"],
      "../.claude.json",
    ],
    standIn: anthropicStandIn,
    env: (url) => ({ ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: "stand-in" }),
    files: () => ({}),
    shell: (command) => ({ name: "Bash", input: { command } }),
    asks: (prompt, resume) => [
      ...["claude", "-p", ...(resume === undefined ? [] : ["--resume", resume])],
      prompt,
    ],
  },
  {
    name: "codex",
    pack: ["@openai/codex", "0.166.0"],
    folder: ".codex",
    obeys: [
      ...["AGENTS.md", "AGENTS.override.md", "hooks.json", ".env", "config.toml", "agents/x.toml"],
      ...["prompts/x.md", "rules/x.rules", "skills/x/SKILL.md", "memories/x.md", "environments/x.toml"],
    ],
    standIn: openaiStandIn,
    env: () => ({ STAND_IN_KEY: "stand-in" }),
    files: (url) => ({
      ".codex/config.toml": [
        ...['model = "gpt-5.5"', 'model_provider = "stand-in"', "[model_providers.stand-in]"],
        ...[
          'name = "stand-in"',
          `base_url = "${url}/v1"`,
          'wire_api = "responses"',
          'env_key = "STAND_IN_KEY"',
        ],
        "",
      ].join("\n"),
    }),
    shell: (cmd) => ({ name: "exec_command", input: { cmd, yield_time_ms: 30_000 } }),
    asks: (prompt, resume) => [
      ...["codex", "exec", "--skip-git-repo-check"],
      ...(resume === undefined ? [prompt] : ["resume", resume, prompt]),
    ],
  },
  {
    name: "gemini",
    pack: ["@google/gemini-cli", "0.61.0"],
    folder: ".gemini",
    obeys: [
      ...[".env", "GEMINI.md", "system.md", "settings.json", "trustedFolders.json", "extensions/x/x.json"],
      ...["mcp-server-enablement.json", "commands/x.toml", "skills/x/SKILL.md", "agents/x.md"],
      ...["policies/x.toml", "tmp/bin/rg", "tmp/other/memory/MEMORY.md"],
    ],
    model: "gemini-2.5-pro",
    standIn: geminiStandIn,
    env: (url) => ({ GEMINI_API_KEY: "stand-in", GOOGLE_GEMINI_BASE_URL: url }),
    files: () => ({
      ".gemini/settings.json": JSON.stringify({ security: { auth: { selectedType: "gemini-api-key" } } }),
    }),
    shell: (command) => ({ name: "run_shell_command", input: { command } }),
    asks: (prompt, resume) => [
      ...["gemini", "--skip-trust", "--model", "gemini-2.5-pro"],
      ...(resume === undefined ? [] : ["--resume", resume]),
      ...["-p", prompt],
    ],
  },
  {
    name: "opencode",
    pack: ["opencode-ai", "1.18.33"],
    folder: ".local/share/opencode",
    obeys: [
      ...["auth.json", "mcp-auth.json", "bin/rg", "../../../.config/opencode/AGENTS.md"],
      ...["../../../.config/opencode/plugins/x.js", "../../state/opencode/model.json"],
    ],
    model: "standin/m",
    standIn: openaiStandIn,
    env: () => ({ OPENCODE_DISABLE_MODELS_FETCH: "1" }),
    files: (url) => ({
      ".config/opencode/opencode.json": JSON.stringify({
        permission: { bash: "ask" },
        provider: {
          standin: {
            ...{ npm: "@ai-sdk/openai-compatible", name: "Stand-in", models: standInModel },
            options: { baseURL: `${url}/v1`, apiKey: "stand-in" },
          },
        },
      }),
    }),
    shell: (command) => ({ name: "bash", input: { command, description: "does it", timeout: 60_000 } }),
    asks: (prompt, resume) => [
      ...["opencode", "run", "--model", "standin/m", "--title", "t"],
      ...(resume === undefined ? [] : ["--session", resume]),
      prompt,
    ],
  },
  {
    name: "copilot",
    pack: ["@github/copilot", "1.0.102"],
    folder: ".copilot",
    obeys: [
      ...["settings.json", "config.json", "mcp-config.json", "lsp-config.json", "permissions-config.json"],
      ...["copilot-instructions.md", "agents/x.md", "extensions/x.js", "hooks/x.json", "skills/x/SKILL.md"],
      ...["installed-plugins/x", "instructions/x.instructions.md"],
    ],
    model: "stand-in",
    standIn: openaiStandIn,
    env: (url) => ({
      ...{ COPILOT_OFFLINE: "true", COPILOT_PROVIDER_BASE_URL: `${url}/v1` },
      ...{ COPILOT_PROVIDER_API_KEY: "key-of-the-stand-in", COPILOT_PROVIDER_MAX_PROMPT_TOKENS: "1000000" },
      COPILOT_PROVIDER_MAX_OUTPUT_TOKENS: "8000",
    }),
    files: () => ({}),
    shell: (command) => ({
      name: "bash",
      input: { command, description: "does it", mode: "sync", initial_wait: 60 },
    }),
    asks: (prompt, resume) => [
      ...["copilot", "--model", "stand-in", ...(resume === undefined ? [] : [`--resume=${resume}`])],
      ...["-p", prompt],
    ],
  },
];
