import { randomUUID } from "node:crypto";
import { rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { git } from "./run-git.ts";

/** The new content of a path: an existing git entry, a text, or null to remove the path. */
export type TreeEdit = { readonly mode: string; readonly id: string } | { readonly text: string } | null;

/** Writes a copy of a tree with some paths changed. No checkout or branch is touched. */
export async function editTree(
  folder: string,
  tree: string,
  edits: ReadonlyMap<string, TreeEdit>,
): Promise<string> {
  const index = join(tmpdir(), `lockstep-index-${randomUUID()}`);
  const env = { GIT_INDEX_FILE: index };
  try {
    const none = "0".repeat(tree.length);
    const removed = [...edits.keys()].map((path) => `0 ${none}\t${path}\0`);
    const written: string[] = [];
    for (const [path, edit] of edits) {
      if (edit === null) continue;
      const { mode, id } =
        "text" in edit
          ? { mode: "100644", id: await git(folder, ["hash-object", "-w", "--stdin"], { input: edit.text }) }
          : edit;
      written.push(`${mode} ${id}\t${path}\0`);
    }
    await git(folder, ["read-tree", tree], { env });
    // Removals come first, because a folder may replace a file.
    const input = [...removed, ...written].join("");
    await git(folder, ["update-index", "-z", "--index-info"], { env, input });
    return await git(folder, ["write-tree"], { env });
  } finally {
    rmSync(index, { force: true });
    rmSync(`${index}.lock`, { force: true });
  }
}
