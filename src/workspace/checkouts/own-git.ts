import { asEnvironment, exactSettings, isRefused, replaceFilter, type Setting } from "../git/git-settings.ts";
import { filtersIn } from "../git/known-settings.ts";
import type { GitOptions } from "../git/run-git.ts";
import { removeStaleLocks } from "../git/stale-locks.ts";
import { type Checkout, ownIndex, repositoryFolder } from "./checkout.ts";

export { asEnvironment } from "../git/git-settings.ts";

/** `run` is for the base. On agents' files only git-lfs runs (`refuse`), or no filter at all (`off`). */
type Filters = "run" | "refuse" | "off";

/**
 * Git on an agent's checkout, but with the repository's git folder and an index of our own. So git runs nothing that is
 * configured in the checkout.
 */
export async function ownGit(
  checkout: Pick<Checkout, "commonFolder" | "folder">,
  { index = ownIndex(checkout), filters = "refuse" }: { index?: string; filters?: Filters } = {},
): Promise<Required<Pick<GitOptions, "env">>> {
  const { commonFolder, folder } = checkout;
  // A git that was killed leaves the lock of its index.
  await removeStaleLocks({ folders: [folder], locks: [`${index}.lock`] });
  return {
    env: {
      GIT_DIR: commonFolder,
      GIT_WORK_TREE: folder,
      GIT_INDEX_FILE: index,
      ...asEnvironment([...exactSettings, ...(await filterSettings(commonFolder, filters))]),
    },
  };
}

async function filterSettings(commonFolder: string, filters: Filters): Promise<readonly Setting[]> {
  if (filters === "run") return [];
  if (filters === "refuse")
    return (await refusedFilters(commonFolder)).flatMap((name) => replaceFilter(name, "failing"));
  return (await filtersIn(repositoryFolder(commonFolder))).flatMap((name) => replaceFilter(name, "off"));
}

/** The filters that do not run on agents' files. */
export async function refusedFilters(commonFolder: string): Promise<readonly string[]> {
  return (await filtersIn(repositoryFolder(commonFolder))).filter(isRefused);
}
