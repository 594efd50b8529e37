import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { clientNames } from "../../src/contract/client-names.ts";
import { configSchema } from "../../src/contract/config.ts";
import { configKeys } from "../../src/contract/config-keys.ts";
import { defaultConfig } from "../../src/contract/default-config.ts";
import { brokenExamples } from "../../src/core/shell/programs/row/row-examples.ts";
import { clientSetups } from "../../src/guard/setup/client-setups.ts";
import { configTemplate as makeTemplate } from "../../src/guard/setup/config-template.ts";
import { configuredHooks } from "../../src/guard/setup/configured-hooks.ts";
import { judgeConfig } from "../../src/workspace/config/judge-config.ts";
import { showOrchestrator } from "../../src/workspace/state/active-file.ts";
import { initiatedRepository } from "../support/initiated-repository.ts";
import { eventually, startProgram } from "../support/run-command.ts";
import { lockstepWords } from "../support/run-hook.ts";

const all = ["--client", ...clientNames];
const newClaude = "#!/bin/sh\necho '2.1.325 (Claude Code)'\n";

/** A minimal `codex app-server`, which trusts what its user's file says. */
const codex = `#!/usr/bin/env node
const { readFileSync, existsSync } = require("node:fs");
const { join } = require("node:path");
const say = (message) => console.log(JSON.stringify(message));
require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (method === "initialize") return say({ id, result: {} });
  if (method !== "hooks/list") return;
  const sourcePath = join(params.cwds[0], ".codex/config.toml");
  const commands = [...readFileSync(sourcePath, "utf8").matchAll(/^command = (".*")$/gm)];
  const user = join(process.env.HOME, ".codex/config.toml");
  const trusted = existsSync(user) ? readFileSync(user, "utf8") : "";
  const hooks = commands.map(([, text], at) => {
    const [key, currentHash] = [sourcePath + ":event_" + at + ":0:0", "sha256:" + text.length + at];
    const trustStatus = trusted.includes(key) && trusted.includes(currentHash) ? "trusted" : "untrusted";
    return { key, currentHash, command: JSON.parse(text), sourcePath, trustStatus };
  });
  say({ id, result: { data: [{ cwd: params.cwds[0], hooks }] } });
});
`;

const configTemplate = makeTemplate();

