import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { keepProofs } from "../../src/run/landing/evidence/keep-proofs.ts";
import { commitTree, timestamp } from "../../src/workspace/git/commit-writer.ts";
import { changeRefs } from "../../src/workspace/git/ref-writer.ts";
import { readRef } from "../../src/workspace/git/refs.ts";
import { locksIn, removeStaleLocks } from "../../src/workspace/git/stale-locks.ts";
import { temporaryRepository } from "../support/run-command.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

function withCommits() {
  const repository = temporaryRepository({ "a.txt": "one\n" });
  const commit = (message: string) => {
    repository.git("add", "-A");
    repository.git("commit", "-q", "--allow-empty", "-m", message);
    return repository.git("rev-parse", "HEAD");
  };
  return { ...repository, first: commit("first"), second: commit("second") };
}

/** The running processes of a git command in a folder. */
function gitsIn(folder: string, command: string): readonly number[] {
  return readdirSync("/proc").flatMap((pid) => {
    try {
      const words = /^\d+$/.test(pid) ? readFileSync(join("/proc", pid, "cmdline"), "utf8").split("\0") : [];
      return words.includes(command) && words.includes(folder) ? [Number(pid)] : [];
    } catch {
      return []; // it ended meanwhile
    }
  });
}

describe("refs", () => {
  it("are changed together or not at all, if they have their expected values", async () => {
    using repository = withCommits();
    const { path, first, second } = repository;
    await changeRefs(path, [
      { ref: "refs/x/a", to: first },
      { ref: "refs/x/b", to: first, from: null },
    ]);
    const wrong = changeRefs(path, [
      { ref: "refs/x/a", to: second },
      { ref: "refs/x/b", to: second, from: second },
    ]);
    await expect(wrong).rejects.toThrow(/`git update-ref` failed: .*refs\/x\/b/);
    expect(await Promise.all(["refs/x/a", "refs/x/b"].map((ref) => readRef(path, ref)))).toEqual([
      first,
      first,
    ]);
    await changeRefs(path, [
      { ref: "refs/x/a", to: undefined },
      { ref: "refs/x/b", to: undefined, from: first },
    ]);
    expect(repository.git("for-each-ref", "refs/x")).toBe("");
  });

  it("are all changed by simultaneous requests, except impossible ones, and each gets its own error", async () => {
    using repository = withCommits();
    const { path, first } = repository;
    const asked = ["a", "a/below", "b", "b/below", "c"].map((name) =>
      changeRefs(path, [{ ref: `refs/x/${name}`, to: first }]),
    );
    const ends = await Promise.allSettled(asked);
    expect(ends.map((end) => (end.status === "rejected" ? end.reason.message : "changed"))).toEqual([
      "changed",
      expect.stringContaining("'refs/x/a' exists"),
      "changed",
      expect.stringContaining("'refs/x/b' exists"),
      "changed",
    ]);
    expect(repository.git("for-each-ref", "--format=%(refname)", "refs/x").split("\n")).toEqual([
      ...["refs/x/a", "refs/x/b", "refs/x/c"],
    ]);
  });

  it("have a reflog if it is requested: earlier values can be found again", async () => {
    using repository = withCommits();
    const { path, first, second } = repository;
    for (const to of [first, second])
      await changeRefs(path, [{ ref: "refs/lockstep/s/T-1/1", to }], { logged: true });
    expect(repository.git("rev-parse", "refs/lockstep/s/T-1/1@{1}")).toBe(first);
    await changeRefs(path, [{ ref: "refs/x/a", to: first }]);
    expect(() => repository.git("reflog", "exists", "refs/x/a")).toThrow();
    repository.git("reflog", "exists", "refs/lockstep/s/T-1/1");
  });

  it("are changed even if the git process is killed: another one is started", async () => {
    using repository = withCommits();
    const { path, first } = repository;
    await changeRefs(path, [{ ref: "refs/x/a", to: first }]);
    const [pid] = gitsIn(path, "update-ref");
    process.kill(pid ?? 0, "SIGSTOP");
    const asked = changeRefs(path, [{ ref: "refs/x/b", to: first }]);
    process.kill(pid ?? 0, "SIGKILL");
    await asked;
    expect(await readRef(path, "refs/x/b")).toBe(first);
  });

  it("leave no process behind that would hold a lock", async () => {
    using repository = withCommits();
    await changeRefs(repository.path, [{ ref: "refs/x/a", to: repository.first }]);
    const lock = repository.write(".git/index.lock", "");
    const locks = locksIn(join(repository.path, ".git"));
    expect(await removeStaleLocks({ folders: [repository.path], locks })).toEqual([lock]);
  });
});

