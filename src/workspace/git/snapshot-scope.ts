import { copyFileSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { commitTree } from "./commit-writer.ts";
import { mergeTrees } from "./merge-commits.ts";
import { findEntry, readMovedPaths } from "./paths-in-the-way.ts";
import { readName, splitAtZero } from "./read-diff.ts";
import { keepOnRef, readRef } from "./refs.ts";
import { git, gitBytes } from "./run-git.ts";

type InScope = (path: string) => boolean;

const zero = Buffer.from([0]);
const literally = Buffer.from(":(top,literal)");

/**
 * Commits the files of a scope in a working folder to a ref. The user's index and branch stay unchanged. A copy of the
 * index makes it fast, because unchanged files are not read.
 */
export async function snapshotScope(root: string, inScope: InScope, ref: string): Promise<string> {
  using index = await ownIndex(root);
  const { env } = index;
  const listed = await gitBytes(root, ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], {
    env,
  });
  const held = splitAtZero(listed).filter((name) => inScope(readName(name).path));
  await takeIn(root, held, env);
  const tree = await git(root, ["write-tree"], { env });
  const head = await readRef(root, "HEAD");
  const parents = head === undefined ? [] : [head];
  const commit = await commitTree(root, { tree, parents, subject: "What a task's scope held" });
  await keepOnRef(root, ref, commit);
  return commit;
}

/** The same for a list of paths, including ignored ones. */
export async function snapshotPaths(root: string, paths: readonly string[], ref: string): Promise<void> {
  using index = await ownIndex(root);
  await takeIn(
    root,
    paths.map((path) => Buffer.from(path)),
    index.env,
  );
  const tree = await git(root, ["write-tree"], { env: index.env });
  await keepOnRef(root, ref, await commitTree(root, { tree, parents: [], subject: "What was there" }));
}

/** Updates an index of our own with the current files at these paths. */
async function takeIn(root: string, names: readonly Buffer[], env: OwnIndex["env"]): Promise<void> {
  const isThere = (name: Buffer) => isReachable(root, readName(name).path);
  const gone = names.filter((name) => !isThere(name));
  const remove = { env, input: Buffer.concat(gone.flatMap((name) => [name, zero])) };
  await git(root, ["update-index", "-z", "--force-remove", "--stdin"], remove);
  const there = names.filter(isThere);
  if (there.length === 0) return;
  const input = Buffer.concat(there.flatMap((name) => [literally, name, zero]));
  await git(root, ["add", "--all", "--force", "--pathspec-from-file=-", "--pathspec-file-nul"], {
    env,
    input,
  });
}

/** True for a file or a link that is not behind another link: git refuses paths behind links. */
function isReachable(root: string, path: string): boolean {
  const found = findEntry(root, path);
  if (found === undefined || found.isDirectory()) return false;
  for (let above = dirname(path); above !== "."; above = dirname(above))
    if (findEntry(root, above)?.isSymbolicLink() === true) return false;
  return true;
}

export interface RestoredScope {
  readonly paths: readonly string[];
  /** Paths that both the user and the branch have changed since: left unchanged. */
  readonly left: readonly string[];
}

/**
 * Restores a scope from its snapshot, except for changes that the branch itself has made since. The current files are
 * first kept on the other ref, so that nothing is lost (INV-9).
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

interface OwnIndex extends Disposable {
  readonly env: { readonly GIT_INDEX_FILE: string };
}

async function ownIndex(root: string): Promise<OwnIndex> {
  const folder = mkdtempSync(join(tmpdir(), "lockstep-index-"));
  const file = join(folder, "index");
  const own = join(await git(root, ["rev-parse", "--absolute-git-dir"]), "index");
  if (existsSync(own)) copyFileSync(own, file);
  return {
    env: { GIT_INDEX_FILE: file },
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}
