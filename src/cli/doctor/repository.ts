import { accessSync, constants, existsSync } from "node:fs";
import { dirname } from "node:path";
import type { Project } from "../../workspace/files/find-project.ts";
import { missingLargeFiles } from "../../workspace/git/large-files.ts";
import { missingFilterFix, missingFilters, missingFilterText } from "../../workspace/git/missing-filters.ts";
import { splitAtZero } from "../../workspace/git/read-diff.ts";
import { isShallow, type RepositoryState, readRepository } from "../../workspace/git/repository-state.ts";
import { gitBytes } from "../../workspace/git/run-git.ts";
import { missingSubmodules } from "../../workspace/git/submodules.ts";
import { checkoutsPath } from "../../workspace/state/state-home.ts";
import { counted } from "../output/table.ts";
import { broken, brokenBy, causeOf, type Finding, off, ok } from "./finding.ts";

/** The repository and its base branch, and whether Lockstep can work with them. */
export async function examineRepository(
  project: Project,
  settings: Parameters<typeof readRepository>[1],
): Promise<{ readonly findings: readonly Finding[]; readonly repository?: RepositoryState }> {
  const what = "repository";
  try {
    const repository = await readRepository(project, settings);
    if ("error" in repository) return { findings: [brokenBy(what, repository.error)] };
    const { root, base, baseCommit } = repository;
    const findings = [
      ok(what, root),
      ok("base branch", `${base} at ${baseCommit.slice(0, 10)}`),
      ...examineDisk(repository),
      ...(await examineHistory(root)),
      ...(await examineSubmodules(repository)),
      ...(await examineLargeFiles(repository)),
      ...(await examineFilters(repository)),
    ];
    return { findings, repository };
  } catch (error) {
    return { findings: [brokenBy(what, causeOf(error))] };
  }
}

/** Writes nothing: for a missing folder, the nearest existing parent is tested. */
function examineDisk({ commonFolder }: RepositoryState): readonly Finding[] {
  const places = [
    ["git folder", commonFolder, "give yourself write permission, or run lockstep as its owner"],
    ["checkouts folder", checkoutsPath(commonFolder), "set XDG_STATE_HOME to a folder that you can write"],
  ] as const;
  return places.flatMap(([what, path, fix]) =>
    isWritable(path) ? [] : [broken(what, `${path} cannot be written`, fix)],
  );
}

/** Whether the folder can be written or created. */
export function isWritable(path: string): boolean {
  let at = path;
  while (!existsSync(at) && at !== dirname(at)) at = dirname(at);
  try {
    accessSync(at, constants.W_OK | constants.X_OK);
    return true;
  } catch {
    return false; // whatever the reason
  }
}

async function examineHistory(root: string): Promise<readonly Finding[]> {
  if (!(await isShallow(root))) return [];
  const detail = "a shallow clone: a branch that started before its oldest commit cannot be landed";
  return [off("history", detail, "`git fetch --unshallow`")];
}

async function examineSubmodules({ commonFolder, baseCommit }: RepositoryState): Promise<readonly Finding[]> {
  const { all, empty } = await missingSubmodules(commonFolder, baseCommit);
  if (all.length === 0) return [];
  const told = `${counted(all.length, "submodule")}: checks see them, agents find empty folders`;
  if (empty.length === 0) return [ok("submodules", told)];
  const fix = "`git submodule update --init --recursive`";
  return [off("submodules", `empty for checks: ${empty.join(", ")}`, fix)];
}

async function examineLargeFiles({ root, commonFolder }: RepositoryState): Promise<readonly Finding[]> {
  const words = ["ls-files", "-z", "--", ":(top,attr:filter=lfs)"];
  const paths = splitAtZero(await gitBytes(root, words)).map(String);
  if (paths.length === 0) return [];
  const absent = missingLargeFiles(commonFolder, root, paths);
  if (absent.length === 0)
    return [ok("large files", `${counted(paths.length, "file")} of git-lfs, all here`)];
  const more = absent.length > 1 ? ` and ${absent.length - 1} more` : "";
  return [off("large files", `only the git-lfs pointer is here: ${absent[0]}${more}`, "`git lfs pull`")];
}

/** Agents' checkouts cannot be created without these filters. */
async function examineFilters({ root }: RepositoryState): Promise<readonly Finding[]> {
  const missing = await missingFilters(root, process.env.PATH ?? "");
  return missing.map((one) => broken(`filter ${one.name}`, missingFilterText(one), missingFilterFix(one)));
}
