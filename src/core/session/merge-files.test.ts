import { describe, expect, it } from "vitest";
import { mergedFile } from "./merge-files.ts";

describe("a session file that two machines have", () => {
  it.each<[string, string, string | undefined, string | undefined, string | undefined, string | undefined]>([
    ["is new here", "status.json", undefined, "a", undefined, "a"],
    ["is new there", "status.json", undefined, undefined, "b", "b"],
    ["changed only here", "tasks.yaml", "0", "a", "0", "a"],
    ["changed only there", "tasks.yaml", "0", "0", "b", "b"],
    ["was removed there", "tasks.yaml", "0", "0", undefined, "0"],
    ["was removed here", "tasks.yaml", "0", undefined, "0", "0"],
    ["was appended to by both", "progress.md", "0", "0a", "0b", "0ba"],
    ["was begun by both", "worklogs/T-1.md", undefined, "a", "b", "ba"],
    ["was rewritten here and appended to there", "worklogs/T-1.md", "0", "x", "0b", "0bx"],
  ])("%s: %s", (_name, path, before, here, there, merged) => {
    for (const isConductor of [true, false])
      expect(mergedFile(path, { before, here, there }, isConductor)).toBe(merged);
  });

  it("is the conductor's if both changed a file that is not append-only", () => {
    const versions = { before: "0", here: "a", there: "b" };
    expect(mergedFile("tasks.yaml", versions, true)).toBe("a");
    expect(mergedFile("tasks.yaml", versions, false)).toBe("b");
  });
});
