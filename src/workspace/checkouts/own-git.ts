import { GitFault } from "../git/git-fault.ts";
import { type GitOptions, tryGit } from "../git/run-git.ts";
import { type Checkout, ownIndex, repositoryFolder } from "./checkout.ts";

/** What git must find on the disk as it is, whatever the person's configuration leaves out. */
const settings: readonly Setting[] = [
  ["core.fileMode", "true"],
  ["core.symlinks", "true"],
  ["core.trustctime", "true"],
  ["core.checkStat", "default"],
  ["core.ignoreStat", "false"],
  ["core.untrackedCache", "false"],
  ["core.splitIndex", "false"],
  ["core.sparseCheckout", "false"],
  ["core.safecrlf", "false"],
  ["submodule.recurse", "false"],
  ["add.ignoreErrors", "false"],
];

type Setting = readonly [key: string, value: string];

/** For the base they run. For what agents wrote only git-lfs does, or none at all, which takes files as they are. */
type Filters = "run" | "refuse" | "off";

/**
 * Git on an agent's checkout, but with the repository's git folder and an index of our own: nothing in the checkout
 * tells it what to run.
 */
export async function ownGit(
  checkout: Pick<Checkout, "commonFolder" | "folder">,
  { index = ownIndex(checkout), filters = "refuse" }: { index?: string; filters?: Filters } = {},
): Promise<Required<Pick<GitOptions, "env">>> {
  const { commonFolder, folder } = checkout;
  return {
    env: {
      GIT_DIR: commonFolder,
      GIT_WORK_TREE: folder,
      GIT_INDEX_FILE: index,
      ...asEnvironment([...settings, ...(await filterSettings(commonFolder, filters))]),
    },
  };
}

/**
 * A filter runs in the checkout with the person's rights, and many a one (`python3 -m …`, `./scripts/…`) then runs
 * code from there. Only git-lfs is known not to; another one fails for the file that needs it, by name.
 */
async function filterSettings(commonFolder: string, filters: Filters): Promise<readonly Setting[]> {
  if (filters === "run") return [];
  if (filters === "off")
    return (await filtersOf(commonFolder)).flatMap((name) => replaceFilter(name, "", "false"));
  return (await refusedFilters(commonFolder)).flatMap((name) => replaceFilter(name, "false", "true"));
}

/** Those that do not run on what agents wrote. */
export async function refusedFilters(commonFolder: string): Promise<readonly string[]> {
  return (await filtersOf(commonFolder)).filter((name) => name !== "filter.lfs");
}

async function filtersOf(commonFolder: string): Promise<readonly string[]> {
  const words = ["config", "--null", "--name-only", "--get-regexp", "^filter[.].*[.](clean|smudge|process)$"];
  const { exit, stdout, stderr } = await tryGit(repositoryFolder(commonFolder), words);
  if (exit !== 0 && exit !== 1) throw new GitFault(words, { exit, stderr });
  const keys = stdout.toString("utf8").split("\0").filter(Boolean);
  return [...new Set(keys.map((key) => key.slice(0, key.lastIndexOf("."))))];
}

function replaceFilter(name: string, program: string, required: string): readonly Setting[] {
  return [
    [`${name}.clean`, program],
    [`${name}.smudge`, program],
    [`${name}.process`, ""],
    [`${name}.required`, required],
  ];
}

/** As variables, because a key may hold the `=` that would end it in a word. */
export function asEnvironment(list: readonly Setting[]): Record<string, string> {
  const pairs = list.flatMap(([key, value], at) => [
    [`GIT_CONFIG_KEY_${at}`, key],
    [`GIT_CONFIG_VALUE_${at}`, value],
  ]);
  return { GIT_CONFIG_COUNT: String(list.length), ...Object.fromEntries(pairs) };
}
