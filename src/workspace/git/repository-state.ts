import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Project } from "../find-project.ts";
import { readRef } from "./refs.ts";
import { git, tryGit } from "./run-git.ts";

export interface RepositoryState {
  /** The top folder that commands run in. */
  readonly root: string;
  readonly commonFolder: string;
  /** The branch that work is merged into, and where it is now. */
  readonly base: string;
  readonly baseCommit: string;
}

/** What Lockstep merges into; or, by name and with the remedy, why it cannot work with this repository. */
export async function readRepository(
  { place, commonFolder }: Project,
  baseBranch: string | null,
): Promise<RepositoryState | { readonly error: string }> {
  if (commonFolder === undefined)
    return { error: "this is no git repository: run `git init` and make a first commit" };
  const root = place.realRoot ?? place.root;
  const [unsupported, { exit, stdout }] = await Promise.all([
    whyUnsupported(root, commonFolder),
    tryGit(root, ["symbolic-ref", "--quiet", "HEAD"]),
  ]);
  if (unsupported !== undefined) return { error: unsupported };
  const base =
    baseBranch ??
    (exit === 0
      ? stdout
          .toString("utf8")
          .trim()
          .replace(/^refs\/heads\//, "")
      : undefined);
  if (base === undefined)
    return { error: "no branch is checked out: check out the one to merge into, or set `base_branch`" };
  const baseCommit = await readRef(root, `refs/heads/${base}`);
  if (baseCommit === undefined) return { error: `branch \`${base}\` has no commit yet: make a first one` };
  return { root, commonFolder, base, baseCommit };
}

async function whyUnsupported(root: string, commonFolder: string): Promise<string | undefined> {
  const [told, sparse] = await Promise.all([
    git(root, ["rev-parse", "--is-bare-repository", "--is-shallow-repository"]),
    tryGit(root, ["config", "--bool", "core.sparseCheckout"]),
  ]);
  const [bare, shallow] = told.split("\n");
  if (bare === "true") return "a bare repository has nothing to check: work in a clone of it";
  if (shallow === "true")
    return "a shallow clone lacks the history that merges need: run `git fetch --unshallow`";
  if (sparse.stdout.toString().trim() === "true")
    return "a sparse checkout hides files from the checks: run `git sparse-checkout disable`";
  if (existsSync(join(root, ".gitmodules")))
    return "submodules are not supported yet: land their changes in their own repositories";
  const attributes = join(root, ".gitattributes");
  if (
    existsSync(attributes) &&
    /\bfilter=lfs\b/.test(readFileSync(attributes, "utf8")) &&
    !existsSync(join(commonFolder, "lfs"))
  )
    return "this repository uses git-lfs, whose objects are not here: run `git lfs pull`";
  return undefined;
}
