import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  agentEnvironment,
  type GuardedRepository,
  guardedRepository,
} from "../support/guarded-repository.ts";
import { missing } from "../support/sandboxed.ts";

let repository: GuardedRepository;
let env: Readonly<Record<string, string>>;

beforeEach(async () => {
  repository = guardedRepository();
  repository.write(".gitignore", "node_modules\n.husky/_\n");
  repository.git("config", "user.name", "t");
  repository.git("config", "user.email", "t@localhost");
  repository.git("add", "-A");
  repository.git("commit", "-qm", "ignored");
  env = agentEnvironment(await repository.dispatch("T-A", ["src/a/**"]));
});
afterEach(() => repository[Symbol.dispose]());

const at = (path: string) => join(repository.path, path);
const text = (path: string) => readFileSync(at(path), "utf8");

function program(path: string, script: string): void {
  repository.write(path, `#!/bin/sh\n${script}\n`);
  chmodSync(at(path), 0o755);
}

async function replaced(command: string, cwd = repository.path): Promise<string> {
  const payload = {
    ...{ session_id: "s1", cwd, hook_event_name: "PreToolUse", tool_use_id: "t1" },
    ...{ permission_mode: "bypassPermissions", tool_name: "Bash", tool_input: { command } },
  };
  const { exit, stdout, stderr } = await repository.guard(payload, { env });
  expect({ exit, stderr }).toEqual({ exit: 0, stderr: "" });
  return stdout === "" ? command : JSON.parse(stdout).hookSpecificOutput.updatedInput.command;
}

/** Runs a call that the guard has seen, as a client's shell does. */
async function ran(command: string, cwd = repository.path) {
  const { status, stdout, stderr } = spawnSync("bash", ["-c", await replaced(command, cwd)], {
    cwd,
    encoding: "utf8",
  });
  return { status, stdout, stderr };
}

const planted = "echo bad > docs/guide.md; echo bad >> .git/config; echo bad > .git/hooks/planted; exit 0";
const commit = "echo 1 >> src/a/x.ts && git add src/a && git commit -qm more";

function expectUntouched(): void {
  expect(text("docs/guide.md")).toBe("x\n");
  expect(text(".git/config")).not.toContain("bad");
  expect(existsSync(at(".git/hooks/planted"))).toBe(false);
}

