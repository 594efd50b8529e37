import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { hooked, program, programAgent } from "../support/hooked-run.ts";
import { task } from "../support/planned-repository.ts";
import { missing } from "../support/sandboxed.ts";

describe.skipIf(missing)("an agent in its sandbox", () => {
  it("can change neither the project's git folder nor any guard's configuration, inside its checkout or outside", async () => {
    const tries = program(`
const { appendFileSync, mkdirSync } = await import("node:fs");
const { dirname } = await import("node:path");
for (const root of [".", process.env.LOCKSTEP_ROOT])
  for (const path of [".lockstep/config.yaml", ".claude/settings.json", ".mcp.json", ".git/config"]) {
    if (root === "." && path === ".git/config") continue;
    try { appendFileSync(root + "/" + path, "#evil\\n"); console.log("WROTE " + root + "/" + path); }
    catch (error) { console.log("refused " + path + " " + error.code); }
  }
writeFileSync("A.txt", "made\\n");
answer("OK");`);
    const settings = { ".claude/settings.json": "{}\n", ".mcp.json": "{}\n" };
    using repository = hooked({
      agents: {},
      tasks: [task("A", "evil")],
      config: programAgent("evil"),
      files: { ...settings, "agents/evil.mjs": tries },
    });
    const config = readFileSync(join(repository.path, ".git/config"), "utf8");
    const { status, stderr } = await repository.conduct();
    expect(status, stderr).toBe(0);
    expect(stderr).not.toContain("WROTE");
    expect(stderr.match(/refused \S+ \w+/g)).toHaveLength(7);
    expect(readFileSync(join(repository.path, ".git/config"), "utf8")).toBe(config);
    expect(existsSync(join(repository.path, "A.txt"))).toBe(true);
    expect(repository.git("show", "--name-only", "--format=", "main^2")).toBe("A.txt");
  });
});
