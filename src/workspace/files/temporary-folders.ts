import { realpathSync } from "node:fs";
import { tmpdir } from "node:os";

/** The system's temporary folder in every spelling that tools use for it. */
export function systemTemporaryFolders(): readonly string[] {
  const folders = new Set([tmpdir(), "/tmp", "/var/tmp"]);
  for (const folder of [...folders]) {
    try {
      folders.add(realpathSync(folder));
    } catch {
      folders.delete(folder); // there is no such folder on this machine
    }
  }
  return [...folders];
}
