import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  agentEnvironment,
  type GuardedRepository,
  guardedRepository,
} from "../support/guarded-repository.ts";
import { missing } from "../support/sandboxed.ts";
import { replacedCommand, shellPayload } from "../support/sandboxed-call.ts";

let repository: GuardedRepository;
let env: Readonly<Record<string, string>>;

beforeEach(async () => {
  repository = guardedRepository();
  repository.write(".gitattributes", "*.ts filter=own diff=own\n");
  repository.write("tools/clean.sh", "cat\n");
  repository.git("add", "-A");
  repository.git("commit", "-qm", "attributes");
  env = agentEnvironment(await repository.dispatch("T-A", ["src/a/**"]));
});
afterEach(() => repository[Symbol.dispose]());

const refusalOf = async (command: string) =>
  (await repository.guard(shellPayload(repository.path, command), { env })).stderr;

describe.skipIf(missing)("git settings that point out of the sandbox to", () => {
  it.each([
    ["a filter in the lock", "filter.own.clean", "sh src/a/clean.sh %f"],
    ["a program in ignored output", "diff.own.textconv", "node_modules/x/index.js"],
    ["more settings in the lock", "include.path", "../src/a/settings"],
    ["more settings that are ignored", "includeIf.gitdir:/.path", "../node_modules/settings"],
    ["a monitor in the lock", "core.fsmonitor", "src/a/ok.ts"],
  ])(
    "%s: commands that stage or commit are refused, and one that reads runs inside",
    async (_name, key, value) => {
      repository.write("src/a/clean.sh", "cat\n");
      repository.git("config", key, value);
      for (const command of ["git add src/a/x.ts", "git commit -m x -- src/a", "npm test && git add src/a"])
        expect(await refusalOf(command)).toMatch(
          /^R-PW-002: git's setting .* ask a person to run this command/,
        );
      expect(await replacedCommand(repository, "git diff | head", env)).toMatch(
        / exec [0-9a-f]{8} \$\$ bash -c /,
      );
    },
  );

  it("a path that the agent may not write: git runs unchanged", async () => {
    repository.git("config", "filter.own.clean", "sh tools/clean.sh %f");
    repository.git("config", "include.path", "../docs/guide.md");
    repository.git("config", "filter.lfs.clean", "git-lfs clean -- %f");
    repository.write("docs/guide.md", "[user]\n\tname = t\n");
    for (const command of ["git add src/a/x.ts", "git diff"])
      expect(await replacedCommand(repository, command, env)).toBe(command);
  });

  it("a program in the lock, which cannot write outside of it when git reads", async () => {
    repository.write("src/a/show.sh", 'echo bad > docs/bad; cat "$1"\n');
    repository.git("config", "diff.own.textconv", "sh src/a/show.sh");
    repository.write("src/a/x.ts", "changed\n");
    const command = await replacedCommand(repository, "git diff", env);
    const { stdout } = spawnSync("bash", ["-c", command], { cwd: repository.path, encoding: "utf8" });
    expect(stdout).toContain("+changed");
    expect(existsSync(join(repository.path, "docs/bad"))).toBe(false);
  });
});
