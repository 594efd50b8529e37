/** A process that a pid alone does not name: pids are used again, and after a reboot from the start. */
export interface ProcessIdentity {
  readonly pid: number;
  /** In the words of the machine; only good for comparing. */
  readonly startedAt: string;
  readonly boot: string;
}
