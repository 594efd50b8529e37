import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { findProject } from "../../src/workspace/files/find-project.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

function git(cwd: string, ...words: string[]): string {
  const identity = ["-c", "user.name=t", "-c", "user.email=t@example.org"];
  return execFileSync("git", [...identity, ...words], { cwd, encoding: "utf8", stdio: "pipe" }).trim();
}

describe("finding the project", () => {
  it("returns the folder itself if there is no repository", () => {
    using folder = temporaryFolder();
    const { place, commonFolder } = findProject(folder.path);
    expect(place).toMatchObject({ root: folder.path, realRoot: folder.path });
    expect(commonFolder).toBeUndefined();
  });

  it("walks up to the repository", () => {
    using folder = temporaryFolder({ "src/deep/a": "x" });
    git(folder.path, "init", "-q");
    const { place, commonFolder } = findProject(join(folder.path, "src/deep"));
    expect(place.root).toBe(folder.path);
    expect(commonFolder).toBe(join(folder.path, ".git"));
  });

  it("stops at .lockstep, and still finds the repository above", () => {
    using folder = temporaryFolder({ "pkg/.lockstep/config.yaml": "", "pkg/src/a": "x" });
    expect(findProject(join(folder.path, "pkg/src"))).toMatchObject({
      place: { root: join(folder.path, "pkg") },
      commonFolder: undefined,
    });
    git(folder.path, "init", "-q");
    expect(findProject(join(folder.path, "pkg/src")).commonFolder).toBe(join(folder.path, ".git"));
  });

  it("returns the common folder of git, in linked worktrees and submodules", () => {
    using folder = temporaryFolder();
    const at = (name: string) => join(folder.path, name);
    mkdirSync(at("main"));
    git(at("main"), "init", "-q");
    git(at("main"), "commit", "-q", "--allow-empty", "-m", "first");
    git(at("main"), "worktree", "add", "-q", at("linked"));
    git(at("main"), "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", at("linked"), "sub");
    for (const name of ["main", "linked", "main/sub"]) {
      const { place, commonFolder } = findProject(at(name));
      expect(place.root).toBe(at(name));
      expect(commonFolder).toBe(git(at(name), "rev-parse", "--path-format=absolute", "--git-common-dir"));
    }
  });

  it("keeps the caller's spelling of the root together with the real path", () => {
    using folder = temporaryFolder({ "real/.git/HEAD": "x", "real/src/a": "x" });
    symlinkSync("real", join(folder.path, "spelled"));
    symlinkSync("real/src", join(folder.path, "inner"));
    const real = join(folder.path, "real");
    const spelled = join(folder.path, "spelled");
    expect(findProject(join(spelled, "src")).place).toMatchObject({ root: spelled, realRoot: real });
    expect(findProject(join(folder.path, "inner")).place).toMatchObject({ root: real, realRoot: real });
  });

  it("ignores a `.git` file without a path", () => {
    using folder = temporaryFolder({ ".git": "hello\n" });
    expect(findProject(folder.path)).toMatchObject({ place: { root: folder.path }, commonFolder: undefined });
  });
});
