import { hasObject } from "./object-reader.ts";
import { parentsOf } from "./refs.ts";
import { isFullId } from "./tree-entries.ts";

/** With more commits in between, git is asked instead. */
const commitsMax = 300;
/** How far the common history is read, to recognise commits that others started from. */
const olderMax = 50;

/**
 * The parent of `theirs`, if that is the only newest commit that both share: the ordinary case of work that started from
 * an earlier commit of a branch. Undefined if it is not, or if that cannot be seen in the last commits.
 */
export async function simpleFork(folder: string, ours: string, theirs: string): Promise<string | undefined> {
  if (![ours, theirs].every(isFullId)) return undefined;
  const [fork, ...others] = await parentsOf(folder, theirs);
  // In a shallow clone, a commit names parents that are not there.
  if (fork === undefined || others.length > 0 || !(await hasObject(folder, fork))) return undefined;
  const seen = new Set<string>();
  const merged: string[] = [];
  for (let at = ours; at !== fork; ) {
    const [first, ...more] = await parentsOf(folder, at);
    if (first === undefined || at === theirs || seen.size >= commitsMax) return undefined;
    seen.add(at);
    merged.push(...more);
    at = first;
  }
  // The fork and what it is built on cannot contain `theirs`, which is built on the fork.
  const line = await firstParents(folder, fork);
  for (let at = merged.pop(); at !== undefined; at = merged.pop()) {
    if (at === theirs || seen.size >= commitsMax) return undefined;
    if (seen.has(at) || line.has(at)) continue;
    seen.add(at);
    merged.push(...(await parentsOf(folder, at)));
  }
  return fork;
}

async function firstParents(folder: string, commit: string): Promise<ReadonlySet<string>> {
  const line = new Set<string>();
  for (let at: string | undefined = commit; at !== undefined && line.size < olderMax; ) {
    line.add(at);
    [at] = await parentsOf(folder, at);
  }
  return line;
}
