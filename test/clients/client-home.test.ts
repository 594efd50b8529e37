import { lstatSync, readdirSync, readFileSync, readlinkSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { agentClients } from "../../src/contract/client-names.ts";
import { readRun } from "../support/planned-repository.ts";
import { eventually } from "../support/run-command.ts";
import { missing } from "../support/sandboxed.ts";
import { type ClientsRepository, clientsRepository } from "../support/scripted-client.ts";

/** The files in each client's folder that control the client. */
const obeyed = {
  claude: [
    ...[
      "CLAUDE.md",
      "settings.json",
      "settings.local.json",
      "skills/x/SKILL.md",
      "agents/x.md",
      "commands/x.md",
    ],
    ...["hooks/x.sh", "rules/x.md", "output-styles/x.md", "workflows/x.md", "plugins/x.json", ".claude.json"],
    ...["projects/-other/memory/MEMORY.md", "projects/-other/planted.jsonl", "local/claude", ".config.json"],
  ],
  codex: [
    ...["config.toml", "hooks.json", "AGENTS.md", "AGENTS.override.md", ".env", "agents/x.toml", "hooks/x"],
    ...[
      "plugins/x",
      "prompts/x.md",
      "rules/x.rules",
      "skills/x/SKILL.md",
      "memories/x.md",
      "environments/x.toml",
    ],
    ...["managed_config.toml", "packages/standalone/codex"],
  ],
  gemini: [
    ...[
      ".env",
      "settings.json",
      "trustedFolders.json",
      "GEMINI.md",
      "system.md",
      "mcp-server-enablement.json",
    ],
    ...["extensions/x/x.json", "commands/x.toml", "skills/x/SKILL.md", "agents/x.md", "policies/x.toml"],
    ...["tmp/bin/rg", "tmp/other/memory/MEMORY.md"],
  ],
  opencode: [
    "bin/rg",
    "auth.json",
    "mcp-auth.json",
    "plugins/x.js",
    "../../../.config/opencode/opencode.json",
  ],
  copilot: [
    ...["settings.json", "mcp-config.json", "lsp-config.json", "copilot-instructions.md", "config.json"],
    ...["permissions-config.json", "agents/x.md", "extensions/x.js", "hooks/x.json", "installed-plugins/x"],
    ...["instructions/x.md", "skills/x/SKILL.md", "pkg/x/index.js"],
  ],
};

/** Tries each path, and next to each one a link into the home. */
const plants = `
for (const path of ${JSON.stringify(obeyed)}[name]) {
  const file = join(folder, path);
  try { fs.mkdirSync(dirname(file), { recursive: true }); fs.appendFileSync(file, "planted\\n"); } catch {}
  try { fs.symlinkSync(join(home, ".bashrc"), file + "-link"); } catch {}
}
for (const path of [".claude.json", ".bashrc", ".config/opencode/plugins/x.js", ".local/state/opencode/kv.json"])
  try { fs.mkdirSync(dirname(join(home, path)), { recursive: true }); fs.appendFileSync(join(home, path), "planted\\n"); } catch {}
fs.writeFileSync(name + ".txt", "made\\n");
`;

const unlessMissing = describe.skipIf(missing !== undefined);

/** Every file in a folder. Lockstep's own folders are not entered: it still deletes in them after a run has ended. */
function everythingIn(folder: string, below = ""): Record<string, string> {
  const found: Record<string, string> = {};
  for (const entry of readdirSync(join(folder, below), { withFileTypes: true })) {
    const path = join(below, entry.name);
    const file = join(folder, path);
    if (below !== "" && entry.name.startsWith("lockstep")) continue;
    if (entry.isDirectory()) Object.assign(found, everythingIn(folder, path));
    else if (entry.isSymbolicLink()) found[path] = `-> ${readlinkSync(file)}`;
    else if (entry.isFile()) found[path] = readFileSync(file, "utf8");
  }
  return found;
}

async function ranWell(repository: ClientsRepository) {
  const { status, stdout, stderr } = await repository.run(["run", "--json"]);
  expect(status, stderr).toBe(0);
  return readRun(stdout);
}

unlessMissing("an agent that plants files that control its client", () => {
  it("leaves no such file in a home without any", async () => {
    using repository = clientsRepository(agentClients, plants);
    const { states } = await ranWell(repository);
    expect(new Set(Object.values(states))).toEqual(new Set(["MERGED"]));
    expect(Object.keys(everythingIn(repository.home.path))).toEqual([".config/opencode/.gitignore"]);
  });

  it("leaves none in moved folders, and changes no existing file", async () => {
    using repository = clientsRepository(agentClients, plants, (home) => ({
      CLAUDE_CONFIG_DIR: join(home, "moved/claude"),
      CODEX_HOME: join(home, "moved/codex"),
      GEMINI_CLI_HOME: join(home, "moved"),
      COPILOT_HOME: join(home, "moved/copilot"),
      XDG_DATA_HOME: join(home, "moved/share"),
      XDG_CONFIG_HOME: join(home, "moved/config"),
    }));
    const { home } = repository;
    const moved = {
      claude: "claude",
      codex: "codex",
      gemini: ".gemini",
      opencode: "share/opencode",
      copilot: "copilot",
    };
    for (const name of agentClients)
      for (const path of obeyed[name])
        if (!path.startsWith(".."))
          home.write(join("moved", moved[name], path), path.endsWith("json") ? "{}" : "mine\n");
    home.write("elsewhere/rules/x.md", "mine\n");
    symlinkSync(join(home.path, "elsewhere"), join(home.path, "moved/claude/linked"));
    const before = everythingIn(home.path);
    await ranWell(repository);
    const { "moved/config/opencode/.gitignore": _made, ...after } = everythingIn(home.path);
    expect(after).toEqual(before);
  });
});

unlessMissing("a conversation", () => {
  const twoTries = `
const again = before !== "";
fs.writeFileSync(again ? name + ".txt" : "stray-" + name, "made\\n");
if (again) { fs.writeFileSync(name + ".txt", before); fs.rmSync("stray-" + name); }
try { fs.rmSync(join(folder, "skills"), { recursive: true }); } catch {}
if (fs.existsSync(join(folder, "notes.md"))) fs.writeFileSync("remembers", "");
put("notes.md", "planted");
`;

  it("is continued by the next attempt, without any other file of the attempt before", async () => {
    using repository = clientsRepository(agentClients, twoTries);
    const { done } = await ranWell(repository);
    expect(done.tasks.map(({ state, attempts }) => [state, attempts])).toEqual(
      agentClients.map(() => ["MERGED", 2]),
    );
    for (const name of agentClients) expect(repository.git("show", `main:${name}.txt`)).toContain("{");
  });

  const waits = `
fs.writeFileSync(name + ".txt", "half\\n");
put("projects/-other/" + id + ".jsonl", "planted\\n");
put(join(dirname(record), "memory/MEMORY.md"), "planted\\n");
put(join(dirname(record), "other.jsonl"), "planted\\n");
const usage = { input_tokens: 7, output_tokens: 1 };
const says = (line) => console.log(JSON.stringify({ session_id: id, ...line }));
says({ type: "system", subtype: "init" });
says({ type: "stream_event", event: { type: "message_start", message: { id: "m", content: [], usage } } });
says({ type: "stream_event", event: { type: "message_delta", usage } });
await new Promise((resolve) => setTimeout(resolve, 50_000));
`;

  async function taken(repository: ClientsRepository, how: "alive" | "killed") {
    using running = repository.start(["run", "--json"]);
    const show = async () => JSON.parse((await repository.run(["task", "show", "claude", "--json"])).stdout);
    // It is recorded together with the usage.
    await eventually("its conversation is known", async () =>
      (await show()).usage?.tokens > 0 ? true : undefined,
    );
    if (how === "killed") running.process.kill("SIGKILL");
    if (how === "killed") await running.ended;
    const { stdout, stderr } = await repository.run(["take", "claude", "--json"]);
    if (how === "alive") await running.ended;
    const { details } = JSON.parse(stdout) as { details: Record<string, string> };
    return { details, stderr, folder: String(details.folder) };
  }

  it.each(["alive", "killed"] as const)(
    "is copied alone to a person who takes over the task, and not overwritten later (the run is %s)",
    async (how) => {
      using repository = clientsRepository(["claude"], waits);
      const { details, folder } = await taken(repository, how);
      const id = "11111111-2222-4333-8444-555555555555";
      expect(details.resume).toEqual(["claude", "--resume", id]);
      const path = `.claude/projects/${folder.replace(/[^A-Za-z0-9]/g, "-")}/${id}.jsonl`;
      const first = `${JSON.stringify({ cwd: folder, sessionId: id })}\n`;
      expect(everythingIn(repository.home.path)).toEqual({ [path]: first });
      writeFileSync(join(repository.home.path, path), `${first}{"by":"person"}\n`);
      await repository.run(["take", "claude"]);
      expect(everythingIn(repository.home.path)).toEqual({ [path]: `${first}{"by":"person"}\n` });
    },
  );
});

unlessMissing("a login that an agent's client has refreshed", () => {
  it("is copied back at once, without the rest of its file", async () => {
    using repository = clientsRepository(
      ["claude"],
      `
const file = join(folder, ".credentials.json");
const login = JSON.parse(fs.readFileSync(file, "utf8"));
fs.writeFileSync(file, JSON.stringify({ claudeAiOauth: { ...login.claudeAiOauth, accessToken: "new", scopes: ["all"] }, mcpOAuth: { planted: {} } }));
fs.writeFileSync("claude.txt", "made\\n");
await new Promise((resolve) => setTimeout(resolve, 1_500));
fs.rmSync(file); fs.symlinkSync("/etc/passwd", file);
`,
    );
    const login = {
      claudeAiOauth: { accessToken: "old", refreshToken: "r", expiresAt: 1, scopes: ["some"] },
    };
    repository.home.write(".claude/.credentials.json", JSON.stringify(login));
    await ranWell(repository);
    const file = join(repository.home.path, ".claude/.credentials.json");
    expect(lstatSync(file).isFile()).toBe(true);
    expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({
      claudeAiOauth: { ...login.claudeAiOauth, accessToken: "new" },
    });
  });
});
