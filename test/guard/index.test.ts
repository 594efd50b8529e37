import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  agentEnvironment,
  type GuardedRepository,
  guardedRepository,
} from "../support/guarded-repository.ts";

let repository: GuardedRepository;
let env: Readonly<Record<string, string>>;

beforeEach(async () => {
  repository = guardedRepository();
  repository.write(".gitignore", "node_modules\n");
  repository.git("add", "-A");
  repository.git("commit", "-qm", "ignored");
  env = agentEnvironment(await repository.dispatch("T-A", ["src/a/**"]));
});
afterEach(() => repository[Symbol.dispose]());

async function said(command: string, folder = repository.path): Promise<string> {
  const payload = {
    ...{ session_id: "s1", cwd: folder, hook_event_name: "PreToolUse", tool_use_id: "t1" },
    ...{ permission_mode: "bypassPermissions", tool_name: "Bash", tool_input: { command } },
  };
  const { exit, stderr } = await repository.guard(payload, { env, folder });
  return exit === 0 ? "allowed" : stderr;
}

/** Staged, changed and new files of a person. */
function work(): void {
  repository.write("docs/guide.md", "staged\n");
  repository.git("add", "docs/guide.md");
  repository.write("README.md", "changed\n");
  repository.write("docs/new.md", "begun\n");
  repository.write("node_modules/x.js", "made\n");
  repository.write("src/a/x.ts", "own\n");
}

