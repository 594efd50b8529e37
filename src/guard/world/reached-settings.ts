import { existsSync, readFileSync, realpathSync, statSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import type { Scope } from "../../core/paths/scope.ts";
import { gitFolderOf, repositoryTop } from "../../workspace/files/find-project.ts";
import { splitAtZero } from "../../workspace/git/read-diff.ts";
import { tryGit } from "../../workspace/git/run-git.ts";

/** A git setting of a repository, and the path in the project that it names. */
export interface ReachedSetting {
  readonly key: string;
  readonly path: string;
}

/** Most repositories set none of these; then git need not be asked. */
const suspicious =
  /\[\s*(?:include|filter|diff|pager|alias|gpg|credential)|fsmonitor|pager|editor|sshcommand|external|askpass/i;

/**
 * Settings that name programs which plain git commands start. Merge drivers are not included: a merge runs in the
 * sandbox.
 */
const programs =
  /^(?:filter\..+\.(?:clean|smudge|process)|diff\.(?:.+\.)?(?:command|textconv|external)|(?:core|gpg|credential|sequence)(?:\..+)?\.(?:fsmonitor|pager|editor|sshcommand|askpass|program|helper)|pager\..+|alias\..+)$/;

/**
 * Git runs outside the sandbox. A repository setting that makes it run or read a file which the agent may write (in its
 * lock, or ignored) would be an escape. Undefined if there is none.
 */
export async function reachedSetting(
  tree: string,
  commonFolder: string,
  lock: Scope,
): Promise<ReachedSetting | undefined> {
  const top = repositoryTop(tree) ?? tree;
  const own = gitFolderOf(join(top, ".git")) ?? commonFolder;
  const files = [join(commonFolder, "config"), join(own, "config.worktree")].filter((file) =>
    existsSync(file),
  );
  if (!files.some((file) => suspicious.test(readFileSync(file, "utf8")))) return undefined;
  const { stdout } = await tryGit(top, ["config", "--list", "--includes", "--show-origin", "--null"]);
  const fields = splitAtZero(stdout).map((field) => field.toString("utf8"));
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [key = "", ...lines] = (fields[at + 1] ?? "").split("\n");
    for (const named of pathsNamedBy(key, lines.join("\n"), { top, origin: fields[at] ?? "" })) {
      const path = relative(realpathSync(tree), named);
      if (path === "" || path.startsWith("..") || path.startsWith(".git/")) continue;
      if (lock.entryOf(path) !== undefined || (await isIgnored(tree, path))) return { key, path };
    }
  }
  return undefined;
}

function pathsNamedBy(
  key: string,
  value: string,
  { top, origin }: { readonly top: string; readonly origin: string },
): readonly string[] {
  if (/^include(?:if\..+)?\.path$/.test(key)) {
    const folder = dirname(resolve(top, origin.replace(/^file:/, "")));
    return value.startsWith("~") ? [] : [realPathOf(resolve(folder, value))];
  }
  if (!programs.test(key)) return [];
  return value
    .split(/[\s'"!;&|()=]+/)
    .filter((word) => word !== "")
    .map((word) => realPathOf(resolve(top, word)))
    .filter((path) => statSync(path, { throwIfNoEntry: false })?.isFile() === true);
}

/** A file that does not exist yet may be created later. */
function realPathOf(path: string): string {
  return existsSync(path) ? realpathSync(path) : path;
}

async function isIgnored(tree: string, path: string): Promise<boolean> {
  return (await tryGit(tree, ["check-ignore", "-q", "--", path])).exit === 0;
}
