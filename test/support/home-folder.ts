import { mkdirSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

/**
 * For files that must not be in a temporary folder, where the guard allows everything. `scripts/test.ts` mounts memory
 * there.
 */
export function homeFolder(): string {
  const folder = join(homedir(), ".cache", "lockstep-tests");
  mkdirSync(folder, { recursive: true });
  return folder;
}
