import { loadConfig } from "../../workspace/config/load-config.ts";
import { currentFolder, findProject } from "../../workspace/files/find-project.ts";
import { readRepository } from "../../workspace/git/repository-state.ts";
import { tryGit } from "../../workspace/git/run-git.ts";
import { counted } from "../output/table.ts";

export interface Behind {
  readonly branch: string;
  /** The base at the remote, as last fetched. */
  readonly ref: string;
  readonly commits: number;
}

/** How far the branch of this clone is behind the base, if the base moves at a remote. Null if it is not. */
export async function behindBase(): Promise<Behind | null> {
  const project = findProject(currentFolder());
  const loaded = await loadConfig(project.place.root);
  if (!("config" in loaded) || loaded.config.integrate !== "push" || loaded.config.remote === null)
    return null;
  const repository = await readRepository(project, loaded.config);
  if ("error" in repository) return null;
  const { root, base, baseRef } = repository;
  const range = `refs/heads/${base}..${baseRef}`;
  const { exit, stdout } = await tryGit(root, ["rev-list", "--count", range, "--"]);
  const commits = Number(stdout.toString());
  if (exit !== 0 || commits === 0) return null; // one of them does not exist
  return { branch: base, ref: `${loaded.config.remote}/${base}`, commits };
}

export function behindText({ branch, ref, commits }: Behind): string {
  return `${branch} here is ${counted(commits, "commit")} behind ${ref}: \`git merge --ff-only ${ref}\` on ${branch} updates it`;
}
