import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chmodSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { landRepository } from "../support/land-repository.ts";
import { startProgram } from "../support/run-command.ts";
import { lockstepWords } from "../support/run-hook.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const person = ["-c", "user.name=t", "-c", "user.email=t@localhost", "-c", "protocol.file.allow=always"];

function gitIn(cwd: string, ...words: string[]): string {
  return execFileSync("git", [...person, ...words], {
    cwd,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
  }).trim();
}

/** Runs `lockstep` in a folder, with a state folder beside it. */
async function lockstepIn(cwd: string, words: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const state = join(dirname(cwd), "state");
  const run = startProgram([...lockstepWords, ...words], {
    cwd,
    env: { XDG_STATE_HOME: state, ...env },
  });
  return run.ended;
}

describe("the argument of `land`", () => {
  it("may be a remote branch, a tag or a commit; a local branch of the same name is preferred", async () => {
    using repository = landRepository();
    repository.branch("feature", { "a.txt": "a\n" });
    repository.branch("tagged", { "b.txt": "b\n" });
    repository.branch("alone", { "c.txt": "c\n" });
    const { git } = repository;
    const alone = git("rev-parse", "alone");
    git("update-ref", "refs/remotes/origin/feature", "feature");
    git("tag", "v1", "tagged");
    git("tag", "-a", "-m", "annotated", "v2", "alone");
    git("branch", "-D", "feature", "tagged");
    expect((await repository.land("feature")).landed).toMatchObject({
      refused: { reason: "there is no branch, tag or commit `feature`: did you mean `origin/feature`?" },
    });
    const { status, landed } = await repository.land("origin/feature", "v1", alone.slice(0, 10));
    expect({ status, outcome: landed.outcome }).toEqual({ status: 0, outcome: "merged" });
    expect(git("ls-files", "a.txt", "b.txt", "c.txt").split("\n")).toHaveLength(3);
    expect(git("log", "-3", "--format=%s", "--first-parent").split("\n")).toEqual([
      `Land ${alone.slice(0, 10)}: change alone`,
      "Land v1: change tagged",
      "Land origin/feature: change feature",
    ]);
    expect((await repository.land("v2")).landed).toMatchObject({ outcome: "nothing" });
    for (const name of ["nothing", "-x", "^main", ":/base", "a b"])
      expect((await repository.run(["land", "--json", "--", name])).stdout, name).toContain(
        "there is no branch, tag or commit",
      );
  });
});

describe("a shallow clone", () => {
  it("works if it has the required commits, and otherwise names what to fetch", async () => {
    using origin = landRepository();
    origin.git("commit", "-q", "--allow-empty", "-m", "older");
    origin.git("commit", "-q", "--allow-empty", "-m", "newer");
    origin.branch("feature", { "f.js": "exports.f = 2;\n" });
    origin.git("commit", "-q", "--allow-empty", "-m", "newest");
    using folder = temporaryFolder();
    const clone = join(folder.path, "clone");
    gitIn(folder.path, "clone", "-q", "--depth", "1", "--branch", "main", `file://${origin.path}`, clone);
    const unknown = await lockstepIn(clone, ["land", "feature"]);
    expect(unknown).toMatchObject({
      status: 2,
      stderr: expect.stringContaining("in this shallow clone: run `git fetch origin feature`"),
    });
    gitIn(clone, "fetch", "-q", "--depth", "1", "origin", "feature:feature");
    const apart = await lockstepIn(clone, ["land", "feature"]);
    expect(apart).toMatchObject({
      status: 2,
      stderr: expect.stringContaining("run `git fetch --unshallow`"),
    });
    gitIn(clone, "fetch", "-q", "--depth", "2", "origin", "main", "feature");
    const landed = await lockstepIn(clone, ["land", "feature"], gitPerson);
    expect(landed, landed.stderr).toMatchObject({ status: 0 });
    expect(gitIn(clone, "rev-parse", "--is-shallow-repository")).toBe("true");
    expect(gitIn(clone, "show", "main:f.js")).toBe("exports.f = 2;");
  });
});

const gitPerson = {
  GIT_AUTHOR_NAME: "t",
  GIT_AUTHOR_EMAIL: "t@localhost",
  GIT_COMMITTER_NAME: "t",
  GIT_COMMITTER_EMAIL: "t@localhost",
};

