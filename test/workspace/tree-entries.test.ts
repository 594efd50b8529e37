import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readChangedTexts } from "../../src/workspace/git/read-changed-texts.ts";
import { readDiff, readName, splitAtZero } from "../../src/workspace/git/read-diff.ts";
import { listTree, readTop } from "../../src/workspace/git/tree-entries.ts";
import { temporaryRepository } from "../support/run-command.ts";

type Kind = "file" | "program" | "link";

/** Names that git sorts in its own way, and one that is not text. */
const names = ["a", "a.b", "a-b", "a/b", "a/b/c", "a/é", "z", "dir/x", "dir/y/z", "\xff"];
const trees = fc.dictionary(
  fc.constantFrom(...names),
  fc.tuple(fc.constantFrom<Kind>("file", "program", "link"), fc.constantFrom("1", "2")),
);

/** More folders than are read one by one. */
const manyFolders = Object.fromEntries(
  Array.from({ length: 60 }, (_, at) => [`folder-${at}/sub/a.txt`, `${at}`]).concat([["é/a.txt", "e"]]),
);

function commitOf(repository: ReturnType<typeof temporaryRepository>, tree: Record<string, [Kind, string]>) {
  execFileSync("git", ["rm", "-rfq", "--cached", "--ignore-unmatch", "."], { cwd: repository.path });
  for (const name of ["a", "a.b", "a-b", "z", "dir"])
    rmSync(join(repository.path, name), { recursive: true, force: true });
  rmSync(onDisk(repository.path, "\xff"), { force: true });
  for (const [path, [kind, text]] of Object.entries(tree)) {
    // A file in the place of a folder, or the reverse, is skipped.
    try {
      mkdirSync(dirname(join(repository.path, path)), { recursive: true });
      if (kind === "link") symlinkSync(text, onDisk(repository.path, path));
      else writeFileSync(onDisk(repository.path, path), text);
      if (kind === "program") chmodSync(onDisk(repository.path, path), 0o755);
    } catch (error) {
      expect((error as NodeJS.ErrnoException).code).toMatch(/EEXIST|ENOTDIR|EISDIR|ENOENT/);
    }
  }
  repository.git("add", "-A");
  repository.git("commit", "-q", "--allow-empty", "-m", "x");
  return repository.git("rev-parse", "HEAD");
}

function onDisk(folder: string, path: string): Buffer {
  return Buffer.concat([Buffer.from(`${folder}/`), Buffer.from(path, path === "\xff" ? "latin1" : "utf8")]);
}

function gitOutput(cwd: string, words: readonly string[]): Buffer[] {
  return splitAtZero(execFileSync("git", [...words], { cwd }));
}

