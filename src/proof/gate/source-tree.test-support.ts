import type { ChangedFile, Merge, SourceTree } from "./source-tree.ts";

export type Files = Readonly<Record<string, string>>;

export function treeOf(files: Files | ReadonlyMap<string, string>): SourceTree {
  const texts = files instanceof Map ? files : new Map(Object.entries(files));
  return {
    paths: () => [...texts.keys()],
    text: (path) => texts.get(path),
    load: () => {},
    fetch: async () => {},
  };
}

/** The base with these files replaced; `null` deletes one. `tasks` names the task that changed a file. */
export function mergeOf(
  base: Files,
  edits: Readonly<Record<string, string | null>>,
  tasks: Readonly<Record<string, string>> = {},
): Merge {
  const result = new Map(Object.entries(base));
  const changed: ChangedFile[] = [];
  for (const [path, text] of Object.entries(edits)) {
    const task = tasks[path];
    const status = text === null ? "deleted" : result.has(path) ? "modified" : "added";
    if (text === null) result.delete(path);
    else result.set(path, text);
    changed.push({ path, status, ...(task === undefined ? {} : { task }) });
  }
  return { base: treeOf(base), result: treeOf(result), changed };
}
