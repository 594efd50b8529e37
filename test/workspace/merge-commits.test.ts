import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { simpleFork } from "../../src/workspace/git/fork-point.ts";
import { mergeTrees } from "../../src/workspace/git/merge-commits.ts";
import { temporaryRepository } from "../support/run-command.ts";

/** Numbers that are the same in each run. */
function numbers(seed: number) {
  let state = seed;
  return (below: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return Math.floor((state / 2 ** 31) * below);
  };
}

type Files = ReadonlyMap<string, string>;

/** A repository with commits of any files on any parents. */
function withCommits() {
  const repository = temporaryRepository({ "a.txt": "one\n" });
  const run = (words: readonly string[], input = "") => {
    const { stdout, stderr, status } = spawnSync("git", words, { cwd: repository.path, input });
    if (status !== 0 && words[0] !== "merge-tree") throw new Error(String(stderr));
    return String(stdout);
  };
  let made = 0;
  const commit = (files: Files, parents: readonly string[]) => {
    made += 1;
    const content = (text: string) => (text.startsWith("link ") ? text.slice(5) : text);
    const lines = [
      `commit refs/made/${made}`,
      `committer A <a@localhost> ${1_700_000_000 + made} +0000`,
      "data 0",
      ...parents.map((parent, at) => `${at === 0 ? "from" : "merge"} ${parent}`),
      "deleteall",
      ...[...files].flatMap(([path, text]) => {
        const mode = text.startsWith("link ") ? "120000" : text.startsWith("#!") ? "100755" : "100644";
        return [`M ${mode} inline ${path}`, `data ${Buffer.byteLength(content(text))}`, content(text)];
      }),
      "",
    ];
    run(["fast-import", "--quiet", "--force"], lines.join("\n"));
    return run(["rev-parse", `refs/made/${made}`]).trim();
  };
  const merged = (ours: string, theirs: string) => {
    const words = ["merge-tree", "--write-tree", "--name-only", "--no-messages", "-z", ours, theirs];
    const [tree = "", ...conflicts] = run(words).split("\0").filter(Boolean);
    return { tree, conflicts: [...new Set(conflicts)] };
  };
  const bases = (one: string, other: string) => run(["merge-base", "--all", one, other]).trim().split("\n");
  return { ...repository, commit, merged, bases };
}

const paths = ["a", "b", "x/a", "x/b", "x/y/c", "x y/ä", "z", "z/w", "z/v/u", "x.y"];

describe("a merge of two commits", () => {
  it("has the same tree as git's merge, for any changes on the two sides", async () => {
    using repository = withCommits();
    const { commit, merged, path } = repository;
    const pick = numbers(7);
    const some = () => ["one\n", "two\n", "#!three\n", "link a", "long\n".repeat(20)][pick(5)] ?? "";
    const put = (files: Map<string, string>) => {
      const at = paths[pick(paths.length)] ?? "";
      for (const other of files.keys())
        if (other.startsWith(`${at}/`) || at.startsWith(`${other}/`)) files.delete(other);
      files.set(at, some());
    };
    const edited = (from: Files) => {
      const files = new Map(from);
      for (let left = 1 + pick(2); left > 0; left -= 1) {
        const [first] = [...files.keys()];
        if (pick(6) === 0 && first !== undefined) files.delete(first);
        else put(files);
      }
      return files;
    };
    for (let round = 0; round < 60; round += 1) {
      const start = new Map<string, string>();
      for (let left = pick(6); left >= 0; left -= 1) put(start);
      const fork = commit(start, []);
      const ours = commit(edited(start), [fork]);
      const theirs = commit(edited(start), [fork]);
      const expected = merged(ours, theirs);
      const { conflicts = [], ...found } = {
        conflicts: undefined,
        ...(await mergeTrees(path, ours, theirs)),
      };
      expect({ ...found, conflicts }, `round ${round}`).toEqual(expected);
    }
  });

  it("follows a folder that one side has renamed", async () => {
    using repository = withCommits();
    const { commit, merged, path } = repository;
    const text = (name: string) => `${name}\n`.repeat(20);
    const fork = commit(new Map(["old/a", "old/b"].map((one) => [one, text(one)])), []);
    const ours = commit(new Map(["old/a", "old/b"].map((one) => [one.replace("old", "new"), text(one)])), [
      fork,
    ]);
    const theirs = commit(new Map(["old/a", "old/b", "old/c"].map((one) => [one, text(one)])), [fork]);
    expect((await mergeTrees(path, ours, theirs)).tree).toBe(merged(ours, theirs).tree);
    expect(repository.git("ls-tree", "-r", "--name-only", merged(ours, theirs).tree)).toContain("new/c");
  });
});

describe("a merge with an empty folder", () => {
  it("puts a file of the same name in its place", async () => {
    using repository = temporaryRepository({ "a.txt": "one\n" });
    const { git, path } = repository;
    const of = (words: readonly string[], input: string) =>
      String(spawnSync("git", words, { cwd: path, input }).stdout).trim();
    const empty = of(["mktree"], "");
    const file = `100644 blob ${of(["hash-object", "-w", "--stdin"], "one\n")}`;
    const commit = (more: string, ...parents: readonly string[]) =>
      git("commit-tree", "-m", "made", ...parents, of(["mktree"], `${file}\ta.txt\n${more}`));
    const fork = commit("");
    const ours = commit(`040000 tree ${empty}\tb\n`, "-p", fork);
    const theirs = commit(`${file}\tb\n`, "-p", fork);
    const { tree } = await mergeTrees(path, ours, theirs);
    expect(tree).toBe(git("rev-parse", `${theirs}^{tree}`));
  });
});

describe("the fork of two commits", () => {
  it("is git's only merge base, in any history", async () => {
    using repository = withCommits();
    const { commit, bases, path } = repository;
    const pick = numbers(11);
    const all = [commit(new Map([["a", "a\n"]]), [])];
    const any = () => all[Math.max(0, all.length - 1 - pick(6))] ?? "";
    let known = 0;
    for (let round = 0; round < 80; round += 1) {
      const [one, other] = [any(), any()];
      all.push(commit(new Map([["a", `${round}\n`]]), pick(3) === 0 && one !== other ? [one, other] : [one]));
      const [ours, theirs] = [any(), any()];
      const fork = await simpleFork(path, ours, theirs);
      if (fork === undefined) continue;
      known += 1;
      expect(bases(ours, theirs), `round ${round}`).toEqual([fork]);
    }
    expect(known).toBeGreaterThan(10);
  });

  it("is unknown if `theirs` was merged already, by a commit or a branch", async () => {
    using repository = withCommits();
    const { commit, path } = repository;
    const files = new Map([["a", "a\n"]]);
    const fork = commit(files, []);
    const theirs = commit(new Map([["b", "b\n"]]), [fork]);
    const side = commit(new Map([["c", "c\n"]]), [theirs]);
    const main = commit(new Map([["d", "d\n"]]), [fork]);
    expect(await simpleFork(path, main, theirs)).toBe(fork);
    for (const merged of [theirs, side])
      expect(await simpleFork(path, commit(files, [main, merged]), theirs)).toBeUndefined();
    expect(await simpleFork(path, side, theirs)).toBeUndefined();
  });
});
