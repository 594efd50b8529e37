/** Identifies a process. A pid alone is not enough: the system reuses pids, and restarts them at boot. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Start time in a platform-specific form; only for comparison. */
  readonly startedAt: string;
  readonly boot: string;
}
