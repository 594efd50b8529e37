import { homedir } from "node:os";
import { join } from "node:path";
import { type SandboxGap, sandboxGaps } from "../../guard/setup/sandbox-gaps.ts";
import { readGuardSettings } from "../../guard/world/guard-settings.ts";
import { uncomparedCalls, uncomparedText, wayToCompare } from "../../guard/world/pending-calls.ts";
import { currentFolder, findProject } from "../../workspace/files/find-project.ts";
import { hasLedger } from "../../workspace/state/has-ledger.ts";
import { openStateFolder, stateFolder } from "../../workspace/state/state-folder.ts";
import { printable } from "../output/table.ts";

/** Why `guard.opaque: sandbox` has no effect here. */
export async function guardGaps(): Promise<readonly SandboxGap[]> {
  if (process.env.LOCKSTEP_SOCKET) return [];
  const project = findProject(currentFolder());
  if (!hasLedger(project)) return [];
  const { root } = project.place;
  const machine = { root, home: homedir(), path: process.env.PATH ?? "" };
  try {
    return await sandboxGaps(machine, (await readGuardSettings(root, openStateFolder(project))).opaque);
  } catch {
    return []; // a faulty configuration: the commands that need it report that
  }
}

/** Calls whose writes have not been compared yet. */
export function uncomparedLine(): string | undefined {
  if (process.env.LOCKSTEP_SOCKET) return undefined;
  const trees = join(stateFolder(findProject(currentFolder())), "trees");
  const text = uncomparedText(uncomparedCalls(trees, Date.now()));
  return text === undefined ? undefined : `${printable(text)}; ${wayToCompare}`;
}

export function gapLine({ why, next }: SandboxGap): string {
  return `unknown programs run without a sandbox, and their writes are compared afterwards: ${printable(why)}; ${next}`;
}
