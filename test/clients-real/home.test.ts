import { execFile, execFileSync } from "node:child_process";
import { existsSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { eventually } from "../support/run-command.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { missing as noWalls } from "../support/walled.ts";
import { anthropicStandIn } from "./support/anthropic.ts";
import { clientRepository, fileTask, report } from "./support/client-repository.ts";
import { geminiStandIn } from "./support/gemini.ts";
import { installClient } from "./support/install-client.ts";
import { openaiStandIn } from "./support/openai.ts";
import type { ModelCall, StandIn, Turn } from "./support/stand-in.ts";

interface TriedClient {
  readonly name: string;
  readonly pack: readonly [name: string, version: string];
  /** Where it keeps its state, below the home. */
  readonly folder: string;
  /** What it obeys there. */
  readonly obeys: readonly string[];
  readonly model?: string;
  standIn(turns: readonly Turn[]): Promise<StandIn & { heard(): readonly string[] }>;
  env(url: string): Readonly<Record<string, string>>;
  /** The person's own settings. */
  files(url: string): Readonly<Record<string, string>>;
  shell(command: string): ModelCall;
  /** As a person starts it without a terminal. */
  asks(prompt: string, resume?: string): readonly string[];
}

const standInModel = { m: { name: "m", tool_call: true, limit: { context: 500_000, output: 8000 } } };

const clients: readonly TriedClient[] = [
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

const planted = "planted-by-the-agent";
/** Some clients take long to start. */
const msMax = 100_000;

describe.skipIf(noWalls !== undefined).each(clients)("the home of a person whose $name", (client) => {
  async function opened(turns: readonly Turn[]) {
    const { bin, missing } = await installClient(client.name, ...client.pack);
    if (missing !== undefined) return undefined;
    const server = await client.standIn(turns);
    const { model } = client;
    const repository = clientRepository({
      agentConfig: `{ adapter: ${client.name}, role: Coder${model === undefined ? "" : `, model: ${model}`} }`,
      ...{ tasks: [fileTask("A")], config: "sandbox: required\n", env: client.env(server.url), bin },
    });
    for (const [file, text] of Object.entries(client.files(server.url))) repository.home.write(file, text);
    const asks = async (words: readonly string[], cwd: string) => {
      const [program = "", ...rest] = words;
      const env = {
        ...{ PATH: `${bin}:${process.env.PATH}`, HOME: repository.home.path, LANG: "C.UTF-8" },
        ...client.env(server.url),
      };
      const asked = promisify(execFile)(program, rest, { cwd, env, timeout: msMax });
      asked.child.stdin?.end();
      await asked;
    };
    return { server, repository, asks };
  }

  it("works in `run` has nothing of what its agent planted, and the next conversation hears none of it", async () => {
    const plant = client.obeys.map((path) => {
      const file = `~/${client.folder}/${path}`;
      return `mkdir -p ${dirname(file)}; echo ${planted} >> ${file}; ln -s ~/.bashrc ${file}-link`;
    });
    const all = await opened([
      { calls: [client.shell(`(${plant.join("; ")}) 2>/dev/null; echo made > A.txt`)] },
      { text: report() },
      { text: "Hello." },
    ]);
    if (all === undefined) return;
    await using server = all.server;
    using repository = all.repository;
    const { status, stderr } = await repository.run();
    expect(status, stderr).toBe(0);
    const home = repository.home.path;
    const found = execFileSync(
      "sh",
      [
        ...[
          "-c",
          `find . -path ./.local/state/lockstep -prune -o -type l -print; grep -rlE '${planted}' . || true`,
        ],
      ],
      { cwd: home, encoding: "utf8" },
    );
    const own = (path: string) => !path.startsWith("./.local/state/lockstep") && !path.includes("/.cache/");
    expect(found.split("\n").filter((path) => path !== "" && own(path))).toEqual([]);
    using elsewhere = temporaryFolder({ "a.txt": "" });
    execFileSync("git", ["init", "-q"], { cwd: elsewhere.path });
    await all.asks(client.asks("good day"), elsewhere.path);
    expect(server.heard().at(-1)).toContain("good day");
    expect(server.heard().at(-1)).not.toContain(planted);
  });

  it("worked in a task that the person takes over has its conversation, which goes on there", async () => {
    const all = await opened([
      { text: "FIRST WORD", calls: [client.shell("touch first")] },
      { calls: [client.shell("touch second; sleep 100")] },
      { text: "I am back.", calls: [client.shell("touch allowed")] },
      { text: "Done." },
    ]);
    if (all === undefined) return;
    await using server = all.server;
    using repository = all.repository;
    using running = repository.start("run", "--json");
    const shown = async () => JSON.parse((await repository.lockstep("task", "show", "A", "--json")).stdout);
    const tree = join(repository.home.path, ".local/state/lockstep");
    const fileOf = (name: string) =>
      existsSync(tree)
        ? execFileSync("find", [tree, "-name", name, "-path", "*/tree/*"], { encoding: "utf8" }).trim()
        : "";
    const second = await eventually("the agent works", () => fileOf("second") || undefined, msMax);
    const { mtimeMs } = statSync(fileOf("first"));
    const isTold = async () => Date.parse((await shown()).alive.last_heartbeat_at) > mtimeMs;
    await eventually("its conversation is known", async () => (await isTold()) || undefined, msMax);
    const taken = await repository.lockstep("take", "A", "--json");
    await running.ended;
    const { details } = JSON.parse(taken.stdout) as { details: { folder: string; resume?: string[] } };
    expect(details, taken.stdout).toMatchObject({ folder: join(second, ".."), resume: expect.anything() });
    const id = details.resume?.at(-1)?.replace("--resume=", "");
    const before = server.heard().length;
    await all.asks(client.asks("I go on", id), details.folder);
    const heard = server.heard()[before] ?? "";
    expect(heard).toContain("FIRST WORD");
    expect(heard).toContain("I go on");
    // What the agent was allowed in its sandbox it is not allowed here.
    expect(existsSync(join(details.folder, "allowed"))).toBe(false);
  });
});
