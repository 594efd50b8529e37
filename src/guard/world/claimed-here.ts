import { createHash } from "node:crypto";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Marks for agents that have claimed a task here: they are held to it even if a shared ledger cannot be reached. */
const folderName = "claimed";

export function markClaimed(stateFolder: string, agent: string): void {
  const folder = join(stateFolder, folderName);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(join(folder, nameOf(agent)), "", { mode: 0o600 });
}

export function hasClaimed(stateFolder: string, agent: string): boolean {
  return existsSync(join(stateFolder, folderName, nameOf(agent)));
}

function nameOf(agent: string): string {
  return createHash("sha256").update(agent).digest("hex").slice(0, 32);
}