describe("a submodule", () => {
  it("has its files in the checks, or is reported as empty; a change to it is refused", async () => {
    using inner = landRepository({ "inner.txt": "of the submodule\n" });
    using repository = landRepository();
    const { git } = repository;
    git(...person, "submodule", "--quiet", "add", "--name", "other", inner.path, "libs/inner");
    git("commit", "-qm", "submodule");
    repository.branch("work", { "f.js": "exports.f = 2;\n" });
    const check = ["--check", "grep -q submodule libs/inner/inner.txt"];
    const good = await repository.land("work", ...check, "--dry-run");
    expect(good, good.stderr).toMatchObject({ status: 0, landed: { outcome: "proven" } });
    git("checkout", "-q", "-b", "touch", "main");
    gitIn(join(repository.path, "libs/inner"), "commit", "-q", "--allow-empty", "-m", "newer");
    git("commit", "-qam", "newer");
    git("checkout", "-q", "main");
    git("submodule", "--quiet", "update");
    expect((await repository.land("touch")).landed).toMatchObject({ refused: { code: "R-GT-001" } });
    rmSync(join(repository.path, ".git/modules"), { recursive: true });
    const empty = await repository.land("work", ...check);
    expect(empty.status).toBe(2);
    expect(empty.stderr).toContain(
      "submodule libs/inner is empty for checks: run `git submodule update --init --recursive`",
    );
  });
});

describe("a large file", () => {
  it("has its content in the checks, or is reported as a pointer", async () => {
    const content = "large\n".repeat(1000);
    const id = createHash("sha256").update(content).digest("hex");
    const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${id}\nsize ${content.length}\n`;
    using repository = landRepository({ ".gitattributes": "*.bin filter=lfs\n", "a.bin": pointer });
    repository.branch("work", { "f.js": "exports.f = 2;\n" });
    const check = ["--check", `test $(wc -c < a.bin) = ${content.length}`, "--dry-run"];
    const without = await repository.land("work", ...check);
    expect(without.status).toBe(2);
    expect(without.stderr).toContain(
      "the content of a.bin was not fetched, so checks see the git-lfs pointer: run `git lfs pull`",
    );
    repository.write(`.git/lfs/objects/${id.slice(0, 2)}/${id.slice(2, 4)}/${id}`, content);
    const good = await repository.land("work", ...check);
    expect(good, good.stderr).toMatchObject({ status: 0, landed: { outcome: "proven" } });
  });
});

describe("a filter that git requires and cannot start", () => {
  it.each(["process", "smudge"])("is reported before an agent works, and by doctor: %s", async (key) => {
    using repository = landRepository({
      ".gitattributes": "*.bin filter=large\n",
      "a.bin": "pointer\n",
      ".lockstep/config.yaml": "agents: { coder: { adapter: command, run: [sh, -c, exit 0] } }\n",
    });
    repository.git("config", `filter.large.${key}`, "no-such-filter --now %f");
    repository.git("config", "filter.large.required", "true");
    const message = "`a.bin` needs git's filter `large`, whose program `no-such-filter` is not installed";
    const { status, stderr } = await repository.run(["do", "x", "--check", "true"]);
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: expect.stringContaining(
        `E-GIT: ${message}: install no-such-filter, or run \`git config filter.large.required false\``,
      ),
    });
    expect((await repository.run(["task", "list"])).stdout).not.toContain("T-001");
    const doctor = await repository.run(["doctor"]);
    expect(doctor.stdout.replace(/\s+/g, " ")).toContain(message);
    repository.git("config", "filter.large.required", "false");
    const allowed = await repository.run(["doctor"]);
    expect(allowed.stdout).not.toContain("no-such-filter");
  });
});

