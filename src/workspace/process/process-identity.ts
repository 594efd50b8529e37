import { readFileSync } from "node:fs";
import type { Liveness, ProcessIdentity } from "../../core/leases/process-identity.ts";
import { bootId } from "./machine-clock.ts";

/** `hidden`: a process has this pid, but its start time cannot be read. */
type Seen = "gone" | "hidden" | { readonly startedAt: string; readonly ended: boolean };

/** Undefined if there is no such process, or if it cannot be inspected. */
export function identityOf(pid: number, machine?: string): ProcessIdentity | undefined {
  const seen = lookAt(pid);
  if (typeof seen === "string") return undefined;
  const own = { pid, startedAt: seen.startedAt, boot: bootId() };
  return machine === undefined ? own : { ...own, machine };
}

/**
 * Whether a process is alive, as far as this machine can tell. A process of another boot of this machine counts as one
 * of another machine: two machines that were cloned have the same id, but never the same boot.
 */
export function livenessOn(machine: string | undefined): (process: ProcessIdentity) => Liveness {
  return (process) => {
    const isElsewhere =
      process.machine !== undefined && (process.machine !== machine || process.boot !== bootId());
    if (isElsewhere) return "elsewhere";
    return isAlive(process) ? "yes" : "no";
  };
}

/** In doubt the process counts as alive, so its lock is not given away; its lease still expires. */
export function isAlive({ pid, startedAt, boot }: ProcessIdentity): boolean {
  if (boot !== bootId()) return false;
  const seen = lookAt(pid);
  if (typeof seen === "string") return seen === "hidden";
  return !seen.ended && seen.startedAt === startedAt;
}

function lookAt(pid: number): Seen {
  if (!Number.isSafeInteger(pid) || pid <= 0) return "gone"; // `kill` takes 0 and below as process groups
  return process.platform === "darwin" ? lookWithPs(pid) : lookInProc(pid);
}

function lookInProc(pid: number): Seen {
  try {
    return readStat(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== "ENOENT" && code !== "ESRCH") return "hidden";
    // A /proc mounted with hidepid shows nothing of other users' processes.
    return takesSignals(pid) ? "hidden" : "gone";
  }
}

/** The second field is the name in parentheses and can contain any character; later fields have no parenthesis. */
export function readStat(stat: string): Seen {
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const [state, startedAt] = [fields[0], fields[22 - 3]];
  if (state === undefined || startedAt === undefined) return "hidden";
  return { startedAt, ended: /^[ZXx]$/.test(state) };
}

/** `ps` shows the start in whole seconds, so a pid that is reused within one second is not detected. */
export function lookWithPs(pid: number): Seen {
  try {
    const { execFileSync } = process.getBuiltinModule("node:child_process");
    const text = execFileSync("ps", ["-o", "state=", "-o", "lstart=", "-p", String(pid)], {
      encoding: "utf8",
      env: { PATH: "/bin:/usr/bin", LC_ALL: "C", TZ: "UTC" }, // the format of the time depends on these
      stdio: ["ignore", "pipe", "ignore"],
    });
    const [, state, startedAt] = /^\s*(\S+)\s+(.*\S)\s*$/.exec(text) ?? [];
    if (state === undefined || startedAt === undefined) return "hidden";
    return { startedAt, ended: state.startsWith("Z") };
  } catch (error) {
    return (error as { status?: unknown }).status === 1 ? "gone" : "hidden";
  }
}

function takesSignals(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