describe("a git command that uses the index", () => {
  it.each([
    ["git commit -m x", "docs/guide.md", "`git commit -m MESSAGE -- PATH`"],
    ["git commit --amend --no-edit", "docs/guide.md", "-- PATH"],
    ["git add src/a && git commit -m x", "docs/guide.md", "-- PATH"],
    ["git commit -am x", "docs/guide.md", "-- PATH"],
    ["git commit -m x -- README.md", "README.md", "name your own paths"],
    ["git commit -m x -i src/a/x.ts", "docs/guide.md", "-- PATH"],
    ["git commit -m x .", "README.md", "name your own paths"],
    ["git commit -m x -- docs/guide.md", "docs/guide.md", "-- PATH"],
    ["git commit -m x --only docs/guide.md src/a", "docs/guide.md", "-- PATH"],
    ["cd docs && git commit -m x guide.md", "docs/guide.md", "-- PATH"],
    ["cd src/a && git commit -m x", "docs/guide.md", "-- PATH"],
    ["git add -A", "README.md", "`git add -- PATH`"],
    ["git add .", "docs/new.md", "`git add -- PATH`"],
    ["git add -u", "README.md", "`git add -- PATH`"],
    ["git add 'docs/*'", "docs/new.md", "`git add -- PATH`"],
    ["git add $UNKNOWN", "README.md", "`git add -- PATH`"],
    ["git stage docs", "docs/new.md", "`git add -- PATH`"],
    ["git add -f node_modules", "node_modules/x.js", "`git add -- PATH`"],
    ["cd docs && git add .", "docs/new.md", "`git add -- PATH`"],
    ["git -C docs add .", "docs/new.md", "`git add -- PATH`"],
    ["git update-index README.md", "README.md", "`git add -- PATH`"],
    ["git update-index --again", "README.md", "`git add -- PATH`"],
    ["git reset", "docs/guide.md", "`git reset -- PATH`"],
    ["git reset -q HEAD", "docs/guide.md", "`git reset -- PATH`"],
    ["git reset -- docs", "docs/guide.md", "`git reset -- PATH`"],
    ["git reset HEAD docs/guide.md", "docs/guide.md", "`git reset -- PATH`"],
    ["git restore --staged .", "docs/guide.md", "`git reset -- PATH`"],
    ["git rm --cached README.md", "README.md", "name your own paths"],
    ["git rm -r --cached .", "README.md", "name your own paths"],
  ])("leaves the changes of others in it: %s", async (command, path, next) => {
    work();
    const message = await said(command);
    expect(message).toContain("R-PW-001");
    expect(message).toContain(`\`${path}\``);
    expect(message).toContain(next);
  });

  it.each([
    "git commit -m x -- src/a",
    "git commit -m x --only src/a/x.ts",
    "git commit -m x --dry-run",
    "git add src/a",
    "git add -- src/a/x.ts && git commit -m x -- src/a/x.ts",
    "cd src/a && git add .",
    "git add -n .",
    "git add -u src/a",
    "git update-index --refresh",
    "git update-index src/a/x.ts",
    "git reset -- src/a",
    "git reset --soft HEAD",
    "git restore --staged src/a",
    "git rm --cached src/a/in.ts",
    "git status && git diff --cached",
  ])("may stage its own changes: %s", async (command) => {
    work();
    expect(await said(command)).toBe("allowed");
  });

  it.each(["git commit -m x", "git commit -am x", "git add -A && git commit -m x", "git reset", "git add ."])(
    "may take everything if all changes are its own: %s",
    async (command) => {
      repository.write("src/a/x.ts", "own\n");
      repository.write("src/a/new.ts", "own\n");
      repository.git("add", "src/a/x.ts");
      expect(await said(command)).toBe("allowed");
    },
  );

  it.each([
    ["docs/guide.md", "a merge is in progress: ask a person to commit it"],
    ["src/a/in.ts", "allowed"],
  ])("waits for a person during a merge that changes %s", async (path, expected) => {
    repository.git("checkout", "-q", "-b", "other");
    repository.write(path, "other\n");
    repository.git("commit", "-qam", "other");
    repository.git("checkout", "-q", "main");
    repository.git("merge", "-q", "--no-commit", "--no-ff", "other");
    repository.write("src/a/x.ts", "own\n");
    const message = await said("git add src/a && git commit -m x");
    expect(message).toContain(expected);
    expect(message).not.toContain("-- PATH");
  });

  it("is checked against the whole index, whatever the person's diff settings hide", async () => {
    repository.git("config", "diff.relative", "true");
    repository.git("config", "diff.ignoreSubmodules", "all");
    work();
    const message = await said("git commit -m x", `${repository.path}/src/a`);
    expect(message).toContain("`docs/guide.md`");
  });

  it.each([
    "git add src/a/own",
    "git add -A",
    "git add -f src/a/own",
    "git stage src",
    "git update-index --add src/a/own",
    "cd src/a && git add .",
  ])("does not add a nested repository: %s", async (command) => {
    repository.git("init", "-q", "src/a/own");
    repository.git("-C", "src/a/own", "commit", "-q", "--allow-empty", "-m", "own");
    const message = await said(command);
    expect(message).toContain("R-PW-002");
    expect(message).toContain("`src/a/own`");
    expect(message).toContain("`.gitignore`");
  });

  it("may add a new state of a submodule in the lock", async () => {
    repository.git("init", "-q", "src/a/own");
    repository.git("-C", "src/a/own", "commit", "-q", "--allow-empty", "-m", "own");
    repository.git("add", "src/a/own");
    repository.git("commit", "-qm", "own");
    repository.git("-C", "src/a/own", "commit", "-q", "--allow-empty", "-m", "more");
    expect(await said("git add src/a/own && git commit -m x")).toBe("allowed");
  });

  it.each(["git --icase-pathspecs add DOCS", "GIT_ICASE_PATHSPECS=1 git add DOCS"])(
    "is refused with case-insensitive pathspecs: %s",
    async (command) => {
      work();
      expect(await said(command)).toContain("R-PW-002");
    },
  );

  it.each(["git read-tree HEAD", "git update-index --force-remove x"])(
    "may not replace it: %s",
    async (command) => expect(await said(command)).toContain("R-PW-002"),
  );

  it("may not apply a patch to it outside the lock", async () => {
    const patch = "--- a/README.md\n+++ b/README.md\n@@ -1 +1 @@\n-x\n+y\n";
    expect(await said(`git apply --cached <<'EOF'\n${patch}EOF`)).toContain("README.md");
  });
});
