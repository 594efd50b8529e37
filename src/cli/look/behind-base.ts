import { loadConfig } from "../../workspace/config/load-config.ts";
import { currentFolder, findProject } from "../../workspace/files/find-project.ts";
import { hasObject } from "../../workspace/git/object-reader.ts";
import { readRepository } from "../../workspace/git/repository-state.ts";
import { tryGit } from "../../workspace/git/run-git.ts";
import { counted } from "../output/table.ts";

export interface Behind {
  readonly branch: string;
  /** The base at the remote. */
  readonly ref: string;
  /** How many commits it has more, as last fetched. */
  readonly commits: number;
  /** There are merges that were not fetched yet. */
  readonly unfetched: boolean;
}

const commitsMax = 100;

/** How far the branch of this clone is behind a base that moves at a remote; undefined if it is not. */
export async function behindBase(merged: readonly string[]): Promise<Behind | undefined> {
  const project = findProject(currentFolder());
  const loaded = await loadConfig(project.place.root);
  if (!("config" in loaded) || loaded.config.integrate !== "push" || loaded.config.remote === null)
    return undefined;
  const repository = await readRepository(project, loaded.config);
  if ("error" in repository) return undefined; // other commands report it
  const { root, base, baseRef } = repository;
  const { exit, stdout } = await tryGit(root, [
    "rev-list",
    "--count",
    `refs/heads/${base}..${baseRef}`,
    "--",
  ]);
  const commits = exit === 0 ? Number(stdout.toString()) : 0; // one of them does not exist
  const known = await Promise.all(merged.slice(-commitsMax).map((commit) => hasObject(root, commit)));
  const unfetched = known.includes(false);
  if (commits === 0 && !unfetched) return undefined;
  return { branch: base, ref: `${loaded.config.remote}/${base}`, commits, unfetched };
}

export function behindText({ branch, ref, commits, unfetched }: Behind): string {
  const how = unfetched ? "lacks merges of" : `is ${counted(commits, "commit")} behind`;
  const way = unfetched ? "`git fetch`, then " : "";
  return `${branch} here ${how} ${ref}: ${way}\`git merge --ff-only ${ref}\` on ${branch} updates it`;
}
