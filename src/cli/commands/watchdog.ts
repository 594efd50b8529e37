import { setTimeout as sleep } from "node:timers/promises";
import { PeriodicWatchdog } from "../../engine/attempts/periodic-watchdog.ts";
import { isStoreFault } from "../../ledger/store-fault.ts";
import { ask } from "../open/ask.ts";
import { openEngine } from "../open/open-engine.ts";
import { wholeNumber } from "../open/read-input.ts";
import { CommandFault } from "../output/command-fault.ts";
import { writeAll } from "../output/descriptor.ts";
import { faultVerdict, printVerdict } from "../output/verdicts.ts";

const secondsMax = 86_400;

interface WatchdogOptions {
  readonly now?: string;
  readonly every?: string;
}

/** Checks once; with `--every`, repeats until stopped and prints a line of JSON whenever something was found. */
export async function watchdogCommand({ now, every }: WatchdogOptions): Promise<0 | 2> {
  if (every === undefined) return printVerdict(() => ask("watchdog", {}, now === undefined ? {} : { now }));
  const seconds = wholeNumber("--every", every);
  if (seconds === 0 || seconds > secondsMax || now !== undefined)
    throw new CommandFault(
      "R-IN-001",
      `\`--every\` takes 1 to ${secondsMax} seconds, and cannot be combined with \`--now\``,
    );
  return watch(seconds * 1000);
}

async function watch(periodMs: number): Promise<0> {
  const stop = new AbortController();
  let stopping = false;
  const onSignal = () => {
    if (stopping) process.exit(1);
    stopping = true;
    stop.abort();
  };
  process.on("SIGTERM", onSignal).on("SIGINT", onSignal);
  using opened = await openEngine({ create: true });
  const watchdog = new PeriodicWatchdog(opened.engine, periodMs);
  writeAll(2, `lockstep: watching every ${periodMs / 1000} s; Ctrl-C ends it\n`);
  while (!stopping) {
    await tick(watchdog);
    // Rejects only when the watchdog is stopped, which ends the loop.
    await sleep(periodMs, undefined, { signal: stop.signal }).catch(() => {});
  }
  return 0;
}

/** A full disk or a busy ledger is temporary; any other error ends the watchdog. */
async function tick(watchdog: PeriodicWatchdog): Promise<void> {
  try {
    const { verdict, slept } = await watchdog.tick();
    if (slept) writeAll(2, "lockstep: the machine slept; every task gets a full new lease\n");
    const applied = verdict.details?.applied;
    if (Array.isArray(applied) && applied.length > 0) writeAll(1, `${JSON.stringify(verdict)}\n`);
  } catch (error) {
    if (!isStoreFault(error) || !error.retryable) throw error;
    writeAll(2, `lockstep: ${faultVerdict(error).reason}\n`);
  }
}
