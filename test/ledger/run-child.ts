import { type ChildProcess, execFile, spawn, spawnSync } from "node:child_process";
import { promisify } from "node:util";

const script = new URL("ledger-child.ts", import.meta.url).pathname;

/** The last line that a child prints; see ledger-child.ts. */
export async function runChild(what: string, folder: string, number = 0): Promise<unknown> {
  const { stdout } = await promisify(execFile)(process.execPath, [script, what, folder, String(number)]);
  return lastLine(stdout);
}

export function spawnChild(what: string, folder: string): ChildProcess {
  return spawn(process.execPath, [script, what, folder], { stdio: ["ignore", "pipe", "inherit"] });
}

/** Whether this machine allows mounts that only a child sees. */
export const canMount = spawnSync("unshare", ["-rm", "true"]).status === 0;

/** Runs a child in a mount namespace of its own, after `mounting`, in which `$1` is the folder. */
export function runMounted(what: string, folder: string, mounting: string): unknown {
  const line = `${mounting} && exec "$0" "$2" "$3" "$1"`;
  const args = ["-rm", "sh", "-c", line, process.execPath, folder, script, what];
  const { stdout, stderr, status } = spawnSync("unshare", args, { encoding: "utf8" });
  if (status !== 0) throw new Error(`child failed: ${stderr}`);
  return lastLine(stdout);
}

export function lastLine(text: string): unknown {
  const line = text.trimEnd().split("\n").at(-1) ?? "";
  return line === "" ? undefined : JSON.parse(line);
}
