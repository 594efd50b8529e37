import { spawn } from "node:child_process";
import { removeFolder } from "../files/remove-folder.ts";

/** Caches of some tools are folders that not even their owner may write: they are opened where that is the obstacle. */
const script = 'rm -rf -- "$@" 2>/dev/null || { chmod -R u+rwX -- "$@"; rm -rf -- "$@"; }';

/**
 * Deletes folders in a process of their own that outlives this one, because large ones take seconds. Each must have a
 * name that marks it as waste, so that the next command finishes what this one did not.
 */
export function deleteLater(folders: readonly string[]): void {
  if (folders.length === 0) return;
  const options = { detached: true, stdio: "ignore" } as const;
  const child = spawn("sh", ["-c", script, "sh", ...folders], options);
  child.on("error", () => folders.forEach(removeFolder)); // the machine has no shell
  child.unref();
}
