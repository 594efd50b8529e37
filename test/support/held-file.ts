import { spawnSync } from "node:child_process";

/** Whether a process holds the file: `flock FILE PROGRAM` does, as long as the program runs, also in a sandbox. */
export function isHeld(file: string): boolean {
  const { status } = spawnSync("flock", ["--nonblock", "--conflict-exit-code", "9", file, "true"]);
  if (status !== 0 && status !== 9) throw new Error(`flock ends with ${status}`);
  return status === 9;
}
