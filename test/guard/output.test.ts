import { expect, it } from "vitest";
import { agentEnvironment, guardedRepository } from "../support/guarded-repository.ts";
import { shellPayload } from "../support/sandboxed-call.ts";

/** The exit code for each command of an agent that holds src/a/**. */
async function exits(commands: readonly string[], folder = "."): Promise<Record<string, number>> {
  using repository = guardedRepository();
  const { path } = repository;
  repository.write(".gitignore", "built\n*.log\nhooks\n.env\ntrees\n");
  repository.write("built/kept.js", "1\n");
  repository.write("docs/old.log", "1\n");
  repository.git("add", "-A");
  repository.git("add", "-f", "built/kept.js");
  repository.git("config", "core.hooksPath", "hooks");
  repository.git("commit", "-qm", "outputs");
  repository.git("worktree", "add", "-q", "-b", "other", "trees/other");
  repository.write("hooks/pre-commit", "#!/bin/sh\n");
  repository.write(".env", "secret\n");
  const env = agentEnvironment(await repository.dispatch("T-A", ["src/a/**"]));
  const answers: Record<string, number> = {};
  for (const command of commands) {
    const payload = shellPayload(path, command, { cwd: `${path}/${folder}` });
    answers[command] = (await repository.guard(payload, { env })).exit;
  }
  return answers;
}

it("ignored output can be deleted and written by plain commands, also from a subfolder", async () => {
  expect(await exits(["rm -f docs/old.log", "echo x > new.log", "rm -f built/new.js"])).toEqual({
    "rm -f docs/old.log": 0,
    "echo x > new.log": 0,
    "rm -f built/new.js": 0,
  });
  expect(await exits(["rm -f old.log new.log", "rm -f guide.md"], "docs")).toEqual({
    "rm -f old.log new.log": 0,
    "rm -f guide.md": 2,
  });
});

it("tracked files in it, settings, git hooks and other checkouts stay read-only", async () => {
  const commands = ["rm -rf built", "rm -f built/kept.js", "rm -f .env", "rm -rf hooks", "rm -rf trees"];
  const more = [
    "echo x > hooks/post-commit",
    "rm -rf trees/other",
    "rm -f trees/other/new.log docs/guide.md",
  ];
  const all = [...commands, ...more];
  expect(await exits(all)).toEqual(Object.fromEntries(all.map((command) => [command, 2])));
});
