import { join } from "node:path";
import { strayedRef } from "../../core/names/ref-names.ts";
import type { BytePath } from "../../workspace/git/byte-path.ts";
import { commitTree } from "../../workspace/git/commit-writer.ts";
import { asEnvironment, exactSettings } from "../../workspace/git/git-settings.ts";
import { quotePath } from "../../workspace/git/quote-path.ts";
import { keepOnRef } from "../../workspace/git/refs.ts";
import { git } from "../../workspace/git/run-git.ts";
import type { Change } from "./compare-pictures.ts";
import { prefixOf, type Scene, type Seen } from "./picture.ts";

interface Keeping {
  readonly scene: Scene;
  readonly head: string | null;
  /** The folder of the copies. */
  readonly folder: string;
  /** An empty scratch folder. */
  readonly scratch: string;
  readonly task: string | null;
}

/**
 * Keeps the earlier and the current content of changed paths in two commits, so that `git show REF` prints exactly what
 * was put back. Content is stored unchanged, without filters.
 */
export async function keepStrayed(changes: readonly Change[], keeping: Keeping): Promise<string> {
  const { scene, head, scratch, task } = keeping;
  const { root } = scene;
  const settings = asEnvironment(exactSettings);
  const env = { ...settings, GIT_INDEX_FILE: join(scratch, "kept-index") };
  await git(root, head === null ? ["read-tree", "--empty"] : ["read-tree", head], { env });
  const ids = await hashCopies(changes, keeping);
  const commit = async (subject: string, parent: string | null) => {
    const tree = await git(root, ["write-tree"], { env });
    return commitTree(root, { tree, parents: parent === null ? [] : [parent], subject });
  };
  const edit = async (of: (change: Change) => Seen | undefined) => {
    const entries = changes.flatMap((change): [BytePath, Seen][] => {
      const seen = of(change);
      return seen === undefined ? [] : [[prefixOf(root) + keptName(change.path), seen]];
    });
    const none = "0".repeat(head?.length ?? 40);
    const removed = entries.map(([path]) => `0 ${none}\t${path}\0`);
    const added = entries.flatMap(([path, { copy, mode }]) =>
      copy === null ? [] : [`${gitMode(mode)} ${ids.get(copy)}\t${path}\0`],
    );
    const input = Buffer.from([...removed, ...added].join(""), "latin1");
    await git(root, ["update-index", "--replace", "-z", "--index-info"], { env, input });
  };
  await edit(({ before }) => before);
  const before = await commit("Before the call", head);
  await edit(({ after }) => after);
  const strayed = await commit("Changes of the call outside its lock", before);
  const ref = strayedRef(task, strayed);
  await keepOnRef(root, ref, strayed);
  return ref;
}

/** Git rejects paths in `.git`. */
function keptName(path: BytePath): BytePath {
  return path.startsWith(".git/") ? `dot-${path.slice(1)}` : path;
}

function gitMode(mode: number): string {
  if ((mode & 0o170000) === 0o120000) return "120000";
  return (mode & 0o100) === 0 ? "100644" : "100755";
}

async function hashCopies(
  changes: readonly Change[],
  { scene: { root }, folder }: Keeping,
): Promise<ReadonlyMap<string, string>> {
  const copies = [...new Set(changes.flatMap(({ before, after }) => [before?.copy, after.copy]))];
  const names = copies.flatMap((copy) => copy ?? []);
  if (names.length === 0) return new Map();
  const input = names.map((name) => `${quotePath(join(folder, name))}\n`).join("");
  const printed = await git(root, ["hash-object", "-w", "--no-filters", "--stdin-paths"], { input });
  const ids = printed.split("\n");
  return new Map(names.map((name, at) => [name, ids[at] ?? ""]));
}
