import { readdirSync } from "node:fs";
import { isAbsolute, join, resolve } from "node:path";
import { repositoryTop } from "../files/find-project.ts";
import { isProgram } from "../process/search-path.ts";
import { splitAtZero } from "./read-diff.ts";
import { tryGit } from "./run-git.ts";

export interface HooksOf {
  /** An absolute path, which may not exist. */
  readonly folder: string;
  /** The hooks that git would run. */
  readonly names: readonly string[];
}

/** The hooks that git runs in a checkout of a repository. */
export async function activeHooks(tree: string, commonFolder: string): Promise<HooksOf> {
  const folder = await hooksFolder(tree, commonFolder);
  return { folder, names: listed(folder).filter((name) => isProgram(join(folder, name))) };
}

/** The folder in which git looks for hooks. A relative `core.hooksPath` starts at the top of the checkout. */
export async function hooksFolder(tree: string, commonFolder: string): Promise<string> {
  const words = ["config", "--null", "--type=path", "--get-all", "core.hooksPath"];
  const { stdout } = await tryGit(tree, words);
  // The last value is our own: `run-git.ts` disables hooks with it.
  const set = splitAtZero(stdout).at(-2)?.toString("utf8") ?? "";
  if (set === "") return join(commonFolder, "hooks");
  return isAbsolute(set) ? set : resolve(repositoryTop(tree) ?? tree, set);
}

function listed(folder: string): readonly string[] {
  try {
    return readdirSync(folder).filter((name) => /^[a-z0-9-]+$/.test(name));
  } catch {
    return []; // the folder does not exist
  }
}
