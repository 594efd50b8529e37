/** Identifies a process. A pid alone is not enough: the system reuses pids, and restarts them at boot. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Start time in a platform-specific form; only for comparison. */
  readonly startedAt: string;
  readonly boot: string;
  /** The machine, if the ledger is shared by several. */
  readonly machine?: string;
}

export function isSameProcess(one: ProcessIdentity | undefined, other: ProcessIdentity): boolean {
  return (
    one?.pid === other.pid &&
    one.startedAt === other.startedAt &&
    one.boot === other.boot &&
    one.machine === other.machine
  );
}

/** `elsewhere`: on another machine, so only its lease tells whether it works. */
export type Liveness = "yes" | "no" | "elsewhere";
