import { spawn } from "node:child_process";
import { existsSync, mkdirSync, rmSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { locksIn, removeStaleLocks } from "../../src/workspace/git/stale-locks.ts";
import { eventually, temporaryRepository } from "../support/run-command.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

/** A git process that works in a folder until `end`. */
function gitAtWork(folder: string, words: readonly string[] = ["cat-file", "--batch"]) {
  const child = spawn("git", words, { cwd: folder, stdio: ["pipe", "ignore", "ignore"] });
  const ended = new Promise((resolve) => child.once("exit", resolve));
  const end = () => {
    child.stdin.end();
    return ended;
  };
  return { end, [Symbol.asyncDispose]: async () => void (await end()) };
}

const names = ["index.lock", "HEAD.lock", "packed-refs.lock", "refs/heads/a/b.lock"];

function locked() {
  const repository = temporaryRepository();
  const locks = names.map((name) => repository.write(`.git/${name}`, ""));
  return { ...repository, locks, folders: [repository.path] };
}

describe("a lock in a git folder", () => {
  it("is found in every place where git makes one", () => {
    using repository = locked();
    expect(locksIn(join(repository.path, ".git")).toSorted()).toEqual(repository.locks.toSorted());
  });

  it("without a holder is removed at once", async () => {
    using repository = locked();
    const start = performance.now();
    expect(await removeStaleLocks(repository)).toEqual(repository.locks);
    expect(repository.locks.filter((lock) => existsSync(lock))).toEqual([]);
    expect(performance.now() - start).toBeLessThan(5_000);
    repository.git("commit", "-q", "--allow-empty", "-m", "works again");
  });

  it.each([".", "sub", ".git"])("remains while a git process works in `%s` there", async (where) => {
    using repository = locked();
    mkdirSync(join(repository.path, "sub"));
    await using _git = gitAtWork(join(repository.path, where));
    const [lock = ""] = repository.locks;
    await expect(removeStaleLocks({ ...repository, waitMsMax: 200 })).rejects.toThrow(
      /index\.lock` is held: git is running there \(process \d+\), wait until it ends or stop it, then try again/,
    );
    expect(existsSync(lock)).toBe(true);
  });

  it("remains while a git process works there with the name of another git command as an argument", async () => {
    using repository = locked();
    await using _git = gitAtWork(repository.path, ["hash-object", "--stdin", "mktree", "diff-tree"]);
    await expect(removeStaleLocks({ ...repository, waitMsMax: 200 })).rejects.toThrow(/git is running there/);
  });

  it("is removed as soon as the last git process there has ended", async () => {
    using repository = locked();
    const git = gitAtWork(repository.path);
    const removing = removeStaleLocks(repository);
    setTimeout(() => void git.end(), 300);
    expect(await removing).toEqual(repository.locks);
  });

  it("is waited for if its git process releases it", async () => {
    using repository = locked();
    await using _git = gitAtWork(repository.path);
    const removing = removeStaleLocks(repository);
    setTimeout(() => {
      for (const lock of repository.locks) rmSync(lock);
    }, 200);
    expect(await removing).toEqual([]);
  });

  it("does not depend on a git process elsewhere, or on other programs there", async () => {
    using repository = locked();
    using elsewhere = temporaryRepository();
    await using _git = gitAtWork(elsewhere.path);
    const other = spawn("sleep", ["60"], { cwd: repository.path });
    try {
      await eventually("the program runs", () => other.pid);
      expect(await removeStaleLocks({ ...repository, waitMsMax: 200 })).toEqual(repository.locks);
    } finally {
      other.kill("SIGKILL");
    }
  });

  it("is removed by age alone if processes cannot be listed", async () => {
    using repository = locked();
    using noProcesses = temporaryFolder();
    const options = { ...repository, waitMsMax: 50 };
    await expect(removeStaleLocks(options, noProcesses.path)).rejects.toThrow(
      /index\.lock` is held: it is too new to be stale, try again in a minute/,
    );
    const old = Date.now() / 1000 - 61;
    for (const lock of repository.locks) utimesSync(lock, old, old);
    expect(await removeStaleLocks(options, noProcesses.path)).toEqual(repository.locks);
  });
});
