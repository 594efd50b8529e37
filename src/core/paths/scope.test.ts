import fc from "fast-check";
import picomatch from "picomatch";
import { describe, expect, it } from "vitest";
import { readEntry } from "./entry.ts";
import { readEntries, Scope } from "./scope.ts";

const place = { root: "/repo" };

function scope(...texts: string[]): Scope {
  const result = readEntries(texts, place);
  if ("error" in result) throw new Error(result.error);
  return new Scope(result.entries, place);
}

function entry(text: string) {
  const result = readEntry(text, place);
  if ("error" in result) throw new Error(result.error);
  return result.entry;
}

describe("containment", () => {
  it.each([
    ["src", "src", true],
    ["src", "src/a/b.ts", true],
    ["src", "src2/a.ts", false],
    ["src/", "src/a.ts", true],
    ["./src//a", "src/a/x", true],
    [".", "anything/at/all", true],
    ["src/**", "src/a.ts", true],
    ["src/**", "src/a/.hidden", true],
    ["src/**", "src", false],
    ["src/*.ts", "src/a.ts", true],
    ["src/*.ts", "src/a/b.ts", false],
    ["**/*.test.ts", "a.test.ts", true],
    ["**/*.test.ts", "x/y/a.test.ts", true],
    ["src/{a,b}/x", "src/b/x/y", true],
    ["src/{a,b}/*.ts", "src/c/x.ts", false],
    ["app/[id]/page.tsx", "app/[id]/page.tsx", true],
    ["app/[id]/page.tsx", "app/d/page.tsx", true],
    ["src/[!a]x", "src/bx", true],
    ["src/[!a]x", "src/ax", false],
    ["src\\a", "src/a/x", true],
  ])("scope %s and path %s: %s", (text, path, inside) => {
    expect(scope(text).entryOf(path) !== undefined).toBe(inside);
  });

  it("takes a folder only if everything below it is inside", () => {
    expect(scope("src/*.ts").holdsTree("src/a.ts")).toBe(false);
    expect(scope("src/**").holdsTree("src/a")).toBe(true);
    expect(scope("src/**").holdsTree("src")).toBe(false);
    expect(scope("src").holdsTree("src")).toBe(true);
  });
});

describe("overlap", () => {
  it.each([
    ["src", "src/a.py", true],
    ["src/a", "src/ab", false],
    ["src/*.ts", "src/*.js", false],
    ["src/a*", "src/*b", true],
    ["src/**/x.ts", "src/a", true],
    ["src/**/x.ts", "lib/**", false],
    ["**/*.md", "docs", true],
    ["**/*.md", "docs/a.txt", true], // a plain path includes everything below it
    ["src/[ab].ts", "src/[c-z].ts", false],
    ["src/[ab].ts", "src/[b-z].ts", true],
    ["{a,b}/x", "b", true],
    ["{a,b}/x", "c", false],
  ])("%s and %s: %s, in both orders", (a, b, overlap) => {
    expect(scope(a).touching(entry(b)) !== undefined).toBe(overlap);
    expect(scope(b).touching(entry(a)) !== undefined).toBe(overlap);
  });
});

describe("entries that are not a scope", () => {
  it.each([
    "",
    "  ",
    "..",
    "../x",
    "/etc",
    "a/../../b",
    "~/x",
    "C:/x",
    "a\u0000b",
    "file://host/x",
    "!(a)",
    "$HOME",
  ])("%j is refused", (text) => expect("error" in readEntry(text, place)).toBe(true));

  it("absolute spellings inside the project are the same entry", () => {
    for (const text of ["/repo/src/a", "file:///repo/src/a", "/proc/self/cwd/src/a", "/repo/x/../src//a/"])
      expect(entry(text).text).toBe("src/a");
  });
});

const name = fc.constantFrom("a", "b", "ab", "x.ts", ".env");
const path = fc.array(name, { minLength: 1, maxLength: 4 }).map((names) => names.join("/"));
const globSegment = fc.constantFrom("a", "b", "*", "**", "a*", "?", "*.ts", "[ab]", "{a,b}");
const glob = fc.array(globSegment, { minLength: 1, maxLength: 4 }).map((segments) => segments.join("/"));

describe("against a plain model", () => {
  it("globs match the same paths as in picomatch, except for the folder of a trailing `**`", () => {
    fc.assert(
      fc.property(glob, path, (pattern, candidate) => {
        if (!/[*?[{]/.test(pattern)) return;
        const model = picomatch.isMatch(candidate, pattern, { dot: true });
        const ours = scope(pattern).entryOf(candidate) !== undefined;
        if (model === ours) return;
        // A plain alternative of a brace set is a plain path, and includes everything below it.
        const plainBelow = candidate
          .split("/")
          .some((_, depth, all) =>
            picomatch.isMatch(all.slice(0, depth + 1).join("/"), pattern, { dot: true }),
          );
        expect(pattern.endsWith("**") || (ours && plainBelow)).toBe(true);
      }),
      { numRuns: 5000 },
    );
  });

  it("a path in two scopes means that their entries overlap, in both orders", () => {
    fc.assert(
      fc.property(glob, glob, path, (a, b, candidate) => {
        if (scope(a).entryOf(candidate) === undefined || scope(b).entryOf(candidate) === undefined) return;
        expect(scope(a).touching(entry(b))).toBeDefined();
        expect(scope(b).touching(entry(a))).toBeDefined();
      }),
      { numRuns: 5000 },
    );
  });

  it("a scope that holds an entry contains every path of it", () => {
    fc.assert(
      fc.property(glob, glob, path, (a, b, candidate) => {
        if (!scope(a).holds(entry(b)) || scope(b).entryOf(candidate) === undefined) return;
        expect(scope(a).entryOf(candidate)).toBeDefined();
      }),
      { numRuns: 5000 },
    );
  });
});
