import { realpathSync } from "node:fs";
import { tmpdir } from "node:os";

/** The system's temporary folders, in every spelling that tools use. */
export function systemTemporaryFolders(): readonly string[] {
  const folders = new Set([tmpdir(), "/tmp", "/var/tmp"]);
  for (const folder of [...folders]) {
    try {
      folders.add(realpathSync.native(folder));
    } catch {
      folders.delete(folder); // it does not exist on this machine
    }
  }
  return [...folders];
}
