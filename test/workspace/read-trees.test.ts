import { execFileSync } from "node:child_process";
import { rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type CommitTree, readTrees } from "../../src/workspace/git/read-tree.ts";
import { temporaryRepository } from "../support/run-command.ts";

function repositoryWith(files: Readonly<Record<string, string>>) {
  const repository = temporaryRepository(files);
  const commit = () => {
    repository.git("add", "-A");
    repository.git("commit", "-qm", "a");
    return repository.git("rev-parse", "HEAD");
  };
  const trees = async (...commits: string[]) =>
    (await readTrees(repository.path, commits)) as [CommitTree, CommitTree];
  return { ...repository, commit, trees };
}

describe("the tree of a commit", () => {
  it("has the texts of files, and none for other content", async () => {
    using repository = repositoryWith({
      "src/é b.ts": "one\r\ntwo",
      "empty.ts": "",
      "binary.ts": "a\u0000b",
      "just-small.ts": "x".repeat(1024 * 1024),
      "large.ts": "x".repeat(1024 * 1024 + 1),
    });
    symlinkSync("src", join(repository.path, "link"));
    const [tree] = await repository.trees(repository.commit());
    expect(tree.paths().toSorted()).toEqual(
      ["binary.ts", "empty.ts", "just-small.ts", "large.ts", "link", "src/é b.ts"].toSorted(),
    );
    expect(tree.text("src/é b.ts")).toBe("one\r\ntwo");
    expect(tree.text("empty.ts")).toBe("");
    expect(tree.text("just-small.ts")).toHaveLength(1024 * 1024);
    for (const path of ["binary.ts", "large.ts", "link", "src", "nowhere.ts"])
      expect(tree.text(path)).toBeUndefined();
    expect([tree.idOf("link"), tree.idOf("nowhere.ts")]).toEqual([expect.any(String), undefined]);
  });

  it("reads small files next to one that is too large for memory", async () => {
    const many = Array.from({ length: 40 }, (_, at) => [`b-${at}.ts`, `${at} `.repeat(300_000)]);
    using repository = repositoryWith({ "a.ts": "", ...Object.fromEntries(many), "z.ts": "2" });
    truncateSync(repository.write("huge.ts", ""), 80 * 1024 * 1024);
    const [tree] = await repository.trees(repository.commit());
    tree.load(tree.paths());
    expect([tree.text("a.ts"), tree.text("huge.ts"), tree.text("z.ts")]).toEqual(["", undefined, "2"]);
    for (const [path = "", text] of many) expect(tree.text(path) === text).toBe(true);
  });

  it("omits names that are not UTF-8, and keeps the others", async () => {
    using repository = repositoryWith({ "a.ts": "1" });
    writeFileSync(Buffer.concat([Buffer.from(`${repository.path}/`), Buffer.from([0x62, 0xff])]), "2");
    const [tree] = await repository.trees(repository.commit());
    expect(tree.paths()).toEqual(["a.ts"]);
  });

  it("reads equal files of two trees only once, and many files in one step", async () => {
    using repository = repositoryWith({ "a.ts": "1", "b.ts": "2", "c.ts": "3" });
    const before = repository.commit();
    repository.write("a.ts", "4");
    const [base, result] = await repository.trees(before, repository.commit());
    base.load(["a.ts", "b.ts", "nowhere.ts"]);
    rmSync(join(repository.path, ".git/objects"), { recursive: true });
    expect([base.text("a.ts"), base.text("b.ts"), result.text("b.ts")]).toEqual(["1", "2", "2"]);
    expect(() => base.text("c.ts")).toThrow("`git cat-file` failed");
  });

  it("has the same texts after a fetch, and then starts no process to read them", async () => {
    using repository = repositoryWith({ "a.ts": "1", "binary.ts": "a\u0000b", "empty.ts": "" });
    repository.write("large.ts", "x".repeat(1024 * 1024 + 1));
    const [tree] = await repository.trees(repository.commit());
    await tree.fetch([...tree.paths(), "nowhere.ts"]);
    rmSync(join(repository.path, ".git/objects"), { recursive: true });
    expect(["a.ts", "binary.ts", "empty.ts", "large.ts", "nowhere.ts"].map(tree.text)).toEqual([
      ...["1", undefined, ""],
      ...[undefined, undefined],
    ]);
  });

  it("names a missing object to an asynchronous caller", async () => {
    using repository = repositoryWith({ "a.ts": "1" });
    const [tree] = await repository.trees(repository.commit());
    const id = tree.idOf("a.ts") ?? "";
    rmSync(join(repository.path, ".git/objects", id.slice(0, 2), id.slice(2)));
    await expect(tree.fetch(["a.ts"])).rejects.toThrow(`there is no blob ${id}`);
  });

  it("names a missing object", async () => {
    using repository = repositoryWith({ "a.ts": "1" });
    const [tree] = await repository.trees(repository.commit());
    const id = tree.idOf("a.ts") ?? "";
    rmSync(join(repository.path, ".git/objects", id.slice(0, 2), id.slice(2)));
    expect(() => tree.text("a.ts")).toThrow(`there is no blob ${id}`);
  });

  it("belongs to the given repository, even if the environment names another one", async () => {
    using repository = repositoryWith({ "a.ts": "1" });
    using other = temporaryRepository();
    execFileSync("git", ["init", "-q"], { cwd: other.path });
    const commit = repository.commit();
    process.env.GIT_DIR = join(other.path, ".git");
    try {
      const [tree] = await repository.trees(commit);
      expect(tree.text("a.ts")).toBe("1");
    } finally {
      delete process.env.GIT_DIR;
    }
  });
});
