/** A sign that an agent is in a loop or has used up a limit. */
export interface Signal {
  readonly level: "warn" | "halt";
  readonly signal: "same_call" | "same_output" | "edits" | "fetches" | "refused_write";
  readonly count: number;
  /** The count at which it halts; null if it only warns. */
  readonly limit: number | null;
  /** Signals with equal fingerprints are about the same thing. */
  readonly fingerprint: string;
  /** One line for people. */
  readonly reason: string;
}