describe("the difference of two trees", () => {
  it("is the same as git's, in the same order", async () => {
    using repository = temporaryRepository();
    await fc.assert(
      fc.asyncProperty(trees, trees, async (one, other) => {
        const [from, to] = [commitOf(repository, one), commitOf(repository, other)];
        const words = ["diff-tree", "-r", "-z", "--no-renames", from, to];
        const fields = gitOutput(repository.path, words);
        const expected = fields.flatMap((field, at) => {
          if (at % 2 === 1) return [];
          const [oldMode, newMode, , , letter] = field.toString("latin1").slice(1).split(" ");
          const status = letter === "A" ? "added" : letter === "D" ? "deleted" : "modified";
          const kind = (letter === "D" ? oldMode : newMode) === "120000" ? "link" : "file";
          return [{ ...readName(fields[at + 1] as Buffer), status, kind }];
        });
        expect(await readDiff(repository.path, from, to)).toEqual(expected);
        const listed = gitOutput(repository.path, ["ls-tree", "-r", "-z", to]).map(String);
        const entries = [...(await listTree(repository.path, to))];
        const lines = entries.map(
          ([path, { mode, id }]) => `${mode} blob ${id}\t${Buffer.from(path, "latin1")}`,
        );
        expect(lines).toEqual(listed);
      }),
      { numRuns: 40 },
    );
  });

  it("is listed in git's order even if git lists many folders at once", async () => {
    using repository = temporaryRepository(manyFolders);
    repository.git("add", "-A");
    repository.git("commit", "-qm", "a");
    const head = repository.git("rev-parse", "HEAD");
    const entries = [...(await listTree(repository.path, head))];
    const lines = entries.map(([path, { mode, id }]) => `${mode} blob ${id}\t${Buffer.from(path, "latin1")}`);
    expect(lines).toEqual(gitOutput(repository.path, ["ls-tree", "-r", "-z", head]).map(String));
    expect(lines.length).toBe(Object.keys(manyFolders).length);
  });

  it("is refused if one of many folders has two entries with the same name", async () => {
    using repository = temporaryRepository(manyFolders);
    repository.git("add", "-A");
    repository.git("commit", "-qm", "a");
    const id = Buffer.from(repository.git("rev-parse", "HEAD:é/a.txt"), "hex");
    const twice = [0, 1].flatMap(() => [Buffer.from("100644 a.txt\0"), id]);
    const write = (input: Buffer | string, ...words: string[]) =>
      String(execFileSync("git", words, { cwd: repository.path, input })).trim();
    const doubled = write(Buffer.concat(twice), "hash-object", "-wt", "tree", "--literally", "--stdin");
    const top = repository.git("ls-tree", "HEAD").split("\n");
    const tree = write(`${[...top, `040000 tree ${doubled}\tzz`].join("\n")}\n`, "mktree");
    await expect(listTree(repository.path, tree)).rejects.toThrow("is damaged: run `git fsck`");
  });

  it("includes submodules, and works for trees as well as commits", async () => {
    using repository = temporaryRepository({ "a.txt": "1" });
    repository.git("add", "-A");
    repository.git("commit", "-qm", "a");
    const head = repository.git("rev-parse", "HEAD");
    repository.git("update-index", "--add", "--cacheinfo", `160000,${head},sub`);
    const tree = repository.git("write-tree");
    expect(await readDiff(repository.path, head, tree)).toEqual([
      { path: "sub", utf8: true, status: "added", kind: "submodule" },
    ]);
    expect((await readTop(repository.path, head)).names).toEqual(new Set(["a.txt"]));
    await expect(readDiff(repository.path, head, "0".repeat(40))).rejects.toThrow("there is no tree");
  });

  it("is refused if a tree has two entries with the same name, because a checkout could contain the other one", async () => {
    using repository = temporaryRepository({ "a.txt": "1", "b.txt": "2" });
    repository.git("add", "-A");
    repository.git("commit", "-qm", "a");
    const entry = (path: string) =>
      Buffer.concat([
        Buffer.from("100644 a.txt\0"),
        Buffer.from(repository.git("rev-parse", `HEAD:${path}`), "hex"),
      ]);
    const options = { cwd: repository.path, input: Buffer.concat([entry("a.txt"), entry("b.txt")]) };
    const words = ["hash-object", "-w", "-t", "tree", "--literally", "--stdin"];
    const tree = String(execFileSync("git", words, options)).trim();
    await expect(readDiff(repository.path, "HEAD", tree)).rejects.toThrow("is damaged: run `git fsck`");
  });

  it("has the texts on both sides, and none for content that is not text", async () => {
    using repository = temporaryRepository({ "a.ts": "1", "gone.ts": "2", "same.ts": "3" });
    repository.git("add", "-A");
    repository.git("commit", "-qm", "a");
    rmSync(join(repository.path, "gone.ts"));
    symlinkSync("a.ts", join(repository.path, "link.ts"));
    for (const [name, text] of Object.entries({
      "a.ts": "4",
      "binary.ts": "\0",
      "large.ts": "x".repeat(2 ** 20 + 1),
    }))
      repository.write(name, text);
    repository.git("add", "-A");
    repository.git("commit", "-qm", "b");
    expect(await readChangedTexts(repository.path, "HEAD^", "HEAD")).toEqual([
      { path: "a.ts", before: "1", after: "4", status: "modified" },
      { path: "binary.ts", status: "added" },
      { path: "gone.ts", before: "2", status: "deleted" },
      { path: "large.ts", status: "added" },
      { path: "link.ts", status: "added" },
    ]);
  });
});
