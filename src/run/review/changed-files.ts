import { readName, splitAtZero } from "../../workspace/git/read-diff.ts";
import { gitBytes } from "../../workspace/git/run-git.ts";

export type ChangedFile =
  | { readonly path: string; readonly change_type: "added" | "modified" | "deleted" }
  | { readonly path: string; readonly old_path: string; readonly change_type: "renamed" };

const words = { A: "added", D: "deleted" } as const;

/** The changed files, read from git and not from the agent's report. */
export async function changedFiles(root: string, from: string, to: string): Promise<readonly ChangedFile[]> {
  const options = ["-r", "-z", "--name-status", "--find-renames", "--no-ext-diff"];
  const fields = splitAtZero(await gitBytes(root, ["diff-tree", ...options, from, to]));
  const changed: ChangedFile[] = [];
  for (let at = 0; at + 1 < fields.length; ) {
    const letter = String(fields[at]).charAt(0);
    const { path } = readName(fields[at + 1] as Buffer);
    if (letter === "R") {
      changed.push({ path: readName(fields[at + 2] as Buffer).path, old_path: path, change_type: "renamed" });
      at += 3;
      continue;
    }
    changed.push({ path, change_type: letter === "A" || letter === "D" ? words[letter] : "modified" });
    at += 2;
  }
  return changed;
}
