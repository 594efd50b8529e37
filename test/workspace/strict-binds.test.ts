import { mkdirSync, rmSync, symlinkSync } from "node:fs";
import { join, relative } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type StrictLock, strictBinds } from "../../src/workspace/sandbox/strict-binds.ts";
import { missing, type Setting, sandboxed, settings } from "../support/sandboxed.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const isAtOrBelow = (folder: string, path: string) => path === folder || path.startsWith(`${folder}/`);

/** A lock of plain paths. */
const lockOf = (...entries: string[]): StrictLock => ({
  inLock: (path) => entries.some((entry) => isAtOrBelow(entry, path)),
  reaches: (folder) => entries.some((entry) => isAtOrBelow(entry, folder) || isAtOrBelow(folder, entry)),
});

function bindsOf(files: readonly string[], tracked: readonly string[], lock: StrictLock): string[] {
  using folder = temporaryFolder(Object.fromEntries(files.map((file) => [file, ""])));
  const result = strictBinds(folder.path, tracked, lock);
  if ("error" in result) throw new Error(result.error);
  return result.binds.map((path) => relative(folder.path, path)).sort();
}

describe("strict binds", () => {
  const tracked = [
    "README.md",
    "docs/a.md",
    "docs/deep/b.md",
    "src/price/p.ts",
    "src/tax/t.ts",
    "src/main.ts",
  ];
  const cases: readonly [string, readonly string[], StrictLock, readonly string[]][] = [
    [
      "whole folders and single files outside the lock",
      tracked,
      lockOf("src/price"),
      ["README.md", "docs", "src/main.ts", "src/tax"],
    ],
    ["nothing if the lock holds everything", tracked, lockOf("README.md", "docs", "src"), []],
    ["everything if the lock is elsewhere", tracked, lockOf("other"), ["README.md", "docs", "src"]],
    [
      "no folder in which the lock holds a future file",
      tracked,
      lockOf("docs/deep/new.md"),
      ["README.md", "docs/a.md", "docs/deep/b.md", "src"],
    ],
    [
      "no folder that contains output",
      [...tracked, "src/tax/dist/t.js"],
      lockOf("docs"),
      ["README.md", "src/main.ts", "src/price", "src/tax/t.ts"],
    ],
    ["no deleted file", tracked.filter((path) => path !== "README.md"), lockOf("src"), ["docs"]],
    ["nothing for a checkout without files", [], lockOf("src"), []],
  ];

  it.each(cases)("are %s", (_, files, lock, expected) => {
    expect(bindsOf(files, tracked, lock)).toEqual(expected);
  });

  it("never follow a link, known to git or not", () => {
    using folder = temporaryFolder({ "a.txt": "", "real/b.txt": "" });
    symlinkSync("/etc", join(folder.path, "link"));
    symlinkSync("/etc", join(folder.path, "was-folder"));
    const result = strictBinds(folder.path, ["a.txt", "real/b.txt", "link", "was-folder/x"], lockOf("other"));
    expect(result).toEqual({ binds: [join(folder.path, "a.txt"), join(folder.path, "real")] });
  });

  it("treat a submodule as one unit", () => {
    expect(bindsOf(["sub/file", "a"], ["sub", "a"], lockOf("a"))).toEqual(["sub"]);
    expect(bindsOf(["sub/file", "a"], ["sub", "a"], lockOf("sub/file"))).toEqual(["a"]);
  });

  it("are refused if there would be too many", () => {
    const paths = Array.from({ length: 2002 }, (_, at) => `src/${at}.ts`);
    using folder = temporaryFolder(Object.fromEntries(paths.map((path) => [path, ""])));
    expect(strictBinds(folder.path, paths, lockOf("src/0.ts"))).toEqual({
      error: expect.stringMatching(/needs 2001 read-only mounts here, the limit is 2000: name whole folders/),
    });
    expect(strictBinds(folder.path, paths, lockOf("src/0.ts", "src/1.ts"))).toMatchObject({
      binds: { length: 2000 },
    });
    expect(strictBinds(folder.path, paths, lockOf("docs"))).toMatchObject({ binds: { length: 1 } });
  });

  it("agree with a naive model", () => {
    const segment = fc.constantFrom("a", "b", "c");
    const path = fc.array(segment, { minLength: 1, maxLength: 4 }).map((segments) => segments.join("/"));
    const file = path.map((folder) => `${folder}/f`);
    const input = fc.record({
      tracked: fc.uniqueArray(file, { maxLength: 14 }),
      untracked: fc.uniqueArray(
        path.map((folder) => `${folder}/u`),
        { maxLength: 3 },
      ),
      lock: fc.uniqueArray(fc.oneof(path, file), { maxLength: 3 }),
    });
    using folder = temporaryFolder();
    fc.assert(
      fc.property(input, ({ tracked, untracked, lock: entries }) => {
        rmSync(folder.path, { recursive: true });
        mkdirSync(folder.path);
        for (const one of [...tracked, ...untracked]) folder.write(one, "");
        const result = strictBinds(folder.path, tracked, lockOf(...entries));
        const binds = "binds" in result ? result.binds.map((one) => relative(folder.path, one)) : [];
        expect([...binds].sort()).toEqual(naiveBinds(tracked, untracked, entries));
        const locked = (one: string) => entries.some((entry) => isAtOrBelow(entry, one));
        const closed = (one: string) => binds.some((bind) => isAtOrBelow(bind, one));
        expect(tracked.filter(closed)).toEqual(tracked.filter((one) => !locked(one)));
        expect(untracked.filter(closed)).toEqual([]);
        expect(entries.filter(closed)).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });
});

/** The top ones of all folders and files that may be closed. */
function naiveBinds(
  tracked: readonly string[],
  untracked: readonly string[],
  entries: readonly string[],
): string[] {
  const foldersOf = (path: string) =>
    path
      .split("/")
      .map((_, at, all) => all.slice(0, at).join("/"))
      .slice(1);
  const folders = [...new Set(tracked.flatMap(foldersOf))];
  const isFree = (path: string) =>
    !entries.some((entry) => isAtOrBelow(entry, path) || isAtOrBelow(path, entry)) &&
    !untracked.some((one) => isAtOrBelow(path, one));
  const closable = [...folders, ...tracked].filter(isFree);
  return closable
    .filter((path) => !closable.some((other) => other !== path && isAtOrBelow(other, path)))
    .sort();
}

describe.skipIf(missing !== undefined).each(settings)(
  "a strict sandbox of $user $where",
  (setting: Setting) => {
    it("keeps tracked paths outside the lock, and lets the build write its output", async () => {
      using box = sandboxed(setting);
      box.write("checkout/node_modules/.cache/x", "");
      const tracked = [".gitignore", "a.txt", "src/price.ts"];
      const result = strictBinds(box.place("checkout"), tracked, lockOf("a.txt"));
      if ("error" in result) throw new Error(result.error);
      const script =
        "for f in a.txt new.txt dist/out node_modules/.cache/x src/price.ts src/new.ts .gitignore; do mkdir -p dist; (echo x > $f) 2>/dev/null && echo $f; done; mv src gone 2>/dev/null; rm -rf .gitignore src 2>/dev/null; ls -A";
      const { tail } = await box.run(script, { readOnly: [...box.policy.readOnly, ...result.binds] });
      expect(tail.split("\n")).toEqual([
        "a.txt",
        "new.txt",
        "dist/out",
        "node_modules/.cache/x",
        ".git",
        ".gitignore",
        "a.txt",
        "dist",
        "new.txt",
        "node_modules",
        "src",
        "",
      ]);
    });
  },
);
