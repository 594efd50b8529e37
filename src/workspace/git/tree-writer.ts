import type { BytePath } from "./byte-path.ts";
import { LastingGit } from "./lasting-git.ts";
import { type Folder, listFolder, type TreeEntry } from "./tree-entries.ts";

/** Writes a copy of a tree with some files added or replaced, and returns its id. */
export async function writeEntries(
  folder: string,
  tree: string | undefined,
  files: ReadonlyMap<BytePath, TreeEntry>,
): Promise<string> {
  const entries = new Map(await listFolder(folder, tree));
  const below = new Map<string, Map<BytePath, TreeEntry>>();
  for (const [path, entry] of files) {
    const slash = path.indexOf("/");
    if (slash < 0) {
      // A file can only come where there was an empty folder; a tree with both names is damaged.
      entries.delete(`${path}/`);
      entries.set(path, entry);
    } else {
      const name = path.slice(0, slash + 1);
      below.set(name, (below.get(name) ?? new Map()).set(path.slice(slash + 1), entry));
    }
  }
  for (const [name, inside] of below)
    entries.set(name, {
      mode: "040000",
      id: await writeEntries(folder, entries.get(name)?.id, inside),
    });
  return writer.ask(folder, entries);
}

const types: Readonly<Record<string, string>> = { "040000": "tree", "160000": "commit" };

const writer = new LastingGit<Folder, string>({
  words: ["mktree", "-z", "--missing", "--batch"],
  idleMs: 1_000,
  ask(entries) {
    const lines = [...entries].map(
      ([name, { mode, id }]) => `${mode} ${types[mode] ?? "blob"} ${id}\t${name.replace(/\/$/, "")}\0`,
    );
    return Buffer.from(`${lines.join("")}\0`, "latin1");
  },
  answer(_entries, came) {
    const end = came.indexOf(10);
    return end < 0 ? undefined : { answer: came.toString("latin1", 0, end), bytes: end + 1 };
  },
});