describe("the configuration that init writes", () => {
  /** The lines with settings, without their comment sign. */
  const uncommented = configTemplate
    .split("\n")
    .map((line) => (/^#(?! \S)/.test(line) ? line.slice(1) : line))
    .join("\n");

  it("sets nothing by default", () => {
    const judged = judgeConfig({ file: "config.yaml", text: configTemplate });
    expect(judged).toMatchObject({ config: defaultConfig });
  });

  it("is valid with every key uncommented, and differs from the defaults only in its examples", () => {
    const judged = judgeConfig({ file: "config.yaml", text: uncommented });
    if (!("config" in judged)) throw new Error(JSON.stringify(judged.faults));
    const { programs, ...guard } = judged.config.guard;
    expect(programs.map(brokenExamples)).toEqual([[]]);
    const examples = ["agents", "hooks", "task_types", "resources"] as const;
    const plain = Object.fromEntries(examples.map((key) => [key, defaultConfig[key]]));
    expect({ ...judged.config, ...plain, guard: { ...guard, programs: [] } }).toEqual(defaultConfig);
    for (const key of examples) expect(judged.config[key]).not.toEqual(defaultConfig[key]);
  });

  it("describes every key with the text of the schema", () => {
    const said = configTemplate.replaceAll(/\n# /g, " ").replaceAll("Lockstep's docs/", "docs/");
    for (const key of configKeys()) {
      expect(said).toContain(key.meaning.split("\n")[0]);
      // An agent's program and hooks, and most keys of a program, are only on the page.
      const inner = key.keys.filter(({ name }) => key.name !== "agents" || !["run", "hooks"].includes(name));
      for (const { meaning } of inner) expect(said).toContain(meaning);
    }
  });

  it("describes every existing key, including hooks and task types", () => {
    const keys = Object.keys(configSchema.def.shape);
    expect(keys.length).toBeGreaterThan(15);
    expect(keys.filter((key) => !new RegExp(`^#${key}:`, "m").test(configTemplate))).toEqual([]);
    for (const word of [
      "before_submit",
      "after_submit",
      "before_merge",
      "after_merge",
      "implementer:",
      "gatekeeper:",
    ])
      expect(configTemplate).toContain(word);
    for (const group of ["limits", "guard", "gate", "workspace", "checks"] as const)
      for (const key of Object.keys(defaultConfig[group])) expect(configTemplate).toContain(`${key}:`);
  });
});

describe("lockstep init", () => {
  it("writes the settings of the clients that are in use here, and of no others", async () => {
    using ground = initiatedRepository({ ".gemini/GEMINI.md": "mine\n" });
    ground.addProgram("claude", "#!/bin/sh\necho 2.1.100\n");
    const { status, stdout } = await ground.run(["init"]);
    expect(status).toBe(0);
    expect(stdout).toContain("created  .claude/settings.local.json");
    expect(stdout).toContain("created  .gemini/settings.json");
    expect(clientNames.filter((name) => ground.has(clientSetups[name].files.shared))).toEqual(["gemini"]);
    expect(ground.read(".lockstep/config.yaml")).toBe(configTemplate);
    expect(configuredHooks("claude", ground.read(".claude/settings.local.json"))?.http).toBeUndefined();
  });

  it("writes no hooks for clients of which only a folder in the home is left, and explains how to choose one", async () => {
    using ground = initiatedRepository();
    for (const name of [".claude/x", ".codex/x", ".gemini/x"]) ground.writeHome(name, "");
    const { status, stdout, stderr } = await ground.run(["init"]);
    expect({ status, stdout }).toEqual({ status: 0, stdout: "created  .lockstep/config.yaml\n" });
    expect(stderr).toContain("no client was found: name one with `--client`: claude, codex, ");
    expect(stderr).toContain("no hooks were written for claude, codex, gemini: only a folder in your home");
    expect(clientNames.filter((name) => ground.has(clientSetups[name].folder))).toEqual([]);
    expect((await ground.run(["init"])).stdout).toContain("nothing to change: no client was found");
    expect((await ground.run(["init", "--client", "claude"])).stdout).toContain(
      ".claude/settings.local.json",
    );
  });

  it("changes nothing the second time", async () => {
    using ground = initiatedRepository();
    ground.addProgram("claude", newClaude);
    ground.addProgram("codex", codex);
    await ground.run(["init", "--orchestrator", ...all]);
    const once = ground.everything();
    const { status, stdout } = await ground.run(["init", "--orchestrator", ...all]);
    expect({ status, stdout }).toEqual({ status: 0, stdout: "everything is already set up\n" });
    expect(ground.everything()).toEqual(once);
  });

  it("prints its changes with --dry-run, without the token, and makes none", async () => {
    using ground = initiatedRepository({
      ".claude/settings.local.json": '{"model": "x"}\n',
      "CLAUDE.md": "mine",
    });
    ground.addProgram("claude", newClaude);
    const before = ground.everything();
    const { status, stdout } = await ground.run([
      "init",
      "--orchestrator",
      "--dry-run",
      "--client",
      "claude",
    ]);
    expect(status).toBe(0);
    expect(stdout).toMatch(/^--- a\/CLAUDE\.md\n\+\+\+ b\/CLAUDE\.md\n@@/m);
    expect(stdout).toMatch(/^\+\+\+ b\/\.lockstep\/config\.yaml$/m);
    expect(stdout).toContain('"Authorization": "Bearer …"');
    expect(ground.everything()).toEqual(before);
    expect(ground.has(".git/lockstep")).toBe(false);
    await ground.run(["init", "--client", "claude"]);
    const again = await ground.run(["init", "--remove", "--dry-run"]);
    expect(again.stdout).toContain('"Authorization": "Bearer …"');
  });

  it("writes the texts of the roles with --roles, and neither overwrites nor removes edited ones", async () => {
    using ground = initiatedRepository({ ".lockstep/roles/coder.md": "Be quick.\n" });
    const plain = await ground.run(["init"]);
    expect(plain.stdout).not.toContain("roles");
    const preview = await ground.run(["init", "--roles", "--dry-run"]);
    expect(preview.stdout).toMatch(/^\+\+\+ b\/\.lockstep\/roles\/spec-agent\.md$/m);
    expect(ground.has(".lockstep/roles/spec-agent.md")).toBe(false);
    const { status, stdout } = await ground.run(["init", "--roles"]);
    expect(status).toBe(0);
    expect(stdout.match(/^created {2}\.lockstep\/roles\//gm)).toHaveLength(11);
    expect(ground.read(".lockstep/roles/coder.md")).toBe("Be quick.\n");
    expect(ground.read(".lockstep/roles/spec-agent.md")).toMatch(/^---\nname: spec-agent\n/);
    expect(await ground.run(["init", "--roles"])).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(
        /^nothing to change: no client was found: name one with `--client`: .*\n$/,
      ),
      stderr: "",
    });
    ground.write(".lockstep/roles/qa.md", "Try everything.\n");
    const removed = await ground.run(["init", "--remove"]);
    for (const role of ["coder", "qa"])
      expect(removed.stderr).toContain(
        `kept .lockstep/roles/${role}.md: it differs from what \`init\` writes\n`,
      );
    expect(removed.stdout.match(/^removed {2}\.lockstep\/roles\//gm)).toHaveLength(10);
    expect(ground.has(".lockstep/roles/spec-agent.md")).toBe(false);
    expect(ground.read(".lockstep/roles/coder.md")).toBe("Be quick.\n");
  });

  it("restores everything byte for byte with --remove, including modes and the trust of other projects", async () => {
    const trust = '[hooks.state."/other/.codex/config.toml:pre_tool_use:0:0"]\ntrusted_hash = "sha256:1"\n';
    using ground = initiatedRepository({
      ".claude/settings.local.json": '// mine\n{\r\n\t"model": "x", // y\r\n}',
      ".gemini/settings.json": '{"hooks":{"BeforeTool":[]}}',
      ".codex/config.toml": "# mine\n[a]\nb = 1",
      "AGENTS.md": "",
      "CLAUDE.md": "no line end",
    });
    ground.writeHome(".codex/config.toml", `# mine\n${trust}`);
    chmodSync(join(ground.path, ".claude/settings.local.json"), 0o640);
    ground.addProgram("claude", newClaude);
    ground.addProgram("codex", codex);
    const before = ground.everything();
    await ground.run(["init", "--orchestrator", ...all]);
    const between = ground.everything();
    expect(between[join(ground.path, ".claude/settings.local.json")]).toMatch(/^100640 /);
    expect(between[join(ground.home, ".codex/config.toml")]).toContain(
      `${ground.path}/.codex/config.toml:event_0`,
    );
    const { status, stdout } = await ground.run(["init", "--remove"]);
    expect(status).toBe(0);
    expect(stdout).toContain("removed  GEMINI.md");
    expect(ground.everything()).toEqual(before);
  });

  it("stops its server with --remove and leaves nothing in the state folder, unless work is active", async () => {
    using ground = initiatedRepository();
    ground.addProgram("claude", newClaude);
    await ground.run(["init", "--client", "claude"]);
    const folder = join(ground.path, ".git/lockstep");
    using server = startProgram([...lockstepWords, "serve"], { cwd: ground.path });
    await eventually("it listens", () => (server.errors().includes("listening") ? true : undefined));
    showOrchestrator(folder, Date.now());
    const active = await ground.run(["init", "--remove"]);
    expect(active).toMatchObject({ status: 0, stderr: expect.stringContaining("work is active here") });
    expect(ground.has(".claude")).toBe(false);
    for (const name of ["hook", "launch", "http.json"])
      expect(ground.has(`.git/lockstep/${name}`)).toBe(true);
    expect(server.process.exitCode).toBe(null);
    rmSync(join(folder, "active"));
    expect((await ground.run(["init", "--remove"])).stderr).toBe("");
    expect((await server.ended).status).toBe(0);
    for (const name of ["hook", "launch", "http.json", "serve.json", "listening"])
      expect(ground.has(`.git/lockstep/${name}`), name).toBe(false);
  });

  it("does not count a finished task as active work", async () => {
    using ground = initiatedRepository();
    await ground.run(["init", "--client", "gemini"]);
    await ground.run(["task", "add", "HAND", "--scope", "src", "--check", "cmd: true"]);
    const packet = { input: '{"task_id":"HAND"}' };
    expect((await ground.repository.run(["dispatch", "-"], packet)).status).toBe(0);
    expect((await ground.run(["task", "cancel", "HAND", "--reason", "a try"])).status).toBe(0);
    expect(ground.has(".git/lockstep/active")).toBe(true);
    expect(await ground.run(["init", "--remove"])).toMatchObject({ status: 0, stderr: "" });
    for (const name of ["active", "launch", "hook"])
      expect(ground.has(`.git/lockstep/${name}`), name).toBe(false);
  });

  it("leaves the server running for clients while the ledger cannot show whether work is active", async () => {
    using ground = initiatedRepository();
    await ground.run(["init", "--client", "gemini"]);
    showOrchestrator(join(ground.path, ".git/lockstep"), Date.parse("2020-01-01"));
    ground.write(".git/lockstep/state.db", "no database");
    const { status, stderr } = await ground.run(["init", "--remove"]);
    expect({ status, stderr }).toEqual({
      status: 0,
      stderr: expect.stringMatching(
        /^lockstep: Lockstep cannot tell whether work is active here \(.*\), so the server keeps running/,
      ),
    });
    expect(ground.has(".gemini")).toBe(false);
    expect(ground.has(".git/lockstep/launch")).toBe(true);
  });

  it("removes one client alone, with its line in git's excludes, and leaves the others", async () => {
    using ground = initiatedRepository();
    ground.addProgram("claude", newClaude);
    await ground.run(["init", "--client", "gemini"]);
    const before = ground.everything();
    await ground.run(["init", "--client", "claude"]);
    expect(ground.read(".git/info/exclude")).toContain("settings.local.json");
    await ground.run(["init", "--client", "gemini", "--remove"]);
    expect(ground.read(".git/info/exclude")).toContain("settings.local.json");
    await ground.run(["init", "--client", "gemini"]);
    await ground.run(["init", "--client", "claude", "--remove"]);
    expect(ground.everything()).toEqual(before);
  });

  it("removes a state folder that only init has created", async () => {
    using ground = initiatedRepository();
    await ground.run(["init", "--client", "gemini"]);
    expect(ground.has(".git/lockstep")).toBe(true);
    await ground.run(["init", "--remove"]);
    expect(ground.has(".git/lockstep")).toBe(false);
  });

  it("keeps an edited configuration", async () => {
    using ground = initiatedRepository();
    await ground.run(["init", "--client", "gemini"]);
    ground.write(".lockstep/config.yaml", "limits: { max_parallel: 2 }\n");
    const { stderr } = await ground.run(["init", "--remove"]);
    expect(stderr).toContain("kept .lockstep/config.yaml");
    expect(ground.read(".lockstep/config.yaml")).toContain("max_parallel");
  });

  it("stops at an unreadable file, with its line, before anything is written", async () => {
    using ground = initiatedRepository({ ".gemini/settings.json": '{\n  "a": 1,\n  b\n}\n' });
    const before = ground.everything();
    for (const words of [
      ["init", ...all],
      ["init", "--remove"],
    ]) {
      const { status, stderr } = await ground.run(words);
      expect(status).toBe(2);
      expect(stderr).toMatch(/^lockstep: E-CONFIG: \.gemini\/settings\.json:3:3: /);
      expect(ground.everything()).toEqual(before);
    }
  });

  it("stops at half a block in a guide, and at a wrapper from another source", async () => {
    using ground = initiatedRepository({
      "CLAUDE.md": "<!-- lockstep: orchestrator self-check, begin -->\n",
      ".claude/tools/session-state.mjs": "mine\n",
      ".lockstep/config.yaml": "guard: { root: .claude/context }\n",
    });
    const before = ground.everything();
    const { status, stderr } = await ground.run(["init", "--orchestrator", "--client", "gemini"]);
    expect(status).toBe(2);
    expect(stderr).toMatch(/E-CONFIG: CLAUDE\.md: /);
    expect(stderr).toMatch(/^\.claude\/tools\/session-state\.mjs: this file was not written by Lockstep/m);
    expect(ground.everything()).toEqual(before);
  });

  it("writes through a link that stays in the project or in the home, and through no other", async () => {
    using ground = initiatedRepository({ "kept/gemini.json": "{}" });
    using other = initiatedRepository({ "elsewhere.json": "{}" });
    const link = join(ground.path, ".gemini/settings.json");
    mkdirSync(join(ground.path, ".gemini"));
    symlinkSync("../kept/gemini.json", link);
    expect((await ground.run(["init", "--client", "gemini"])).status).toBe(0);
    expect(ground.read("kept/gemini.json")).toContain("lockstep-guard");
    mkdirSync(join(ground.path, ".cursor"));
    symlinkSync(join(other.path, "elsewhere.json"), join(ground.path, ".cursor/hooks.json"));
    const { status, stderr } = await ground.run(["init", "--client", "cursor"]);
    expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringContaining("outside the project") });
    expect(other.read("elsewhere.json")).toBe("{}");
  });

  it("writes the block for the guides of the clients, and the commands that other documents mention", async () => {
    using ground = initiatedRepository({
      "AGENTS.md": "mine\n",
      ".lockstep/config.yaml": "guard: { root: .claude/context }\n",
    });
    await ground.run(["init", "--orchestrator", "--client", "claude"]);
    expect(ground.read("CLAUDE.md")).toContain("Orchestrator self-check");
    expect(ground.read("AGENTS.md")).toMatch(/^mine\n[\s\S]*Orchestrator self-check/);
    expect(ground.has("GEMINI.md")).toBe(false);
    for (const file of [
      "hooks/orchestrator-enforcement-pre-tool.mjs",
      "hooks/orchestrator-audit-post-tool.mjs",
      "tools/session-state.mjs",
      "tools/enforcement-gate.mjs",
      "tests/test-orchestrator-enforcement.mjs",
    ])
      expect(ground.has(`.claude/${file}`), file).toBe(true);
    await ground.run(["init", "--remove"]);
    expect(ground.has(".claude")).toBe(false);
  });

  it("is refused to agents, and to unknown clients", async () => {
    using ground = initiatedRepository();
    const asked = await ground.run(["init"], { CLAUDE_AGENT_ROLE: "orchestrator" });
    expect(asked).toMatchObject({ status: 2, stderr: expect.stringContaining("R-AU-001") });
    const misspelled = await ground.run(["init", "--client", "gemnii"]);
    expect(misspelled).toMatchObject({
      status: 2,
      stderr: expect.stringContaining("did you mean `gemini`?"),
    });
    expect(Object.keys(ground.everything())).toHaveLength(1);
  });
});

describe("the hooks of Claude Code", () => {
  const personal = ".claude/settings.local.json";

  it("use HTTP in a file that git ignores, if the version can block over HTTP", async () => {
    using ground = initiatedRepository();
    ground.addProgram("claude", newClaude);
    await ground.run(["init"]);
    const found = configuredHooks("claude", ground.read(personal));
    expect(found?.http).toMatchObject({ blocks: true, url: expect.stringMatching(/:\d{5}\/guard\/claude$/) });
    const { hooks } = JSON.parse(ground.read(personal));
    for (const event of ["UserPromptSubmit", "PostToolBatch"])
      expect(hooks[event]).toMatchObject([{ hooks: [{ type: "command" }] }]);
    expect(ground.everything()[join(ground.path, personal)]).toMatch(/^100600 /);
    expect(ground.repository.git("status", "--short", "--untracked-files=all")).not.toContain(".claude");
  });

  it.each([".local/bin/claude", ".claude/local/claude"])(
    "use HTTP even if ~/%s is not on PATH",
    async (program) => {
      using ground = initiatedRepository();
      ground.addProgram(`../home/${program}`, newClaude);
      await ground.run(["init", "--client", "claude"]);
      expect(configuredHooks("claude", ground.read(personal))?.http).toMatchObject({ blocks: true });
    },
  );

  it("keep HTTP while the version cannot be read, and stop using it for a version that cannot block", async () => {
    using ground = initiatedRepository();
    const isHttp = () => configuredHooks("claude", ground.read(personal))?.http !== undefined;
    const init = async () => (await ground.run(["init", "--client", "claude"])).stderr;
    const slower =
      "claude's hooks run a command, because no `claude` 2.1.295 or newer was found: put one on PATH";
    expect(await init()).toContain(slower);
    expect(isHttp()).toBe(false);
    ground.addProgram("claude", newClaude);
    expect(await init()).not.toContain(slower);
    for (const broken of ["#!/bin/sh\nexit 1\n", "#!/bin/sh\necho no version\n"]) {
      ground.addProgram("claude", broken);
      expect(await init()).not.toContain(slower);
      expect(isHttp()).toBe(true);
    }
    ground.addProgram("claude", "#!/bin/sh\necho '2.1.294 (Claude Code)'\n");
    expect(await init()).toContain(slower);
    expect(isHttp()).toBe(false);
  });

  it("have no token if the personal file is committed", async () => {
    using ground = initiatedRepository({ [personal]: "{}\n" });
    ground.addProgram("claude", newClaude);
    ground.repository.git("add", "-f", personal);
    await ground.run(["init"]);
    expect(ground.read(personal)).not.toContain("Bearer");
  });

  it("move to the committed file with --shared, and stay there", async () => {
    using ground = initiatedRepository();
    ground.addProgram("claude", newClaude);
    await ground.run(["init"]);
    await ground.run(["init", "--shared"]);
    expect(ground.has(personal)).toBe(false);
    expect(ground.read(".claude/settings.json")).not.toContain("Bearer");
    const { stdout } = await ground.run(["init"]);
    expect(stdout).toBe("everything is already set up\n");
  });
});

describe("the hooks of Codex", () => {
  it("are trusted, beside those of another project", async () => {
    using one = initiatedRepository();
    using other = initiatedRepository();
    one.addProgram("codex", codex);
    await one.run(["init", "--client", "codex"]);
    const command = { HOME: one.home, PATH: `${join(one.home, "../bin")}:/usr/bin:/bin` };
    await other.run(["init", "--client", "codex"], command);
    const user = () => one.everything()[join(one.home, ".codex/config.toml")];
    for (const { path } of [one, other]) expect(user()).toContain(`"${path}/.codex/config.toml:event_7:0:0"`);
    await other.run(["init", "--remove"], command);
    expect(user()).toContain(`"${one.path}/.codex/config.toml:event_7:0:0"`);
    expect(user()).not.toContain(other.path);
  });

  it("are reported as skipped if codex is missing", async () => {
    using ground = initiatedRepository();
    const { status, stderr } = await ground.run(["init", "--client", "codex"]);
    expect(status).toBe(0);
    expect(stderr).toContain("they are not trusted yet");
  });
});

describe("a hook command written by init", () => {
  it.each(clientNames)("passes silently if Lockstep is not installed: %s", async (name) => {
    using ground = initiatedRepository();
    using clone = initiatedRepository();
    await ground.run(["init", "--shared", "--client", name]);
    const { shared } = clientSetups[name].files;
    const command = configuredHooks(name, ground.read(shared))?.command ?? "exit 9";
    writeFileSync(join(clone.path, "payload"), "{}");
    const run = startProgram(["sh", "-c", command], {
      cwd: clone.path,
      input: '{"hook_event_name":"PreToolUse"}',
    });
    expect(await run.ended).toMatchObject({ status: 0, stdout: "", stderr: "" });
  });
});
