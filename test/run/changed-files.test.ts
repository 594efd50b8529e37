import { describe, expect, it } from "vitest";
import { changedFiles } from "../../src/run/review/changed-files.ts";
import { temporaryRepository } from "../support/run-command.ts";

describe("the changed files of a task", () => {
  it("are read from git: added, modified, deleted, and renamed with the old path", async () => {
    const text = "one\ntwo\nthree\nfour\nfive\n";
    using repository = temporaryRepository({ "gone.ts": "x\n", "kept.ts": "a\n", "old name.ts": text });
    const commit = () => {
      repository.git("add", "-A");
      repository.git("commit", "-qm", "work");
      return repository.git("rev-parse", "HEAD");
    };
    const base = commit();
    repository.git("mv", "old name.ts", "é new.ts");
    repository.git("rm", "-q", "gone.ts");
    repository.write("kept.ts", "b\n");
    repository.write("src/added.ts", "y\n");
    const changed = await changedFiles(repository.path, base, commit());
    expect(changed.toSorted((one, other) => (one.path < other.path ? -1 : 1))).toEqual([
      { path: "gone.ts", change_type: "deleted" },
      { path: "kept.ts", change_type: "modified" },
      { path: "src/added.ts", change_type: "added" },
      { path: "é new.ts", old_path: "old name.ts", change_type: "renamed" },
    ]);
  });
});