describe("a folder that is not usable", () => {
  it.each<[string, (path: string) => void, string]>([
    ["is in no repository", () => {}, "R-IN-001: this is not a git repository: run `git init`"],
    [
      "is a bare repository",
      (path) => gitIn(path, "init", "-q", "--bare"),
      "R-IN-001: this is a bare repository",
    ],
    [
      "has no commit",
      (path) => gitIn(path, "init", "-q", "-b", "main"),
      'R-IN-001: branch `main` has no commit yet: make a first one, such as `git commit --allow-empty -m "first"`',
    ],
    [
      "has files and no commit",
      (path) => {
        gitIn(path, "init", "-q", "-b", "main");
        writeFileSync(join(path, "a.js"), "1;\n");
      },
      'R-IN-001: branch `main` has no commit yet: make a first one, such as `git add -A && git commit -m "first"`',
    ],
  ])("because it %s is reported, and is not changed", async (_, prepare, text) => {
    using folder = temporaryFolder();
    const path = join(folder.path, "here");
    mkdirSync(path);
    prepare(path);
    const before = readdirSync(path);
    const run = await lockstepIn(path, ["land", "work"]);
    expect(run).toMatchObject({ status: 2, stderr: expect.stringContaining(text) });
    expect(readdirSync(path)).toEqual(before);
  });

  it.each([
    ["status"],
    ["status", "--json"],
    ["status", "--disk"],
    ["decide"],
    ["task", "list"],
    ["session", "list"],
    ["init"],
    ["init", "--client", "claude"],
    ["board", "--no-open"],
  ])("because it is in no repository has nothing to read: %s %s", async (...words) => {
    using folder = temporaryFolder();
    const run = await lockstepIn(folder.path, words);
    expect(run).toMatchObject({
      status: 2,
      stderr: expect.stringContaining("R-IN-001: this is not a git repository: run `git init`"),
    });
    expect(readdirSync(folder.path)).toEqual([]);
  });

  it("may be outside of a repository if it has a ledger", async () => {
    using folder = temporaryFolder();
    const added = await lockstepIn(folder.path, ["task", "add", "T-1", "--scope", "a", "--title", "one"]);
    expect(added.status, added.stderr).toBe(0);
    expect(await lockstepIn(folder.path, ["status"])).toMatchObject({
      status: 0,
      stdout: expect.stringContaining("T-1"),
    });
  });

  it("because it is a bare repository is not set up", async () => {
    using folder = temporaryFolder();
    gitIn(folder.path, "init", "-q", "--bare");
    const before = readdirSync(folder.path, { recursive: true });
    for (const words of [["init"], ["init", "--client", "claude"], ["init", "--remove"]])
      expect(await lockstepIn(folder.path, words)).toMatchObject({
        status: 2,
        stderr: expect.stringContaining("R-IN-001: this is a bare repository"),
      });
    expect(readdirSync(folder.path, { recursive: true })).toEqual(before);
  });

  it("because its state folder cannot be created is reported, with the remedy", async () => {
    using repository = landRepository();
    repository.branch("work", { "f.js": "exports.f = 2;\n" });
    const file = repository.write(".git/file", "");
    const run = await repository.run(["land", "work"], { env: { XDG_STATE_HOME: file } });
    expect(run.status).toBe(1);
    expect(run.stderr).toMatch(
      /E-STORE: cannot create `.*\/file\/lockstep\/.*`: a file is in the place of a folder; move that file away, or set XDG_STATE_HOME/,
    );
  });

  it.runIf(process.getuid?.() === 0)(
    "because it belongs to another user is reported, with git's remedy",
    async () => {
      using repository = landRepository();
      execFileSync("chown", ["-R", "65534:65534", repository.path]);
      const run = await repository.run(["land", "work"], { env: { HOME: repository.path } });
      expect(run.status).toBe(1);
      expect(run.stderr).toContain(
        `E-GIT: \`git rev-parse\` failed: the repository belongs to another user: run \`git config --global --add safe.directory ${repository.path}\``,
      );
    },
  );

  it.runIf(process.getuid?.() === 0)("because it is read-only is reported, with the remedy", async () => {
    using repository = landRepository();
    const through = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"];
    writeFileSync(join(repository.path, ".gitconfig"), "[safe]\n\tdirectory = *\n");
    chmodSync(repository.path, 0o755);
    const run = await repository.run(["land", "work"], { env: { HOME: repository.path }, through });
    expect(run.status).toBe(1);
    expect(run.stderr).toMatch(
      /E-STORE: cannot create `.*\/\.git\/lockstep`: permission denied; give yourself/,
    );
  });
});
