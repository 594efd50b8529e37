import { existsSync } from "node:fs";
import { join } from "node:path";
import type { BytePath } from "./byte-path.ts";
import { asEnvironment, exactSettings, replaceFilter } from "./git-settings.ts";
import { filtersIn } from "./known-settings.ts";
import { readName, splitAtZero } from "./read-diff.ts";
import { git, gitBytes, tryGit } from "./run-git.ts";
import { listTree, type TreeEntry } from "./tree-entries.ts";

interface Superproject {
  readonly gitFolder: string;
  readonly commit: string;
  /** The entries of the commit. */
  readonly tree: ReadonlyMap<BytePath, TreeEntry>;
  /** The folder with the commit's files; its submodules are still empty. */
  readonly folder: string;
  /** The path for a temporary index. */
  readonly index: string;
}

/** Writes the files of the submodules whose commits were fetched. Returns the paths of the others, which stay empty. */
export async function fillSubmodules(project: Superproject): Promise<readonly string[]> {
  const { gitFolder, commit, tree, folder, index } = project;
  const links = await submodulesOf(gitFolder, commit, tree);
  const missing: string[] = [];
  for (const link of links) {
    const { path, id, own } = link;
    if (!(await isHere(link))) {
      missing.push(path);
      continue;
    }
    const to = join(folder, path);
    const off = (await filtersIn(own)).flatMap((filter) => replaceFilter(filter, "off"));
    const place = { GIT_DIR: own, GIT_WORK_TREE: to, GIT_INDEX_FILE: index };
    const env = { ...place, ...asEnvironment([...exactSettings, ...off]) };
    await git(to, ["read-tree", "--reset", id], { env });
    await git(to, ["checkout-index", "--all", "--force"], { env });
    const within = { gitFolder: own, commit: id, tree: await listTree(own, id) };
    const inner = await fillSubmodules({ ...within, folder: to, index });
    missing.push(...inner.map((one) => `${path}/${one}`));
  }
  return missing;
}

/** The paths of a checkout's submodules, from the `.gitmodules` at its top. */
export async function submodulePaths(top: string): Promise<readonly string[]> {
  if (!existsSync(join(top, ".gitmodules"))) return [];
  const { stdout } = await tryGit(top, ["config", "--null", "--file", ".gitmodules", ...pathKeys]);
  const paths = splitAtZero(stdout).map((field) => String(field).split("\n")[1] ?? "");
  return paths.filter((path) => path !== "" && !path.startsWith("/") && !path.split("/").includes(".."));
}

const pathKeys = ["--get-regexp", "^submodule\\..*\\.path$"];

/** The submodules of a commit, and those of them that would stay empty. */
export async function missingSubmodules(gitFolder: string, commit: string) {
  const all = await submodulesOf(gitFolder, commit, await listTree(gitFolder, commit));
  const empty: string[] = [];
  for (const one of all) if (!(await isHere(one))) empty.push(one.path);
  return { all: all.map(({ path }) => path), empty };
}

async function isHere({ own, id }: Submodule): Promise<boolean> {
  return existsSync(own) && (await tryGit(own, ["cat-file", "-e", `${id}^{tree}`])).exit === 0;
}

interface Submodule {
  readonly path: string;
  readonly id: string;
  /** Its git folder, if it was fetched. */
  readonly own: string;
}

async function submodulesOf(
  gitFolder: string,
  commit: string,
  tree: ReadonlyMap<BytePath, TreeEntry>,
): Promise<readonly Submodule[]> {
  const links = [...tree].filter(([, { mode }]) => mode === "160000");
  if (links.length === 0) return [];
  const names = await namesByPath(gitFolder, commit);
  return links.map(([bytes, { id }]) => {
    const { path } = readName(Buffer.from(bytes, "latin1"));
    return { path, id, own: join(gitFolder, "modules", names.get(path) ?? path) };
  });
}

/** The names in `.gitmodules`, by path. Names with `..` are ignored. */
async function namesByPath(gitFolder: string, commit: string): Promise<ReadonlyMap<string, string>> {
  const words = ["config", "--null", "--blob", `${commit}:.gitmodules`, ...pathKeys];
  const { exit } = await tryGit(gitFolder, words);
  const fields = exit === 0 ? splitAtZero(await gitBytes(gitFolder, words)).map(String) : [];
  return new Map(
    fields.flatMap((field): [string, string][] => {
      const [key = "", path = ""] = field.split("\n");
      const name = key.slice("submodule.".length, -".path".length);
      return name.split("/").includes("..") ? [] : [[path, name]];
    }),
  );
}