describe.skipIf(missing)("a hook of git that runs code of the project", () => {
  it.each([
    ["a commit", commit],
    ["a commit in a separate shell", `bash -c '${commit}'`],
    [
      "a commit through another program",
      "echo 1 >> src/a/x.ts && timeout 60 git commit -qm more -- src/a/x.ts",
    ],
    ["a commit in `eval`", `eval '${commit}'`],
    ["a commit of all changes", "echo 1 >> src/a/x.ts && git commit -qam more"],
    ["a commit after a variable", "echo 1 >> src/a/x.ts && GIT_AUTHOR_NAME=x git commit -qam more"],
  ])("changes nothing outside the lock: %s", async (_name, command) => {
    program("node_modules/.bin/lint-staged", planted);
    program(".git/hooks/pre-commit", "node_modules/.bin/lint-staged");
    expect(await ran(command)).toMatchObject({ status: 0 });
    expect(repository.git("log", "-1", "--format=%s")).toBe("more");
    expectUntouched();
  });

  it("is contained in the lock wherever the repository keeps its hooks", async () => {
    program(".husky/_/pre-commit", '. "$(dirname "$0")/h"');
    repository.write(".husky/_/h", "sh .husky/pre-commit\n");
    repository.write(".husky/pre-commit", "node_modules/.bin/lint-staged\n");
    program("node_modules/.bin/lint-staged", planted);
    repository.git("config", "core.hooksPath", ".husky/_");
    repository.git("add", "-A");
    repository.git("commit", "-qm", "husky", "--no-verify");
    expect(await ran(commit)).toMatchObject({ status: 0 });
    expect(repository.git("log", "-1", "--format=%s")).toBe("more");
    expectUntouched();
  });

  it("cannot be replaced by a program in the sandbox, though git ignores its folder", async () => {
    program(".husky/_/pre-commit", "true");
    repository.git("config", "core.hooksPath", ".husky/_");
    repository.write(
      "src/a/plant.sh",
      "echo bad > .husky/_/pre-commit; echo bad > .husky/_/post-index-change\n",
    );
    await ran("sh src/a/plant.sh");
    expect(text(".husky/_/pre-commit")).toBe("#!/bin/sh\ntrue\n");
    expect(existsSync(at(".husky/_/post-index-change"))).toBe(false);
  });

  it("can stage its changes, keep a stash meanwhile, and change the message", async () => {
    program(
      ".git/hooks/pre-commit",
      [
        'git stash store -qm backup "$(git stash create)" && git rev-parse -q --verify stash@{0} >&2',
        "git diff --output=.git/kept.patch",
        "echo formatted > src/a/x.ts && git add -- src/a/x.ts",
        "git stash drop -q",
      ].join(" && "),
    );
    program(".git/hooks/commit-msg", 'echo "Reviewed: yes" >> "$1"');
    const { status, stderr } = await ran(commit);
    expect(stderr).toMatch(/^[0-9a-f]{40}\n$/);
    expect(status).toBe(0);
    expect(repository.git("show", "HEAD:src/a/x.ts")).toBe("formatted");
    expect(repository.git("log", "-1", "--format=%B")).toBe("more\nReviewed: yes");
    expect(repository.git("status", "--porcelain")).toBe("");
    expect(repository.git("stash", "list")).toBe("");
    repository.git("fsck", "--strict");
    expect(existsSync(at(".git/kept.patch"))).toBe(false);
  });

  it("stops a commit that it rejects", async () => {
    program(".git/hooks/pre-commit", "echo no >&2; exit 3");
    expect(await ran(commit)).toMatchObject({ status: 1, stderr: "no\n" });
    expect(repository.git("log", "-1", "--format=%s")).toBe("ignored");
  });

  it("can read what it needs of the repository, and change none of it", async () => {
    program(
      ".git/hooks/pre-commit",
      [
        "git rev-parse HEAD && git show HEAD:README.md && git diff --cached --name-only",
        "git update-ref refs/heads/main HEAD~1 2>/dev/null || echo main stays",
        "git update-ref refs/heads/other HEAD 2>/dev/null || echo no other",
        "git config a.b c 2>/dev/null || echo settings stay",
        "rm -rf .git/objects .git/refs/heads .git/objects-outside 2>/dev/null; echo .. > .git/commondir",
      ].join("\n"),
    );
    const head = repository.git("rev-parse", "HEAD");
    const { stdout, stderr } = await ran(commit);
    expect(stdout + stderr).toContain(`${head}\nx\nsrc/a/x.ts\nmain stays\nno other\nsettings stay\n`);
    expect(repository.git("rev-parse", "HEAD~1")).toBe(head);
    expect(existsSync(at(".git/commondir"))).toBe(false);
    repository.git("fsck", "--strict");
  });

  it("writes nothing elsewhere through links that it creates in its git folder", async () => {
    const target = repository.write("docs/target.md", "target\n");
    program(
      ".git/hooks/pre-commit",
      `rm -f .git/index .git/COMMIT_EDITMSG; ln -s ${target} .git/index; ln -s ${target} .git/COMMIT_EDITMSG`,
    );
    program(".git/hooks/commit-msg", "true");
    await ran(commit);
    expect(text("docs/target.md")).toBe("target\n");
  });

  it("works in a linked worktree", async () => {
    const tree = `${repository.path}-tree`;
    repository.git("worktree", "add", "-q", "-b", "linked", tree);
    try {
      program(".git/hooks/pre-commit", `echo formatted > src/a/x.ts; git add src/a/x.ts; ${planted}`);
      expect(await ran(commit, tree)).toMatchObject({ status: 0 });
      expect(repository.git("show", "linked:src/a/x.ts")).toBe("formatted");
      expect(readFileSync(join(tree, "docs/guide.md"), "utf8")).toBe("x\n");
      expectUntouched();
    } finally {
      rmSync(tree, { recursive: true, force: true });
    }
  });

  it("of another git command is contained too", async () => {
    program(".git/hooks/post-checkout", planted);
    expect(await ran("git checkout -q -b new")).toMatchObject({ status: 0 });
    expectUntouched();
    repository.write("src/a/x.ts", "to be restored\n");
    expect(await ran("git restore src/a/x.ts")).toMatchObject({ status: 0 });
    expectUntouched();
    program(".git/hooks/reference-transaction", planted);
    expect(await ran("git tag new-tag")).toMatchObject({ status: 0 });
    expect(repository.git("tag")).toBe("new-tag");
    expectUntouched();
  });

  it("runs nowhere else if the command changes the environment", async () => {
    program(".git/hooks/pre-commit", planted);
    for (const around of ["env -i git", "env -u GIT_CONFIG_COUNT git", "sudo git"])
      await ran(`echo 1 >> src/a/x.ts; ${around} commit -qam more`);
    await ran("bash -c 'unset GIT_CONFIG_COUNT; git commit -qam more'");
    expectUntouched();
  });
});

describe("a git command", () => {
  it.each([
    ["a repository without hooks", "git commit -qam more"],
    ["hooks that the command does not run", "git tag new"],
    ["a command that only reads", "git status"],
  ])("runs unchanged: %s", async (_name, command) => {
    if (!command.includes("commit")) program(".git/hooks/pre-commit", "true");
    repository.write(".git/hooks/commit-msg", "not a program");
    expect(await replaced(command)).toBe(command);
  });

  it("runs its hooks unchanged if opaque commands are refused", async () => {
    program(".git/hooks/pre-commit", "true");
    repository.write(".lockstep/config.yaml", "guard: { opaque: deny }\n");
    expect(await replaced("git commit -qam more")).toBe("git commit -qam more");
  });
});
