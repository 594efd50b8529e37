import { readFileSync } from "node:fs";
import type { Clock } from "../../core/leases/clock.ts";

/** The clock that all processes of one boot share. On Linux `hrtime` is CLOCK_MONOTONIC. */
export function machineClock(): Clock {
  const boot = bootId();
  return { now: () => ({ wallMs: Date.now(), monoMs: Number(process.hrtime.bigint() / 1_000_000n), boot }) };
}

/**
 * A time that only grows and counts while the machine is suspended (CLOCK_BOOTTIME), in milliseconds. Elsewhere than on
 * Linux the monotonic clock has to do.
 */
export function bootTimeMs(): number {
  if (process.platform !== "linux") return performance.now();
  return Number(readFileSync("/proc/uptime", "latin1").split(" ")[0]) * 1000;
}

let known: string | undefined;

/** There is no fallback: without the boot id it is unknown whether a lease belongs to this boot. */
export function bootId(): string {
  known ??= readBootId();
  return known;
}

function readBootId(): string {
  const from =
    process.platform === "darwin" ? "sysctl kern.bootsessionuuid" : "/proc/sys/kernel/random/boot_id";
  try {
    const id = (process.platform === "darwin" ? askSysctl() : readFileSync(from, "utf8")).trim();
    if (id === "") throw new Error("it is empty");
    return id;
  } catch (cause) {
    const { message } = cause as Error;
    throw new Error(`the boot id cannot be read from \`${from}\`: ${message}; check that it exists`, {
      cause,
    });
  }
}

/** `child_process` is loaded only here: a hook starts for every call, and on Linux it does not need it. */
function askSysctl(): string {
  const { execFileSync } = process.getBuiltinModule("node:child_process");
  return execFileSync("/usr/sbin/sysctl", ["-n", "kern.bootsessionuuid"], { encoding: "utf8" });
}