describe("a commit on no branch", () => {
  it.each(["sha1", "sha256"])("is identical to git's own, with ids of %s", async (format) => {
    using folder = temporaryFolder({ "a.txt": "one\n" });
    const run = (words: string[], env = {}, input = "") =>
      String(execFileSync("git", words, { cwd: folder.path, env: { ...process.env, ...env }, input })).trim();
    run(["init", "-q", `--object-format=${format}`]);
    run(["config", "user.name", "Zoë  ÅÄ"]);
    run(["config", "user.email", "z@localhost"]);
    run(["config", "author.name", "Somebody else"]);
    run(["add", "-A"]);
    const tree = run(["write-tree"]);
    const root = await commitTree(folder.path, { tree, parents: [], subject: "Wurzel ü" });
    const body = "What it is about.\n\nMore.";
    const trailers = { "Lockstep-Task": "T-1", "Lockstep-Evidence": "npm test (passed)" };
    const made = await commitTree(folder.path, { tree, parents: [root], subject: "next", body, trailers });
    const date = run(["show", "-s", "--format=%ad", "--date=raw", made]);
    const message =
      "next\n\nWhat it is about.\n\nMore.\n\nLockstep-Task: T-1\nLockstep-Evidence: npm test (passed)\n";
    const dates = { GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date };
    expect(made).toBe(run(["commit-tree", tree, "-p", root], dates, message));
    expect(run(["fsck", "--strict", "--no-dangling"])).toBe("");
  });

  it.each(["two\nlines", 'a "quoted" \\ one', "plain"])(
    "is made if the temporary folder is %j",
    async (name) => {
      using folder = temporaryFolder();
      execFileSync("git", ["init", "-q"], { cwd: folder.path });
      const tree = String(execFileSync("git", ["write-tree"], { cwd: folder.path })).trim();
      mkdirSync(join(folder.path, name));
      vi.stubEnv("TMPDIR", join(folder.path, name));
      try {
        const commit = await commitTree(folder.path, { tree, parents: [], subject: "x" });
        expect(commit).toMatch(/^[0-9a-f]{40}$/);
        expect(readdirSync(join(folder.path, name))).toEqual([]);
      } finally {
        vi.unstubAllEnvs();
      }
    },
  );

  it.each([
    [0, "1700000000 +0000"],
    [-345, "1700000000 +0545"],
    [210, "1700000000 -0330"],
    [-840, "1700000000 +1400"],
    [-900, "1700000000 +0000"],
  ])("has a time zone that git accepts: %i minutes", (offset, expected) => {
    const now = new Date(1_700_000_000_999);
    now.getTimezoneOffset = () => offset;
    expect(timestamp(now)).toBe(expected);
  });

  it("is Lockstep's own if git has no identity", async () => {
    using folder = temporaryFolder();
    execFileSync("git", ["init", "-q"], { cwd: folder.path });
    execFileSync("git", ["config", "user.useConfigOnly", "true"], { cwd: folder.path });
    const tree = String(execFileSync("git", ["write-tree"], { cwd: folder.path })).trim();
    const { HOME, XDG_CONFIG_HOME } = process.env;
    process.env.HOME = folder.path;
    process.env.XDG_CONFIG_HOME = folder.path;
    try {
      const commit = await commitTree(folder.path, { tree, parents: [], subject: "x" });
      const who = ["show", "-s", "--format=%an <%ae> %cn", commit];
      expect(String(execFileSync("git", who, { cwd: folder.path })).trim()).toBe(
        "Lockstep <lockstep@localhost> Lockstep",
      );
    } finally {
      Object.assign(process.env, { HOME });
      if (XDG_CONFIG_HOME === undefined) delete process.env.XDG_CONFIG_HOME;
      else process.env.XDG_CONFIG_HOME = XDG_CONFIG_HOME;
    }
  });
});

describe("proofs", () => {
  it("are notes next to those of others, and a later proof replaces the earlier one", async () => {
    using repository = withCommits();
    const { path, first, second, git } = repository;
    const third = git("commit-tree", "HEAD^{tree}", "-m", "third");
    git("notes", "--ref=lockstep", "add", "-m", "a person's", third);
    await keepProofs(path, [
      { commit: first, proof: { of: "first", why: "ü" } },
      { commit: second, proof: { of: "second" } },
    ]);
    await keepProofs(path, [{ commit: second, proof: { of: "second", again: true } }]);
    const note = (commit: string) => git("notes", "--ref=lockstep", "show", commit);
    expect([JSON.parse(note(first)), JSON.parse(note(second)), note(third)]).toEqual([
      { of: "first", why: "ü" },
      { of: "second", again: true },
      "a person's",
    ]);
  });

  it("written at the same moment are all kept", async () => {
    using repository = withCommits();
    const { path, git } = repository;
    const commits = Array.from({ length: 8 }, (_, at) => git("commit-tree", "HEAD^{tree}", "-m", `c${at}`));
    await Promise.all(commits.map((commit) => keepProofs(path, [{ commit, proof: { commit } }])));
    const notes = commits.map((commit) => JSON.parse(git("notes", "--ref=lockstep", "show", commit)));
    expect(notes).toEqual(commits.map((commit) => ({ commit })));
  });
});
