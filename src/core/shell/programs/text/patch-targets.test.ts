import { describe, expect, it } from "vitest";
import { readDiff, readPatch } from "./patch-targets.ts";

const rename = "diff --git a/x b/y\nsimilarity index 90%\nrename from x\nrename to y\n";
const removed =
  "--- a/f\n+++ b/f\n@@ -1,3 +1,2 @@\n one\n--- a/not-a-header\n two\n--- a/g\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n";
const context = "*** a/f.c\tMon\n--- b/f.c\tMon\n***************\n*** 1,2 ****\n--- 1,2 ----\n";

describe("the paths that a patch would change", () => {
  it.each([
    ["an apply_patch envelope", "*** Begin Patch\n*** Add File: a b.ts\n+*** x\n*** End Patch", ["a b.ts"]],
    ["a move in an envelope", "*** Update File: a\r\n*** Move to: b\r\n@@\r\n", ["a", "b"]],
    [
      "an envelope without a blank",
      "*** Add File:src/b/x.ts\n+x\n*** Add File: src/a/y.ts\n",
      ["src/b/x.ts", "src/a/y.ts"],
    ],
    ["a name with a line separator in it", "*** Add File: src/b/x\u2028y.ts\n+x\n", ["src/b/x\u2028y.ts"]],
    ["a unified diff", "--- a/src/x.ts\t2024\n+++ b/src/x.ts\t2024\n@@ -1 +1 @@\n-a\n+b\n", ["src/x.ts"]],
    ["a diff without prefixes", "--- src/x.ts\n+++ src/x.ts\n@@ -1 +1 @@\n-a\n+b\n", ["src/x.ts"]],
    ["a new file", "--- /dev/null\n+++ b/new\n@@ -0,0 +1 @@\n+x\n", ["new"]],
    ["a rename", rename, ["x", "y"]],
    ["a removed line like a header, and a deleted file", removed, ["f", "g"]],
    ["a mode change alone", "diff --git a/run.sh b/run.sh\nold mode 100644\nnew mode 100755\n", ["run.sh"]],
    ["a context diff", context, ["f.c"]],
    ["quoted names", '--- "a/x y"\n+++ "b/x y"\n', ["x y"]],
    ["names quoted byte by byte", '--- "a/\\303\\244/\\142"\n+++ "b/\\303\\244/\\142"\n', ["ä/b"]],
    ["a mode change with other prefixes", "diff --git x/a b y/a b\nold mode 100644\n", ["x/a b", "y/a b"]],
    ["a diff that is indented", "  --- a/f\n  +++ b/f\n", ["f"]],
    ["a diff that is quoted as mail", "- --- a/f\n+++ b/f\n", ["f"]],
    ["an index line without a blank", "Index:f\n1c1\n", ["f"]],
    ["a diff after a line that only looks like a hunk", "@@ -1,9 +1,9 @@\n--- a/f\n+++ b/f\n", ["f"]],
    ["a diff next to an envelope", "*** Update File: f\n--- a/g\n+++ b/g\n", ["f", "g"]],
    ["an envelope that removes a line", "*** Begin Patch\n*** Update File: f\n--- x\n*** End Patch", ["f"]],
    ["a name with a date", "+++ b/f 2024-01-01 00:00:00\n", ["f 2024-01-01 00:00:00", "f"]],
    ["no patch", "hello", []],
  ])("are read from %s", (_, text, expected) => {
    expect([...new Set(readPatch(text).map(({ path }) => path))]).toEqual(expected);
  });

  it.each([
    [0, "a/src/x"],
    [1, "src/x"],
    [2, "x"],
    ["all", "x"],
  ] as const)("are cut by -p %s", (strip, expected) => {
    expect(readDiff("--- a/src/x\n", { strip, counts: true }).map(({ path }) => path)).toEqual([expected]);
  });
});
