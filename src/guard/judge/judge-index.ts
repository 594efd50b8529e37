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

/** All of them, whatever the person's settings say. */
const stagedPaths = "diff --cached --name-only --no-renames --no-relative --ignore-submodules=none -z".split(
  " ",
);

/** What git is asked for, to know which paths a command would take. */
const questions: Readonly<Record<IndexUse["does"], readonly string[]>> = {
  stage: ["ls-files", "--full-name", "-z", "--modified", "--deleted", "--others", "--exclude-standard"],
  unstage: stagedPaths,
  untrack: ["ls-files", "--full-name", "-z"],
  commit: stagedPaths,
};

const told: Readonly<Record<IndexUse["does"], readonly [what: string, next: string]>> = {
  stage: ["would stage what was changed outside the lock", "name your own paths, as in `git add -- PATH`"],
  unstage: ["would unstage what others have staged", "name your own paths, as in `git reset -- PATH`"],
  untrack: ["would take files outside the lock out of the index", "name your own paths"],
  commit: [
    "would commit what others have staged outside the lock",
    "commit your own paths alone, as in `git commit -m MESSAGE -- PATH`",
  ],
};

/**
 * The index of a checkout is shared like its files. A command may take from it, and change in it, only what lies in the
 * lock; git says what else it would take. An attempt's own checkout has an index of its own.
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
    const [what, usual] = told[use.does];
    const isMerge = use.does === "commit" && (await isMerging(use.from ?? call.folder));
    const next = isMerge ? "a merge is under way, so let a person commit it" : usual;
    const [path = ""] = foreign;
    return deny("R-PW-001", `git ${what}: ${listed(foreign)}: ${next}`, { path });
  }
  return undefined;

  async function pathsTaken({ does, paths, only }: IndexUse, folder: string): Promise<string[]> {
    const root = treeOf({ folder }, world);
    const dropped = only === "tracked" ? ["--others", "--exclude-standard"] : ["--exclude-standard"];
    const question = questions[does].filter((word) => only === undefined || !dropped.includes(word));
    // Without paths git looks below its folder.
    const specs = paths === "all" ? [":/"] : paths;
    const { exit, stdout } = await tryGit(folder, [...question, "--", ...specs]);
    if (exit !== 0) return []; // then git refuses the command itself
    const below = prefixOf(root);
    return [...new Set(splitAtZero(stdout).map((path) => fromRoot(below, path.toString("utf8"))))];
  }
}

/** Git would run in it from then on, and obey settings that programs of agents may have written. */
function takesRepository(path: string): Deny {
  const why = "is a repository of its own, and git would obey its settings wherever it looks for changes";
  const way = "remove its `.git`, put it into `.gitignore`, or leave a submodule to a person";
  return deny("R-PW-002", `${listed([path])} ${why}: ${way}`, { path });
}

async function isMerging(folder: string): Promise<boolean> {
  return (await tryGit(folder, ["rev-parse", "--quiet", "--verify", "MERGE_HEAD"])).exit === 0;
}
