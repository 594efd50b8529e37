import { asEnvironment, exactSettings, replaceFilter } from "../git/git-settings.ts";
import { filtersIn } from "../git/known-settings.ts";
import { type GitRun, tryGit } from "../git/run-git.ts";

/** Git with the git folder of an agent's checkout. Filters that are configured there do not run. */
export async function neutralGit(folder: string, words: readonly string[]): Promise<GitRun> {
  const filters = await filtersIn(folder);
  const settings = [...exactSettings, ...filters.flatMap((name) => replaceFilter(name, "off"))];
  return tryGit(folder, words, { env: asEnvironment(settings) });
}
