import { lstatSync, mkdirSync, readlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type BytePath, onDisk, shown } from "../../workspace/git/byte-path.ts";
import { asEnvironment, exactSettings, isRefused, replaceFilter } from "../../workspace/git/git-settings.ts";
import { filtersIn } from "../../workspace/git/known-settings.ts";
import { fillLargeFiles } from "../../workspace/git/large-files.ts";
import { splitAtZero } from "../../workspace/git/read-diff.ts";
import { git, gitBytes, tryGit } from "../../workspace/git/run-git.ts";
import { type Picture, prefixOf, type Scene } from "./picture.ts";

/** The state to restore at a path: a file, or a link whose target is the file's content; null for absent. */
export type Wanted = { readonly file: Buffer; readonly mode: number } | null;

interface Source {
  readonly scene: Scene;
  /** The earlier picture. Paths that it does not list were as in its commit. */
  readonly picture: Pick<Picture, "head" | "isSparse">;
  /** An empty scratch folder. */
  readonly scratch: string;
}

/** What a checkout of the commit has at these paths, or why that is unknown. */
export async function filesOfCommit(
  paths: readonly BytePath[],
  { scene, picture: { head, isSparse }, scratch }: Source,
): Promise<ReadonlyMap<BytePath, Wanted | { readonly why: string }>> {
  const { root, gitFolder } = scene;
  const found = new Map<BytePath, Wanted | { readonly why: string }>(paths.map((path) => [path, null]));
  if (paths.length === 0 || head === null) return found;
  const tree = join(scratch, "tree");
  mkdirSync(tree);
  // The work tree is empty, so the attributes of the commit apply.
  const place = { GIT_DIR: gitFolder, GIT_WORK_TREE: tree, GIT_INDEX_FILE: join(scratch, "index") };
  const filters = (await filtersIn(root)).flatMap((name) =>
    replaceFilter(name, isRefused(name) ? "failing" : "off"),
  );
  const env = { ...place, ...asEnvironment([...exactSettings, ...filters]) };
  await git(tree, ["read-tree", head], { env });
  const prefix = prefixOf(root);
  const tracked = new Set(namesIn(await gitBytes(tree, ["ls-files", "-z"], { env })));
  const wanted = paths.filter((path) => tracked.has(prefix + path));
  const absent = isSparse ? await sparseIn(root) : new Set();
  const written = wanted.filter((path) => !absent.has(path));
  const input = Buffer.from(written.map((path) => `${prefix}${path}\0`).join(""), "latin1");
  // Git fails for files that need a filter, but writes the others.
  await tryGit(tree, ["checkout-index", "--quiet", "--force", "-z", "--stdin"], { env, input });
  const pointers = new Set(
    fillLargeFiles(
      gitFolder,
      tree,
      written.map((path) => shown(prefix + path)),
    ),
  );
  for (const [at, path] of written.entries()) {
    const isPointer = pointers.has(shown(prefix + path));
    const link = join(scratch, `link-${at}`);
    found.set(path, isPointer ? { why: "git-lfs has not fetched it" } : wantedAt(tree, prefix + path, link));
  }
  return found;
}

function wantedAt(tree: string, path: BytePath, link: string): Wanted | { readonly why: string } {
  const file = onDisk(tree, path);
  const found = lstatSync(file, { throwIfNoEntry: false });
  if (found === undefined) return { why: "git would run a filter to write it" };
  if (found.isDirectory()) return { why: "it is a nested git repository" };
  if (!found.isSymbolicLink()) return { file, mode: found.mode };
  writeFileSync(link, readlinkSync(file, { encoding: "buffer" }));
  return { file: Buffer.from(link), mode: found.mode };
}

/** The paths that a sparse checkout leaves out, whether they exist on disk or not. */
async function sparseIn(root: string): Promise<ReadonlySet<BytePath>> {
  const words = ["-c", "sparse.expectFilesOutsideOfPatterns=true", "ls-files", "-t", "-z"];
  const lines = namesIn(await gitBytes(root, words));
  return new Set(lines.filter((line) => line.startsWith("S ")).map((line) => line.slice(2)));
}

function namesIn(listed: Buffer): readonly BytePath[] {
  return splitAtZero(listed).map((name) => name.toString("latin1"));
}
