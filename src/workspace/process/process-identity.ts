import { readFileSync } from "node:fs";
import type { ProcessIdentity } from "../../core/leases/process-identity.ts";
import { bootId } from "./machine-clock.ts";

/** `hidden`: something has this pid, but its start cannot be seen. */
type Seen = "gone" | "hidden" | { readonly startedAt: string; readonly ended: boolean };

/** Undefined where there is no such process, or where it cannot be looked at. */
export function identityOf(pid: number): ProcessIdentity | undefined {
  const seen = lookAt(pid);
  return typeof seen === "string" ? undefined : { pid, startedAt: seen.startedAt, boot: bootId() };
}

/** In doubt a process is alive: what it holds must not be given away, and its lease still ends it. */
export function isAlive({ pid, startedAt, boot }: ProcessIdentity): boolean {
  if (boot !== bootId()) return false;
  const seen = lookAt(pid);
  if (typeof seen === "string") return seen === "hidden";
  return !seen.ended && seen.startedAt === startedAt;
}

function lookAt(pid: number): Seen {
  if (!Number.isSafeInteger(pid) || pid <= 0) return "gone"; // to a signal, 0 and below mean whole groups
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

/** The second field is the name in parentheses, in which anything can stand; no later field has one. */
export function readStat(stat: string): Seen {
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const [state, startedAt] = [fields[0], fields[22 - 3]];
  if (state === undefined || startedAt === undefined) return "hidden";
  return { startedAt, ended: /^[ZXx]$/.test(state) };
}

/** `ps` has seconds only; with a pid used again within one second it would be deceived. */
export function lookWithPs(pid: number): Seen {
  try {
    const { execFileSync } = process.getBuiltinModule("node:child_process");
    const text = execFileSync("ps", ["-o", "state=", "-o", "lstart=", "-p", String(pid)], {
      encoding: "utf8",
      env: { PATH: "/bin:/usr/bin", LC_ALL: "C", TZ: "UTC" }, // the time is written as the environment likes it
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
