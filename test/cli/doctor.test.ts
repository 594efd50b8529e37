import { chmodSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { clientNames } from "../../src/contract/client-names.ts";
import { clientSetups } from "../../src/guard/setup/client-setups.ts";
import {
  initiatedRepository as emptyRepository,
  type InitiatedRepository,
} from "../support/initiated-repository.ts";
import { packet } from "../support/memory-engine.ts";
import { missing } from "../support/sandboxed.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

interface Finding {
  readonly group: string;
  readonly what: string;
  readonly state: string;
  readonly detail: string;
  readonly fix: string | null;
}

async function examined(ground: InitiatedRepository, env: Readonly<Record<string, string>> = {}) {
  const { status, stdout, stderr } = await ground.run(["doctor", "--json"], env);
  if (stdout === "") throw new Error(stderr);
  const { findings, missing } = JSON.parse(stdout) as { findings: readonly Finding[]; missing: number };
  return {
    status,
    missing,
    of: (what: string) => findings.find((finding) => finding.what === what),
    findings,
  };
}

/** Commits the existing files. */
function initiatedRepository(files: Readonly<Record<string, string>> = {}): InitiatedRepository {
  const ground = emptyRepository(files);
  commitAll(ground);
  return ground;
}

function commitAll({ repository }: InitiatedRepository): void {
  repository.git("add", "-A");
  repository.git("commit", "-q", "--allow-empty", "-m", "next");
}

describe("lockstep doctor", () => {
  it("reports no problem in a new repository, and changes nothing there", async () => {
    using ground = initiatedRepository();
    const { status, of } = await examined(ground);
    expect(status).toBe(0);
    expect(of("repository")?.detail).toBe(ground.path);
    expect(of("base branch")?.detail).toMatch(/^\S+ at [0-9a-f]{10}$/);
    expect(of("git")?.state).toBe("ok");
    expect(of("node")?.detail).toBe(process.version);
    expect(of("ledger")?.state).toBe("off");
    expect(ground.has(".git/lockstep")).toBe(false);
  });

  it("finds the tests and their dependencies, and reports what is missing", async () => {
    using ground = initiatedRepository();
    const missing = await examined(ground);
    expect(missing).toMatchObject({ status: 0, missing: 2 });
    expect(missing.of("tests")).toMatchObject({
      group: "checks",
      state: "missing",
      fix: expect.stringContaining("checks: {"),
    });
    expect(missing.of("agents")).toMatchObject({ group: "agents", state: "missing" });
    expect(missing.of("setup")).toMatchObject({
      state: "ok",
      detail: expect.stringContaining("nothing is installed"),
    });

    ground.write("package.json", '{"scripts":{"test":"node t.js"},"devDependencies":{"a":"1"}}');
    ground.write("uv.lock", "");
    commitAll(ground);
    expect((await examined(ground)).of("tests")?.detail).toBe("npm test (found, not run)");
    const proof = { evidence: [{ command: "npm test", after: { seconds: 75 } }] };
    ground.repository.git("notes", "--ref=lockstep", "add", "-m", JSON.stringify(proof));
    ground.addProgram("npm", "#!/bin/sh\n");
    const noUv = await examined(ground);
    expect(noUv.of("tests")).toMatchObject({ state: "ok", detail: "npm test, 1m 15s last time" });
    expect(noUv).toMatchObject({ status: 1 });
    expect(noUv.of("setup")).toMatchObject({
      state: "broken",
      detail: expect.stringContaining("needs `uv`, which is not on PATH"),
    });

    ground.addProgram("uv", "#!/bin/sh\n");
    ground.addProgram("claude", "#!/bin/sh\necho '2.1.325 (Claude Code)'\n");
    const found = await examined(ground);
    expect(found.of("setup")?.detail).toBe(
      "npm install --no-package-lock --no-audit --no-fund, then uv sync --frozen (package.json, without a lock file; uv.lock)",
    );
    expect(found.of("agents")).toMatchObject({ state: "ok", detail: "none is configured: claude is used" });

    ground.write(
      ".lockstep/config.yaml",
      'agents: { me: { adapter: command, run: "nosuch x" }, you: { adapter: codex } }\n',
    );
    const { of } = await examined(ground);
    expect(of("agent me")).toMatchObject({ state: "broken", detail: "`nosuch` is not on PATH" });
    expect(of("agent you")).toMatchObject({ state: "broken", detail: "`codex` is not on PATH" });
    expect(of("agents")).toBeUndefined();
  });

  it("detects the states of a repository, each with its fix", async () => {
    using ground = emptyRepository();
    const { git } = ground.repository;
    const none = await examined(ground);
    expect(none.status).toBe(1);
    expect(none.of("repository")).toMatchObject({
      state: "broken",
      detail: expect.stringMatching(/has no commit yet$/),
    });

    const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${"a".repeat(64)}\nsize 9\n`;
    ground.write(".gitattributes", "*.bin filter=lfs\n");
    ground.write("a.bin", pointer);
    commitAll(ground);
    git("update-index", "--add", "--cacheinfo", `160000,${git("rev-parse", "HEAD")},libs/x`);
    git("commit", "-qm", "submodule");
    ground.write(".git/shallow", `${git("rev-parse", "HEAD~1")}\n`);
    const odd = await examined(ground);
    expect(odd.status).toBe(0);
    expect(odd.of("submodules")).toMatchObject({
      state: "off",
      detail: "empty for checks: libs/x",
      fix: "`git submodule update --init --recursive`",
    });
    expect(odd.of("large files")).toMatchObject({
      state: "off",
      detail: expect.stringContaining("a.bin"),
      fix: "`git lfs pull`",
    });
    expect(odd.of("history")).toMatchObject({ state: "off", fix: "`git fetch --unshallow`" });

    git("config", "core.bare", "true");
    const bare = await examined(ground);
    expect(bare.status).toBe(1);
    expect(bare.of("repository")).toMatchObject({ state: "broken", fix: "work in a clone of it" });

    rmSync(join(ground.path, ".git"), { recursive: true });
    const outside = await examined(ground);
    expect(outside.status).toBe(1);
    expect(outside.of("repository")).toMatchObject({
      detail: "this is not a git repository",
      fix: expect.stringContaining("`git init`"),
    });
    expect(outside.of("tests")).toBeUndefined();
  });

  it.runIf(process.getuid?.() === 0)(
    "detects a folder that is not writable or belongs to another user",
    async () => {
      using ground = initiatedRepository();
      ground.writeHome(".gitconfig", "[safe]\n\tdirectory = *\n");
      const through = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"];
      using state = temporaryFolder();
      for (const folder of [ground.path, dirname(ground.home)]) chmodSync(folder, 0o755);
      const options = { through, env: { HOME: ground.home, XDG_STATE_HOME: state.path } };
      const findings = async () => {
        const { stdout } = await ground.repository.run(["doctor", "--json"], options);
        return (JSON.parse(stdout) as { findings: readonly Finding[] }).findings.filter(
          (one) => one.state === "broken",
        );
      };
      expect((await findings()).map(({ what }) => what)).toEqual(["git folder", "checkouts folder"]);
      rmSync(join(ground.home, ".gitconfig"));
      expect(await findings()).toMatchObject([
        { what: "repository", fix: expect.stringContaining("git config --global --add safe.directory") },
      ]);
    },
  );

  it("shows that the hooks of every client refuse, without changing the repository's own ledger", async () => {
    using ground = initiatedRepository();
    ground.addProgram("claude", "#!/bin/sh\necho '2.1.325 (Claude Code)'\n");
    await ground.run(["init", "--client", ...clientNames]);
    using temporary = temporaryFolder();
    const { status, of } = await examined(ground, { TMPDIR: temporary.path });
    for (const name of clientNames)
      expect(of(`${name} hooks`), name).toMatchObject({
        state: name === "claude" ? "ok" : "off",
        detail: expect.stringMatching(
          name === "claude" ? /^a forbidden write was refused/ : /is not installed here; .*refused/,
        ),
      });
    expect(of("claude hooks")?.detail).toContain("over HTTP too");
    expect(status).toBe(0);
    expect(ground.has(".git/lockstep/state.db")).toBe(false);
    expect(readdirSync(temporary.path).filter((name) => name.startsWith("lockstep-"))).toEqual([]);
  });

  it.skipIf(missing !== undefined)(
    "reports which clients run unknown programs outside the lock",
    async () => {
      using ground = initiatedRepository();
      await ground.run(["init", "--client", ...clientNames]);
      await ground.run(["task", "add", "T-1", "--scope", "src"]);
      const { status, findings } = await examined(ground);
      const gaps = (of: readonly Finding[]) => of.filter(({ what }) => what.endsWith(" programs"));
      expect(status).toBe(0);
      expect(gaps(findings)).toMatchObject([
        { what: "codex programs", state: "off", fix: expect.stringContaining("guard.opaque: deny") },
        { what: "cursor programs", state: "off", fix: expect.stringContaining("guard.opaque: deny") },
      ]);
      const statusRun = await ground.run(["status"]);
      expect(statusRun.stdout.match(/^unknown programs run without a sandbox/gm)).toHaveLength(2);
      ground.write(".lockstep/config.yaml", "guard: { opaque: verify }\n");
      expect(gaps((await examined(ground)).findings)).toEqual([]);
      expect((await ground.run(["status"])).stdout).not.toContain("unknown programs");
    },
  );

  it("reports that unknown programs run without a sandbox if bubblewrap is missing", async () => {
    using ground = initiatedRepository();
    await ground.run(["init", "--client", "gemini"]);
    await ground.run(["task", "add", "T-1", "--scope", "src"]);
    ground.addProgram("bwrap", "#!/bin/sh\necho 'bwrap: no' >&2; exit 1\n");
    const { status, of } = await examined(ground);
    expect(status).toBe(0);
    expect(of("unknown programs")).toMatchObject({
      state: "off",
      detail: expect.stringMatching(/^`guard.opaque: sandbox` has no effect: .*bwrap.*compared afterwards$/),
    });
    expect((await ground.run(["status"])).stdout).toMatch(/^unknown programs run without a sandbox.*bwrap/m);
  });

  it("reports an error for a hook that allows a write, with its fix", async () => {
    using ground = initiatedRepository();
    await ground.run(["init", "--client", "gemini"]);
    const { shared } = clientSetups.gemini.files;
    const settings = JSON.parse(ground.read(shared));
    settings.hooks.BeforeTool[0].hooks[0].command = "true # lockstep-guard";
    ground.write(shared, JSON.stringify(settings));
    const { status, of } = await examined(ground);
    expect(status).toBe(1);
    expect(of("gemini hooks")).toMatchObject({ state: "broken", fix: "`lockstep init --client gemini`" });
    expect(of("gemini hooks")?.detail).toMatch(/^NOT ENFORCED/);
    await ground.run(["init", "--client", "gemini"]);
    expect((await examined(ground)).of("gemini hooks")?.state).toBe("off");
  });

  it.each([
    ["gemini", ".gemini/trustedFolders.json", (root: string) => ({ [root]: "TRUST_FOLDER" })],
    ["copilot", ".copilot/config.json", (root: string) => ({ trustedFolders: [root] })],
  ] as const)("reports an error if %s skips the hooks of an untrusted folder", async (name, file, trust) => {
    using ground = initiatedRepository();
    ground.addProgram(name, "#!/bin/sh\necho 1.0.0\n");
    const { stderr } = await ground.run(["init", "--client", name]);
    expect(stderr).toMatch(
      new RegExp(`NOT ENFORCED YET: ${name} does not trust ${ground.path}.*: start .${name}.`),
    );
    expect(stderr).toContain(`only if it is started in ${ground.path} itself`);
    const { status, of } = await examined(ground);
    expect(status).toBe(1);
    expect(of(`${name} hooks`)).toMatchObject({
      state: "broken",
      detail: expect.stringMatching(/^NOT ENFORCED: .* skips its hooks/),
      fix: expect.stringContaining(`start \`${name}\` in ${ground.path}`),
    });
    ground.writeHome(file, `// mine\n${JSON.stringify(trust(ground.path))}`);
    expect((await examined(ground)).of(`${name} hooks`)?.state).toBe("ok");
    expect((await ground.run(["init", "--client", name])).stderr).not.toContain("NOT ENFORCED");
  });

  it("applies Gemini's rules of trust: the longest path decides, and all folders are trusted if trust is off", async () => {
    using ground = initiatedRepository();
    ground.addProgram("gemini", "#!/bin/sh\necho 1.0.0\n");
    await ground.run(["init", "--client", "gemini"]);
    const rules = (document: object) =>
      ground.writeHome(".gemini/trustedFolders.json", JSON.stringify(document));
    const state = async () => (await examined(ground)).of("gemini hooks")?.state;
    rules({ [join(ground.path, "sub")]: "TRUST_PARENT", "/": "DO_NOT_TRUST" });
    expect(await state()).toBe("ok");
    rules({ "/": "TRUST_FOLDER", [ground.path]: "DO_NOT_TRUST" });
    expect(await state()).toBe("broken");
    ground.writeHome(".gemini/settings.json", '{"security":{"folderTrust":{"enabled":false}}}');
    expect(await state()).toBe("ok");
  });

  it("detects a token of another repository, disabled hooks, and an unreadable file", async () => {
    using ground = initiatedRepository();
    ground.addProgram("claude", "#!/bin/sh\necho '2.1.325 (Claude Code)'\n");
    await ground.run(["init", "--client", "claude"]);
    rmSync(join(ground.path, ".git/lockstep/http.json"));
    expect((await examined(ground)).of("claude hooks")?.detail).toContain(
      "does not belong to this repository",
    );
    ground.write(".claude/settings.json", '{"disableAllHooks": true}');
    expect((await examined(ground)).of("claude hooks")?.detail).toContain("turns all hooks off");
    ground.write(".claude/settings.json", "{\n  nonsense\n}");
    const { status, of } = await examined(ground);
    expect(status).toBe(1);
    expect(of("claude hooks")?.detail).toContain(".claude/settings.json:2:3");
  });

  it("detects that hooks do not find Lockstep", async () => {
    using ground = initiatedRepository();
    await ground.run(["init", "--client", "cursor"]);
    const launch = join(ground.path, ".git/lockstep/launch");
    writeFileSync(launch, '/gone/node /gone/client.cjs a b /gone/lockstep.cjs "$@"\n');
    expect((await examined(ground)).of("launch file")?.detail).toContain("/gone/node is gone");
    rmSync(launch);
    const { status, of } = await examined(ground);
    expect(status).toBe(1);
    expect(of("launch file")?.detail).toContain("NOT ENFORCED");
  });

  it("names a client without a guard, which is no error", async () => {
    using ground = initiatedRepository({ ".gemini/GEMINI.md": "mine\n" });
    const absent = await examined(ground);
    expect(absent.of("other clients")?.detail).toContain("gemini");
    expect(absent.of("gemini hooks")).toBeUndefined();
    ground.addProgram("gemini", "#!/bin/sh\necho 0.20.0\n");
    const { status, of } = await examined(ground);
    expect(status).toBe(0);
    expect(of("gemini hooks")).toMatchObject({ state: "off", fix: "`lockstep init --client gemini`" });
  });

  it("checks the ledger, and finds what dead processes left", async () => {
    using ground = initiatedRepository();
    const input = JSON.stringify(packet("T-1", ["src"]));
    await ground.repository.run(["dispatch"], { input });
    ground.write(".git/lockstep/joined/2026-01-01_x.1.json", '{"pid":1,"startedAt":"never","boot":"none"}');
    const { status, of } = await examined(ground);
    expect(of("ledger")).toMatchObject({ state: "ok", detail: expect.stringContaining("1 task") });
    expect(of("leftover")?.detail).toContain("2026-01-01_x.1.json");
    expect(status).toBe(0);
    rmSync(join(ground.path, ".git/lockstep/audit.head"));
    const damaged = await examined(ground);
    expect(damaged.status).toBe(1);
    expect(damaged.of("ledger")?.state).toBe("broken");
  });

  it("prints a line for each problem with its fix, counts each once, and is refused to agents", async () => {
    using ground = initiatedRepository({ ".lockstep/config.yaml": "limit: 1\nsandbox: on\n" });
    ground.write(".git/lockstep/audit.head", "");
    const { status, stdout } = await ground.run(["doctor"]);
    expect(status).toBe(1);
    expect(stdout).toMatch(
      /\n {2}✗ configuration +\.lockstep\/config\.yaml:1:1: `limit` is not a known key\n +→ did you mean `limits`\?\n/,
    );
    expect(stdout).toMatch(/\n {2}✗ configuration +\.lockstep\/config\.yaml:2:10: /);
    expect(stdout).not.toContain("ledger");
    expect(stdout).toMatch(/^repository\n {2}✓ repository {5}\/.*\n/);
    expect(stdout).toMatch(/\n2 problems\n$/);
    const asked = await ground.run(["doctor"], { CLAUDE_AGENT_ROLE: "orchestrator" });
    expect(asked).toMatchObject({ status: 2, stderr: expect.stringContaining("R-AU-001") });
  });
});
