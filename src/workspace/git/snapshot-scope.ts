import { copyFileSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { commitTree } from "./merge-commits.ts";
import { readName, splitAtZero } from "./read-diff.ts";
import { keepOnRef, readRef } from "./refs.ts";
import { git, gitBytes } from "./run-git.ts";

type InScope = (path: string) => boolean;

const zero = Buffer.from([0]);

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
  const input = Buffer.concat(held.flatMap((name) => [name, zero]));
  await git(root, ["update-index", "-z", "--add", "--remove", "--stdin"], { env, input });
  const tree = await git(root, ["write-tree"], { env });
  const head = await readRef(root, "HEAD");
  const parents = head === undefined ? [] : [head];
  const commit = await commitTree(root, { tree, parents, subject: "What a task's scope held" });
  await keepOnRef(root, ref, commit);
  return commit;
}

/** Makes a scope again what a snapshot of it holds. Whatever was there is on the other ref first (INV-9). */
export async function restoreScope(
  root: string,
  inScope: InScope,
  { snapshot, keepAs }: { readonly snapshot: string; readonly keepAs: string },
): Promise<readonly string[]> {
  const now = await snapshotScope(root, inScope, keepAs);
  const words = ["diff-tree", "-r", "-z", "--no-renames", "--name-status", snapshot, now];
  const fields = splitAtZero(await gitBytes(root, words));
  const changed: { path: string; added: boolean }[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const { path, utf8 } = readName(fields[at + 1] as Buffer);
    if (utf8 && inScope(path)) changed.push({ path, added: String(fields[at]) === "A" });
  }
  using index = await ownIndex(root);
  await git(root, ["read-tree", snapshot], { env: index.env });
  const back = changed.filter(({ added }) => !added).map(({ path }) => `${path}\0`);
  await git(root, ["checkout-index", "--force", "-z", "--stdin"], { env: index.env, input: back.join("") });
  for (const { path, added } of changed) if (added) rmSync(join(root, path));
  return changed.map(({ path }) => path);
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
