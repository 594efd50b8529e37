import { copyFileSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { commitTree, mergeTrees } from "./merge-commits.ts";
import { readMovedPaths } from "./paths-in-the-way.ts";
import { readName, splitAtZero } from "./read-diff.ts";
import { keepOnRef, readRef } from "./refs.ts";
import { git, gitBytes } from "./run-git.ts";

type InScope = (path: string) => boolean;

const zero = Buffer.from([0]);
const literally = Buffer.from(":(top,literal)");

/**
 * What lies in a scope of a working folder, committed to a ref: the person's own index and branch stay as they are.
 * A copy of the index makes it cheap, because unchanged files are not read.
 */
export async function snapshotScope(root: string, inScope: InScope, ref: string): Promise<string> {
  using index = await ownIndex(root);
  const { env } = index;
  const listed = await gitBytes(root, ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], {
    env,
  });
  const held = splitAtZero(listed).filter((name) => inScope(readName(name).path));
  const input = Buffer.concat(held.flatMap((name) => [literally, name, zero]));
  const words = ["add", "--all", "--pathspec-from-file=-", "--pathspec-file-nul"];
  if (held.length > 0) await git(root, words, { env, input });
  const tree = await git(root, ["write-tree"], { env });
  const head = await readRef(root, "HEAD");
  const parents = head === undefined ? [] : [head];
  const commit = await commitTree(root, { tree, parents, subject: "What a task's scope held" });
  await keepOnRef(root, ref, commit);
  return commit;
}

export interface RestoredScope {
  readonly paths: readonly string[];
  /** What both the person and the branch have changed since: left as it is. */
  readonly left: readonly string[];
}

/**
 * Makes a scope again what a snapshot of it holds, but for what the branch itself has changed since, which stays.
 * Whatever was there is on the other ref first (INV-9).
 */
export async function restoreScope(
  root: string,
  inScope: InScope,
  { snapshot, keepAs }: { readonly snapshot: string; readonly keepAs: string },
): Promise<RestoredScope> {
  const now = await snapshotScope(root, inScope, keepAs);
  const wanted = await mergeTrees(root, snapshot, "HEAD");
  const left = "conflicts" in wanted ? wanted.conflicts.filter(inScope) : [];
  const { changed, added } = await readMovedPaths(root, wanted.tree, now);
  const isWanted = (path: string) => inScope(path) && !left.includes(path);
  using index = await ownIndex(root);
  await git(root, ["read-tree", wanted.tree], { env: index.env });
  for (const path of added.filter(isWanted)) rmSync(join(root, path), { force: true });
  const input = changed
    .filter(isWanted)
    .map((path) => `${path}\0`)
    .join("");
  await git(root, ["checkout-index", "--force", "-z", "--stdin"], { env: index.env, input });
  return { paths: [...added, ...changed].filter(isWanted), left };
}

async function ownIndex(
  root: string,
): Promise<Disposable & { readonly env: { readonly GIT_INDEX_FILE: string } }> {
  const folder = mkdtempSync(join(tmpdir(), "lockstep-index-"));
  const file = join(folder, "index");
  const own = join(await git(root, ["rev-parse", "--absolute-git-dir"]), "index");
  if (existsSync(own)) copyFileSync(own, file);
  return {
    env: { GIT_INDEX_FILE: file },
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}
