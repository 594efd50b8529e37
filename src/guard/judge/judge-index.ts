import { type Deny, deny } from "../../core/rules/verdict.ts";
import type { CommandLimits } from "../../core/shell/judge-command.ts";
import type { IndexUse, IndexUseFrom } from "../../core/shell/types.ts";
import { splitAtZero } from "../../workspace/git/read-diff.ts";
import { tryGit } from "../../workspace/git/run-git.ts";
import { fromRoot, prefixOf } from "../trees/picture.ts";
import { listed } from "./answers.ts";
import { strays } from "./judge-strays.ts";
import type { Judging } from "./judge-task-call.ts";
import { treeOf } from "./watched-changes.ts";

/** Lists all staged paths, whatever the user's git settings are. */
const stagedPaths = "diff --cached --name-only --no-renames --no-relative --ignore-submodules=none -z".split(
  " ",
);

/** The git commands that list which paths a command would take. */
const questions: Readonly<Record<IndexUse["does"], readonly string[]>> = {
  stage: ["ls-files", "--full-name", "-z", "--modified", "--deleted", "--others", "--exclude-standard"],
  unstage: stagedPaths,
  untrack: ["ls-files", "--full-name", "-z"],
  commit: stagedPaths,
};

const messages: Readonly<Record<IndexUse["does"], readonly [what: string, next: string]>> = {
  stage: ["would stage changes outside the lock", "name your own paths, as in `git add -- PATH`"],
  unstage: [
    "would unstage changes that others have staged",
    "name your own paths, as in `git reset -- PATH`",
  ],
  untrack: ["would take files outside the lock out of the index", "name your own paths"],
  commit: [
    "would commit changes outside the lock that others have staged",
    "commit your own paths alone, as in `git commit -m MESSAGE -- PATH`",
  ],
};

/**
 * The index of a shared checkout is shared like its files. A command may take from the index, and change in it, only
 * paths in the lock. Git lists the paths that the command would take. An attempt's own checkout has its own index.
 */
export async function findForeignStaged(
  uses: readonly IndexUseFrom[],
  limits: CommandLimits,
  { call, world }: Judging,
): Promise<Deny | undefined> {
  if (world.checkout !== undefined) return undefined;
  for (const use of uses) {
    const taken = await pathsTaken(use, use.from ?? call.folder);
    const [repository] = taken.filter((path) => path.endsWith("/"));
    if (repository !== undefined) return takesRepository(repository.slice(0, -1));
    const foreign = taken.filter((path) => strays(path, limits));
    if (foreign.length === 0) continue;
    const [what, usual] = messages[use.does];
    const isMerge = use.does === "commit" && (await isMerging(use.from ?? call.folder));
    const next = isMerge ? "a merge is in progress: ask a person to commit it" : usual;
    const [path = ""] = foreign;
    return deny("R-PW-001", `git ${what}: ${listed(foreign)}: ${next}`, { path });
  }
  return undefined;

  async function pathsTaken({ does, paths, only }: IndexUse, folder: string): Promise<string[]> {
    const root = treeOf({ folder }, world);
    const dropped = only === "tracked" ? ["--others", "--exclude-standard"] : ["--exclude-standard"];
    const question = questions[does].filter((word) => only === undefined || !dropped.includes(word));
    // Without paths, git lists only what is below its folder.
    const specs = paths === "all" ? [":/"] : paths;
    const { exit, stdout } = await tryGit(folder, [...question, "--", ...specs]);
    if (exit !== 0) return []; // git will refuse the command too
    const below = prefixOf(root);
    return [...new Set(splitAtZero(stdout).map((path) => fromRoot(below, path.toString("utf8"))))];
  }
}

/**
 * After staging a nested repository, git would run in it and obey settings that an agent's programs may have written.
 */
function takesRepository(path: string): Deny {
  const why = "is a nested git repository, and git would obey its settings whenever it looks for changes";
  const way = "remove its `.git`, add it to `.gitignore`, or ask a person to add it as a submodule";
  return deny("R-PW-002", `${listed([path])} ${why}: ${way}`, { path });
}

async function isMerging(folder: string): Promise<boolean> {
  return (await tryGit(folder, ["rev-parse", "--quiet", "--verify", "MERGE_HEAD"])).exit === 0;
}
