import { describe, expect, it } from "vitest";
import { foldProtected } from "./fold.ts";
import { locate } from "./locate.ts";
import type { Place } from "./place.ts";
import { protectedEntryOf, protectedHomeEntryOf } from "./protected-paths.ts";

const place: Place = {
  root: "/home/me/repo",
  realRoot: "/data/repo",
  cwd: "/home/me/repo/src",
  home: "/home/me",
};
const where = (spelled: string, at: Place = place) => {
  const located = locate(spelled, at);
  return located.where === "inside" ? located.path : located.where;
};

describe("every spelling of a path", () => {
  it.each([
    ["a.ts", "src/a.ts"],
    ["./a.ts", "src/a.ts"],
    ["../a.ts", "a.ts"],
    ["..", ""],
    ["../..", "outside"],
    ["../../repo/x", "x"],
    ["../../repo2/x", "outside"],
    ["a/../../../other", "outside"],
    ["a//b///c", "src/a/b/c"],
    ["a/./b/.", "src/a/b"],
    ["a/", "src/a"],
    ["a\\b\\c", "src/a/b/c"],
    ["/home/me/repo/x", "x"],
    ["/home/me/repo", ""],
    ["/home/me/repo/", ""],
    ["/home/me/repo/../repo/x", "x"],
    ["/home/me/repo2/x", "outside"],
    ["/home/me", "outside"],
    ["/data/repo/x", "x"],
    ["/", "outside"],
    ["//etc/passwd", "outside"],
    ["/etc/passwd", "outside"],
    ["~/repo/x", "x"],
    ["~", "outside"],
    ["~/x", "outside"],
    ["~root/x", "outside"],
    ["~+/x", "outside"],
    ["file:///home/me/repo/x", "x"],
    ["file://localhost/home/me/repo/x", "x"],
    ["file:///home/me/repo/a%20b", "a b"],
    ["file:///home/me/repo/%2e%2e/other", "outside"],
    ["FILE:///home/me/repo/x", "x"],
    ["file://host/home/me/repo/x", "outside"],
    ["file:relative", "outside"],
    ["file:///bad%zz", "outside"],
    ["/proc/self/cwd/x", "src/x"],
    ["/proc/self/cwd", "src"],
    ["/proc/self/cwdx", "outside"],
    ["/proc/self/root/home/me/repo/x", "x"],
    ["/proc/self/root/etc", "outside"],
    ["/proc/self/root", "outside"],
    ["/proc/thread-self/cwd/x", "src/x"],
    ["/proc/1/cwd/x", "outside"],
    ["/dev/fd/3", "outside"],
    ["/dev/stdin", "outside"],
    ["C:/repo/x", "outside"],
    ["C:\\repo\\x", "outside"],
    ["c:x", "outside"],
    ["\\\\server\\share", "outside"],
    ["$HOME/x", "outside"],
    ["%USERPROFILE%/x", "outside"],
    ["a$b.ts", "src/a$b.ts"],
    ["routes/$id.tsx", "src/routes/$id.tsx"],
    ["", "invalid"],
    ["   ", "invalid"],
    ["a\u0000b", "invalid"],
    ["a\nb", "invalid"],
    ["a\u007fb", "invalid"],
    ["x".repeat(5000), "invalid"],
    ["x/".repeat(300), "invalid"],
    [`a/${"x".repeat(256)}`, "invalid"],
    ["SRC/a", "src/SRC/a"],
    ["…/ünï", "src/…/ünï"],
  ])("%j is %j", (spelled, expected) => {
    expect(where(spelled)).toBe(expected);
  });

  it("is compared like the file system does", () => {
    expect(where("/HOME/me/Repo/x", { root: "/home/me/repo", folds: true })).toBe("x");
    expect(where("/HOME/me/Repo/x", { root: "/home/me/repo" })).toBe("outside");
    expect(where("/cafe\u0301/x", { root: "/caf\u00e9", folds: true })).toBe("x");
  });

  it("of the file system's root as a project keeps everything inside", () => {
    expect(where("/etc/passwd", { root: "/" })).toBe("etc/passwd");
    expect(where("..", { root: "/" })).toBe("");
  });
});

describe("protected paths", () => {
  it.each([
    [".git/config", ".git"],
    [".Git/config", ".git"],
    [".g\u200cit/config", ".git"],
    [".git. /config", ".git"],
    ["sub/.git/hooks/x", ".git"],
    [".claude/settings.json", ".claude"],
    [".ＣＬＡＵＤＥ/x", ".claude"],
    [".github/hooks/x.json", ".github/hooks"],
    [".github/workflows/ci.yml", undefined],
    [".gitignore", undefined],
    [".mcp.json", ".mcp.json"],
    [".lockstep", ".lockstep"],
    ["src/.claude/x", undefined],
    ["docs", undefined],
  ])("%j is in %j", (path, entry) => {
    expect(protectedEntryOf(path, { tree: false })).toBe(entry);
  });

  it("are hit when a folder above them is deleted or moved", () => {
    expect(protectedEntryOf("", { tree: true })).toBe(".git");
    expect(protectedEntryOf(".github", { tree: true })).toBe(".github/hooks");
    expect(protectedEntryOf(".github", { tree: false })).toBeUndefined();
  });

  it("include other sessions' folders once the session is known", () => {
    const of = (path: string, session?: string) => protectedEntryOf(path, { tree: false, session });
    expect(of(".agents-work/old/spec.md", "new")).toBe(".agents-work/old");
    expect(of(".agents-work/new/spec.md", "new")).toBeUndefined();
    expect(of(".agents-work/old/spec.md")).toBeUndefined();
  });

  it("include the clients' settings in the home folder", () => {
    expect(protectedHomeEntryOf("/home/me/.claude/settings.json", "/home/me")).toBe("~/.claude");
    expect(protectedHomeEntryOf("/home/me/.gitconfig", "/home/me")).toBe("~/.gitconfig");
    expect(protectedHomeEntryOf("/home/me/.gitconfig2", "/home/me")).toBeUndefined();
    expect(protectedHomeEntryOf("/home/me/.claude", undefined)).toBeUndefined();
  });

  it("keep names that are all dots", () => {
    expect(foldProtected("a/../b")).toBe("a/../b");
  });
});
