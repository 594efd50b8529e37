import { type Filled, fillLedger, type Recorded } from "./fill-ledger.ts";
import { type LedgerProject, ledgerProject } from "./ledger-project.ts";
import type { Row, Section } from "./section.ts";
import { nowMs } from "./statistics.ts";

/**
 * There are several small ledgers, which are used in turn: measuring adds tasks, and a single one would not remain
 * small.
 */
export interface Size {
  readonly label: string;
  readonly tasks: number;
  readonly copies: number;
}

/** The ledgers of one size, closed. */
export interface Stored extends Size {
  readonly ledgers: readonly StoredLedger[];
  /** The size of all copies together. */
  readonly fillMs: number;
  readonly firstOpenMs: number;
}

export interface StoredLedger extends Filled {
  readonly home: LedgerProject;
}

/** Runs next to the tasks of each size, so that a tick of the watchdog finds the same everywhere. */
export const running = 100;
const waitingMax = 300;

export async function storeLedgers(size: Size, recorded: Recorded, stack: DisposableStack): Promise<Stored> {
  const waiting = Math.min(waitingMax, Math.floor(size.tasks / 3));
  const contents = { finished: size.tasks - waiting, waiting, running };
  const ledgers: StoredLedger[] = [];
  const start = nowMs();
  for (let copy = 0; copy < size.copies; copy += 1) {
    const home = stack.use(ledgerProject());
    const ledger = await home.open();
    ledgers.push({ home, ...(await fillLedger(ledger, recorded, contents)) });
    ledger.close();
  }
  const filled = nowMs();
  for (const { home } of ledgers) (await home.open()).close();
  return { ...size, ledgers, fillMs: filled - start, firstOpenMs: nowMs() - filled };
}

export function fillingSection(stored: readonly Stored[]): Section {
  const columns = [
    { key: "filling", unit: "time" },
    { key: "per task", unit: "time" },
    { key: "file", unit: "bytes" },
    { key: "hourly check", unit: "time" },
  ] as const;
  const rows = stored.map(({ label, tasks, copies, ledgers, fillMs, firstOpenMs }): Row => {
    const filling = fillMs / copies;
    const file = ledgers[0]?.home.bytes();
    const values = {
      filling,
      "per task": filling / (tasks + running),
      file,
      "hourly check": firstOpenMs / copies,
    };
    return { name: `${label} tasks`, values };
  });
  return { title: "Filling a ledger, and the opening that checks all of it", columns, rows };
}
