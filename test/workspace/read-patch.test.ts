import { chmodSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readPatch } from "../../src/workspace/git/read-patch.ts";
import { temporaryRepository } from "../support/run-command.ts";

const many = Array.from({ length: 30 }, (_, at) => `many/${at}.txt`);

const changes: Readonly<Record<string, (folder: string) => void>> = {
  "an edited file": (folder) => writeFileSync(join(folder, "a.txt"), "one\nTWO\nthree\n"),
  "a file without a last line break": (folder) => writeFileSync(join(folder, "a.txt"), "one\ntwo"),
  "new files in a folder and at the top": (folder) => {
    writeFileSync(join(folder, "new.txt"), "new\n");
    writeFileSync(join(folder, "many", "new.txt"), "new\n");
  },
  "a removed file": (folder) => rmSync(join(folder, "many", "0.txt")),
  "a link, a program and a file that is not text": (folder) => {
    symlinkSync("a.txt", join(folder, "link"));
    chmodSync(join(folder, "a.txt"), 0o755);
    writeFileSync(join(folder, "b.bin"), Buffer.from([0, 1, 2, 0]));
  },
  "a name that is not UTF-8": (folder) =>
    writeFileSync(Buffer.concat([Buffer.from(`${folder}/`), Buffer.from([0xff, 0x41])]), "x\n"),
  "a large file": (folder) => writeFileSync(join(folder, "a.txt"), "line\n".repeat(20_000)),
  "many files": (folder) => {
    for (const path of many) writeFileSync(join(folder, path), "changed\n");
  },
  nothing: () => {},
};

describe("the patch between two commits", () => {
  it("is that of git diff-tree, for every kind of change, one after the other", async () => {
    using repository = temporaryRepository({
      "a.txt": "one\ntwo\n",
      ...Object.fromEntries(many.map((path) => [path, "before\n"])),
    });
    const { path, git } = repository;
    const commit = () => {
      git("add", "-A");
      git("commit", "-q", "--allow-empty", "-m", "made");
      return git("rev-parse", "HEAD");
    };
    const commits = [commit()];
    const words = [
      "diff-tree",
      "-r",
      "-p",
      "-U0",
      "--no-renames",
      "--no-ext-diff",
      "--no-textconv",
      "--no-color",
    ];
    for (const [what, change] of Object.entries(changes)) {
      change(path);
      const [first = "", last = "", now = ""] = [commits[0], commits.at(-1), commit()];
      commits.push(now);
      for (const from of [last, first, now])
        expect((await readPatch(path, from, now)).trim(), what).toBe(
          git("-c", "core.quotePath=false", ...words, from, now),
        );
    }
    expect((await readPatch(path, `${commits[0]}`, "HEAD")).trim()).toBe(
      git("-c", "core.quotePath=false", ...words, commits[0] ?? "", "HEAD"),
    );
    const gone = "1".repeat(40);
    await expect(readPatch(path, commits[0] ?? "", gone)).rejects.toThrow("diff-tree");
    await expect(readPatch(path, gone, commits[0] ?? "")).rejects.toThrow("diff-tree");
  });

  it("of short changes is read by one git", async () => {
    using repository = temporaryRepository({ "a.txt": "0\n" });
    const { path, git } = repository;
    const commits = [1, 2, 3].map((number) => {
      writeFileSync(join(path, "a.txt"), `${number}\n`);
      git("add", "-A");
      git("commit", "-q", "-m", "made");
      return git("rev-parse", "HEAD");
    });
    const readers = () =>
      readdirSync("/proc").filter((pid) => {
        try {
          const line = /^\d+$/.test(pid) ? readFileSync(join("/proc", pid, "cmdline"), "utf8") : "";
          return line.includes("diff-tree") && line.includes(path);
        } catch {
          return false; // it ended meanwhile
        }
      });
    const found: string[] = [];
    for (const [at, to] of commits.slice(1).entries()) {
      await readPatch(path, commits[at] ?? "", to);
      found.push(...readers());
    }
    expect(found).toHaveLength(2);
    expect(found[0]).toBe(found[1]);
  });
});
