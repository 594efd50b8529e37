import { execFileSync, spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { DiskFault } from "../../src/workspace/files/disk-fault.ts";
import { findProject } from "../../src/workspace/files/find-project.ts";
import { openStateFolder, openStateSubfolder, stateFolder } from "../../src/workspace/state/state-folder.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const modeOf = (path: string) => statSync(path).mode & 0o7777;
const root = process.geteuid?.() === 0;

function faultOf(act: () => unknown): DiskFault {
  try {
    act();
  } catch (error) {
    if (error instanceof DiskFault) return error;
    throw error;
  }
  throw new Error("nothing was refused");
}

const sourceOf = (name: string) =>
  JSON.stringify(new URL(`../../src/workspace/${name}.ts`, import.meta.url).href);

/** A program that opens the folder of the project given by its first argument, and prints the path or the fault. */
const opening = (before = "") => `
  const { openStateFolder } = await import(${sourceOf("state/state-folder")});
  const { findProject } = await import(${sourceOf("files/find-project")});
  const project = findProject(process.argv[1]);
  ${before};
  try { console.log(openStateFolder(project)) } catch ({ code, message }) { console.log(code, message) }`;

function openElsewhere(folder: string, before: string): string {
  const words = ["--input-type=module", "-e", opening(before), folder];
  return execFileSync(process.execPath, words, { encoding: "utf8" }).trim();
}

describe("lockstep's own folder", () => {
  it("is in the git folder", () => {
    using folder = temporaryFolder({ ".git/HEAD": "x" });
    const project = findProject(folder.path);
    expect(stateFolder(project)).toBe(join(folder.path, ".git/lockstep"));
    expect(existsSync(stateFolder(project))).toBe(false);
    expect(openStateFolder(project)).toBe(stateFolder(project));
    expect(modeOf(stateFolder(project))).toBe(0o700);
  });

  it("is in .lockstep outside a repository, at the same path for every spelling of the root", () => {
    using folder = temporaryFolder({ "real/a": "x" });
    symlinkSync("real", join(folder.path, "spelled"));
    const opened = openStateFolder(findProject(join(folder.path, "spelled")));
    expect(opened).toBe(join(folder.path, "real/.lockstep/state"));
    expect(modeOf(opened)).toBe(0o700);
  });

  it("has subfolders that are equally private", () => {
    using folder = temporaryFolder({ ".git/HEAD": "x" });
    const logs = openStateSubfolder(findProject(folder.path), "logs");
    expect(logs).toBe(join(folder.path, ".git/lockstep/logs"));
    expect(modeOf(logs)).toBe(0o700);
    expect(modeOf(join(logs, ".."))).toBe(0o700);
  });

  it.each(["", "..", "a/b", ".hidden", "A"])("has no subfolder with the name %j", (name) => {
    using folder = temporaryFolder({ ".git/HEAD": "x" });
    expect(() => openStateSubfolder(findProject(folder.path), name)).toThrow(
      "is not a valid name for a state folder",
    );
    expect(readdirSync(join(folder.path, ".git"))).toEqual(["HEAD"]);
  });

  it.each(["755", "750", "2711", "700"])("of mode %s is narrowed to 700", (mode) => {
    using folder = temporaryFolder({ ".git/lockstep/logs/a": "x" });
    for (const below of ["lockstep/logs", "lockstep"])
      chmodSync(join(folder.path, ".git", below), Number.parseInt(mode, 8));
    const logs = openStateSubfolder(findProject(folder.path), "logs");
    expect(modeOf(logs)).toBe(0o700);
    expect(modeOf(join(logs, ".."))).toBe(0o700);
  });

  it("gets its mode whatever the umask is", () => {
    using folder = temporaryFolder({ ".git/HEAD": "x" });
    const opened = openElsewhere(folder.path, "process.umask(0o200)");
    expect(opened).toBe(join(folder.path, ".git/lockstep"));
    expect(modeOf(opened)).toBe(0o700);
  });

  it("does not change the mode of .lockstep, in which people write", () => {
    using folder = temporaryFolder({ ".lockstep/config.yaml": "" });
    chmodSync(join(folder.path, ".lockstep"), 0o775);
    openStateFolder(findProject(folder.path));
    expect(modeOf(join(folder.path, ".lockstep"))).toBe(0o775);
  });
});

describe("Lockstep refuses as its folder", () => {
  const atGit = { ".git/HEAD": "x", "away/a": "x" };
  it.each<[string, Record<string, string>, string]>([
    ["the folder in git", atGit, ".git/lockstep"],
    ["the subfolder in git", { ...atGit, ".git/lockstep/a": "x" }, ".git/lockstep/logs"],
    ["the people's folder", { "away/a": "x" }, ".lockstep"],
    ["the folder outside git", { "away/a": "x", ".lockstep/config.yaml": "" }, ".lockstep/state"],
  ])("a link, a dead link or a file in place of %s", (_, files, at) => {
    using folder = temporaryFolder(files);
    if (existsSync(join(folder.path, ".git/lockstep"))) chmodSync(join(folder.path, ".git/lockstep"), 0o700);
    const project = findProject(folder.path);
    const place = join(folder.path, at);
    for (const put of [
      () => symlinkSync(join(folder.path, "away"), place),
      () => symlinkSync(join(folder.path, "nowhere"), place),
      () => folder.write(at, "a file"),
    ]) {
      put();
      const { code, message } = faultOf(() => openStateSubfolder(project, "logs"));
      expect(code).toBe("E-STORE");
      expect(message).toBe(
        `\`${place}\` is a link or a file, but lockstep needs a folder there; move it away`,
      );
      rmSync(place);
    }
    expect(readdirSync(join(folder.path, "away"))).toEqual(["a"]);
    expect(existsSync(join(folder.path, "nowhere"))).toBe(false);
  });

  it.each(["lockstep", "lockstep/logs"])("%s, if others can write there", (below) => {
    using folder = temporaryFolder({ ".git/lockstep/logs/a": "x" });
    const at = join(folder.path, ".git", below);
    for (const mode of [0o770, 0o702, 0o720, 0o1777]) {
      chmodSync(join(folder.path, ".git/lockstep"), 0o700);
      chmodSync(at, mode);
      expect(faultOf(() => openStateSubfolder(findProject(folder.path), "logs")).message).toBe(
        `\`${at}\` can be written by other users: its mode is ${(mode & 0o777).toString(8)}; check that nothing unexpected is in it, then \`chmod 700\` it`,
      );
      expect(modeOf(at)).toBe(mode);
    }
  });

  it.runIf(root)("a folder of another user", () => {
    using folder = temporaryFolder({ ".git/HEAD": "x" });
    const at = join(folder.path, ".git/lockstep");
    mkdirSync(at, { mode: 0o755 });
    chownSync(at, 65534, 65534);
    expect(faultOf(() => openStateFolder(findProject(folder.path))).message).toBe(
      `\`${at}\` belongs to another user: its uid is 65534, yours 0; run lockstep as that user, or move the folder away`,
    );
    expect(modeOf(at)).toBe(0o755);
  });
});

describe("a failing disk", () => {
  const asNobody =
    "if (process.getuid() === 0) { process.setgroups([]); process.setgid(65534); process.setuid(65534) }";
  const give = (path: string) => root && chownSync(path, 65534, 65534);

  it("is reported if the git folder is gone", () => {
    using folder = temporaryFolder({ ".git": "gitdir: /no/such/folder\n" });
    expect(faultOf(() => openStateFolder(findProject(folder.path))).message).toBe(
      "the git folder `/no/such/folder` does not exist; if the repository was moved, run `git worktree repair` in it",
    );
  });

  it("is reported if the project is gone", () => {
    using folder = temporaryFolder({ "project/a": "x" });
    const project = findProject(join(folder.path, "project"));
    rmSync(join(folder.path, "project"), { recursive: true });
    expect(faultOf(() => openStateFolder(project)).message).toBe(
      `cannot create \`${folder.path}/project/.lockstep\`: its parent folder does not exist; check that the project was not moved`,
    );
  });

  it("is reported in one line if nothing can be created", () => {
    using folder = temporaryFolder({ "a\nb/.git/HEAD": "x" });
    const git = join(folder.path, "a\nb/.git");
    chmodSync(folder.path, 0o755);
    chmodSync(git, 0o555);
    const said = openElsewhere(join(folder.path, "a\nb"), asNobody);
    chmodSync(git, 0o755); // or it could not be removed
    expect(said).toBe(
      `E-STORE cannot create \`${folder.path}/a b/.git/lockstep\`: permission denied; give yourself read and write permission there, or run lockstep as its owner`,
    );
  });

  it("is reported if nothing can be written", () => {
    using folder = temporaryFolder({ ".git/HEAD": "x" });
    const at = join(folder.path, ".git/lockstep");
    mkdirSync(at);
    chmodSync(at, 0o555);
    for (const path of [folder.path, join(folder.path, ".git"), at]) give(path);
    expect(openElsewhere(folder.path, asNobody)).toMatch(
      /^E-STORE cannot write to `.*\/\.git\/lockstep`: permission denied; /,
    );
    expect(modeOf(at)).toBe(0o500);
  });

  const mayMount =
    process.platform === "linux" &&
    spawnSync("unshare", ["-m", "mount", "-t", "tmpfs", "tmpfs", "/mnt"]).status === 0;
  it.runIf(mayMount).each([
    ["full", "nr_inodes=3", "true", "the disk is full; free some space"],
    ["read-only", "size=1m", "mount -o remount,ro tmpfs .", "the disk is read-only; mount it writable"],
  ])("is reported as %s", (_, option, then, cause) => {
    using folder = temporaryFolder();
    const inside = `mount -t tmpfs -o ${option} tmpfs "$1" && cd "$1" && mkdir .git && touch .git/HEAD && ${then} &&
      exec "$0" --input-type=module -e "$2" "$1"`;
    const words = ["-m", "sh", "-c", inside, process.execPath, folder.path, opening()];
    expect(execFileSync("unshare", words, { encoding: "utf8" }).trim()).toBe(
      `E-STORE cannot create \`${folder.path}/.git/lockstep\`: ${cause}`,
    );
  });
});
