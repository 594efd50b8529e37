import { createHash } from "node:crypto";
import { detectSetup, type Setup } from "../core/proof/detect-commands.ts";
import { setupInputs } from "../core/proof/setup-inputs.ts";
import { readTrees } from "../workspace/git/read-tree.ts";
import { readRef } from "../workspace/git/refs.ts";
import { readTop } from "../workspace/git/tree-entries.ts";

export interface CommitSetup {
  /** Its full id. */
  readonly commit: string;
  readonly tree: string;
  readonly commands: readonly (readonly string[])[];
  /** True if the commands may run code of the tree. */
  readonly runsTree: boolean;
  /** As long as it is the same, so is the result of the commands. */
  readonly key: string;
}

/** Told by the commit's own files, without a checkout; `configured` is null where the lock files tell. */
export async function readSetup(
  root: string,
  commit: string,
  configured: readonly (readonly string[])[] | null,
): Promise<CommitSetup | undefined> {
  const full = await readRef(root, commit);
  if (full === undefined) return undefined;
  const { id: tree, names: top } = await readTop(root, full);
  const detected = detectSetup({ has: (name) => top.has(name) });
  const commands = configured ?? detected.commands;
  const inputs =
    commands.length === 0 ? [] : configured === null ? await inputIds(root, full, detected) : undefined;
  const told = JSON.stringify([commands, process.version, process.platform, process.arch, inputs ?? tree]);
  const key = createHash("sha256").update(told).digest("hex");
  return { commit: full, tree, commands, runsTree: inputs === undefined, key };
}

/** Undefined where the set-up runs code of the tree, which may read whatever else is there. */
async function inputIds(root: string, commit: string, detected: Setup) {
  const [tree] = await readTrees(root, [commit]);
  return tree && setupInputs(detected, tree)?.map((path) => [path, tree.idOf(path)]);
}
