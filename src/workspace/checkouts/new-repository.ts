import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** Lets a git folder use the objects of another without copying them. */
export function shareObjects(gitFolder: string, from: string): void {
  const path = join(from, "objects");
  // Git's own quoting, only where it is needed: other programs read this file too.
  const line = /["\n]/.test(path) ? `"${path.replace(/[\\"]/g, "\\$&").replaceAll("\n", "\\n")}"` : path;
  const info = join(gitFolder, "objects", "info");
  mkdirSync(info, { recursive: true });
  writeFileSync(join(info, "alternates"), `${line}\n`);
}

/** In a repository that was just made, where refs are files. */
export function writeBranch(gitFolder: string, branch: string, commit: string): void {
  const file = join(gitFolder, "refs", "heads", branch);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${commit}\n`);
}

/** The words for `git init`: no hooks from a template, refs as files, ids as long as this one. */
export function newRepository(commit: string): readonly string[] {
  const format = commit.length === 64 ? "sha256" : "sha1";
  return ["-c", "init.defaultRefFormat=files", "init", "--quiet", "--template=", `--object-format=${format}`];
}
