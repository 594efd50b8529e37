import { existsSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { clientNames, clientSetups } from "../src/guard/setup/client-setups.ts";
import { type InitiatedRepository, initiatedRepository } from "./support/initiated-repository.ts";
import { packet } from "./support/memory-engine.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";

interface Finding {
  readonly what: string;
  readonly state: string;
  readonly detail: string;
  readonly fix: string | null;
}

async function examined(ground: InitiatedRepository, env: Readonly<Record<string, string>> = {}) {
  const { status, stdout, stderr } = await ground.run(["doctor", "--json"], env);
  if (stdout === "") throw new Error(stderr);
  const { findings } = JSON.parse(stdout) as { findings: readonly Finding[] };
  return { status, of: (what: string) => findings.find((finding) => finding.what === what), findings };
}

describe("lockstep doctor", () => {
  it("finds nothing broken in a new repository, and leaves nothing there", async () => {
    using ground = initiatedRepository();
    const { status, of } = await examined(ground);
    expect(status).toBe(0);
    expect(of("git")?.state).toBe("ok");
    expect(of("node")?.detail).toBe(process.version);
    expect(of("ledger")?.state).toBe("off");
    expect(ground.has(".git/lockstep")).toBe(false);
  });

  it("shows that the hooks of every client refuse, without touching the repository's own ledger", async () => {
    using ground = initiatedRepository();
    ground.addProgram("claude", "#!/bin/sh\necho '2.1.325 (Claude Code)'\n");
    await ground.run(["init", "--client", ...clientNames]);
    using temporary = temporaryFolder();
    const { status, of } = await examined(ground, { TMPDIR: temporary.path });
    for (const name of clientNames)
      expect(of(`${name} hooks`), name).toMatchObject({
        state: "ok",
        detail: expect.stringContaining("refused"),
      });
    expect(of("claude hooks")?.detail).toContain("over HTTP too");
    expect(status).toBe(0);
    expect(ground.has(".git/lockstep/state.db")).toBe(false);
    expect(readdirSync(temporary.path).filter((name) => name.startsWith("lockstep-"))).toEqual([]);
  });

  it("is loud about a hook that lets a write pass, and says how to mend it", async () => {
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
    expect((await examined(ground)).of("gemini hooks")?.state).toBe("ok");
  });

  it.each([
    ["gemini", ".gemini/trustedFolders.json", (root: string) => ({ [root]: "TRUST_FOLDER" })],
    ["copilot", ".copilot/config.json", (root: string) => ({ trustedFolders: [root] })],
  ] as const)(
    "is loud where %s skips the hooks of a folder that it does not trust",
    async (name, file, trust) => {
      using ground = initiatedRepository();
      ground.addProgram(name, "#!/bin/sh\necho 1.0.0\n");
      const { stderr } = await ground.run(["init", "--client", name]);
      expect(stderr).toMatch(
        new RegExp(`NOT ENFORCED YET: ${name} does not trust ${ground.path}.*: start .${name}.`),
      );
      expect(stderr).toContain(`only where it is started in ${ground.path} itself`);
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
    },
  );

  it("knows Gemini's rules of trust: the longest decides, and all are trusted where nobody is asked", async () => {
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

  it("sees a token of another repository, hooks that are turned off, and a file that cannot be read", async () => {
    using ground = initiatedRepository();
    ground.addProgram("claude", "#!/bin/sh\necho '2.1.325 (Claude Code)'\n");
    await ground.run(["init", "--client", "claude"]);
    rmSync(join(ground.path, ".git/lockstep/http.json"));
    expect((await examined(ground)).of("claude hooks")?.detail).toContain("are not this repository's");
    ground.write(".claude/settings.json", '{"disableAllHooks": true}');
    expect((await examined(ground)).of("claude hooks")?.detail).toContain("turns all hooks off");
    ground.write(".claude/settings.json", "{\n  nonsense\n}");
    const { status, of } = await examined(ground);
    expect(status).toBe(1);
    expect(of("claude hooks")?.detail).toContain(".claude/settings.json:2:3");
  });

  it("sees that hooks do not find Lockstep", async () => {
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

  it("names a client that nothing guards, which is not broken", async () => {
    using ground = initiatedRepository({ ".gemini/GEMINI.md": "mine\n" });
    const { status, of } = await examined(ground);
    expect(status).toBe(0);
    expect(of("gemini hooks")).toMatchObject({ state: "off", fix: "`lockstep init --client gemini`" });
  });

  it("looks at the ledger, and at what dead processes left", async () => {
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

  it("prints a line for each with what to do, and is for people", async () => {
    using ground = initiatedRepository({ ".lockstep/config.yaml": "limit: 1\n" });
    const { status, stdout } = await ground.run(["doctor"]);
    expect(status).toBe(1);
    expect(stdout).toMatch(
      /configuration +✗ broken {2}\.lockstep\/config\.yaml:1:1: .*\n +→ mend that line\n/,
    );
    expect(stdout).toMatch(/1 thing broken\n$/);
    const asked = await ground.run(["doctor"], { CLAUDE_AGENT_ROLE: "orchestrator" });
    expect(asked).toMatchObject({ status: 2, stderr: expect.stringContaining("R-AU-001") });
    expect(existsSync(join(ground.path, ".git/lockstep"))).toBe(false);
  });
});
