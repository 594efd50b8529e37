import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readObject, readSmallBlob } from "../../src/workspace/git/object-reader.ts";
import { readParents, readRef } from "../../src/workspace/git/refs.ts";
import { locksIn, removeStaleLocks } from "../../src/workspace/git/stale-locks.ts";
import { eventually, temporaryRepository } from "../support/run-command.ts";

function repositoryWithCommit() {
  const repository = temporaryRepository({ "a.txt": "one\ntwo\n" });
  const commit = (message: string) => {
    repository.git("add", "-A");
    repository.git("commit", "-q", "--allow-empty", "-m", message);
    return repository.git("rev-parse", "HEAD");
  };
  return { ...repository, commit, first: commit("first") };
}

/** The running readers of a folder. */
function readersIn(folder: string): number {
  const lines = readdirSync("/proc").flatMap((pid) => {
    try {
      return /^\d+$/.test(pid) ? [readFileSync(join("/proc", pid, "cmdline"), "utf8")] : [];
    } catch {
      return []; // it ended meanwhile
    }
  });
  return lines.filter((line) => line.includes("--batch-command") && line.includes(folder)).length;
}

describe("a reader of objects", () => {
  it("answers many simultaneous questions correctly with one git process", async () => {
    using repository = repositoryWithCommit();
    const { path, first } = repository;
    const names = [
      "HEAD",
      "HEAD:a.txt",
      "nowhere",
      first,
      "HEAD^{tree}",
      "two words",
      "a\nb",
      "refs/heads/none",
    ];
    const answers = await Promise.all(names.map((name) => readObject(path, name)));
    expect(answers.map((answer) => answer?.type)).toEqual([
      ...["commit", "blob", undefined, "commit", "tree"],
      ...[undefined, undefined, undefined],
    ]);
    expect([answers[1]?.bytes.toString(), answers[3]?.id]).toEqual(["one\ntwo\n", first]);
    expect(readersIn(path)).toBe(1);
  });

  it("sees objects and refs that were added, moved and packed since it started", async () => {
    using repository = repositoryWithCommit();
    const { path, first, git } = repository;
    expect(await readRef(path, "refs/heads/later")).toBeUndefined();
    const second = repository.commit("second");
    git("branch", "later");
    expect(await readRef(path, "refs/heads/later")).toBe(second);
    git("branch", "-f", "later", first);
    git("pack-refs", "--all");
    git("gc", "-q", "--prune=now");
    expect(await readRef(path, "refs/heads/later")).toBe(first);
    git("branch", "-D", "later");
    expect(await readRef(path, "refs/heads/later")).toBeUndefined();
    expect([await readParents(path, second), await readParents(path, first)]).toEqual([[first], []]);
  });

  it("returns no blob above the requested size, and names a missing one", async () => {
    using repository = repositoryWithCommit();
    const id = repository.git("rev-parse", "HEAD:a.txt");
    expect(String(await readSmallBlob(repository.path, id, 8))).toBe("one\ntwo\n");
    expect(await readSmallBlob(repository.path, id, 7)).toBeUndefined();
    const missing = "1".repeat(40);
    await expect(readSmallBlob(repository.path, missing, 7)).rejects.toThrow(`there is no blob ${missing}`);
  });

  it("ends when it is no longer used, and starts again with the next question", async () => {
    using repository = repositoryWithCommit();
    await readRef(repository.path, "HEAD");
    await eventually("the end of the reader", () => (readersIn(repository.path) === 0 ? true : undefined));
    expect(await readRef(repository.path, "HEAD")).toBe(repository.first);
  });

  it("does not keep a finished command alive, and a command waits for its answer", () => {
    using repository = repositoryWithCommit();
    const script = `
      const { readRef } = await import(${JSON.stringify(new URL("../../src/workspace/git/refs.ts", import.meta.url).href)});
      console.log(await readRef(${JSON.stringify(repository.path)}, "HEAD"));`;
    const start = performance.now();
    const words = ["--input-type=module", "-e", script];
    expect(String(execFileSync(process.execPath, words)).trim()).toBe(repository.first);
    expect(performance.now() - start).toBeLessThan(20_000);
    expect(readersIn(repository.path)).toBe(0);
  });

  it("fails with a message if there is no repository", async () => {
    using repository = temporaryRepository();
    rmSync(join(repository.path, ".git"), { recursive: true });
    await expect(readRef(repository.path, "HEAD")).rejects.toThrow(
      "`git cat-file` failed: fatal: not a git repository",
    );
  });

  it("holds no lock, so that a stale lock can be removed while it runs", async () => {
    using repository = repositoryWithCommit();
    await readRef(repository.path, "HEAD");
    const lock = repository.write(".git/index.lock", "");
    const locks = locksIn(join(repository.path, ".git"));
    expect(await removeStaleLocks({ folders: [repository.path], locks, waitMsMax: 200 })).toEqual([lock]);
  });
});
