/** A sign that an agent goes round in circles or has used up what it may use. */
export interface Signal {
  readonly level: "warn" | "halt";
  readonly signal: "same_call" | "same_output" | "edits" | "fetches" | "refused_write";
  readonly count: number;
  /** Where it halts; null where it only ever warns. */
  readonly limit: number | null;
  /** What it is about: two signals with the same one are about the same thing. */
  readonly fingerprint: string;
  /** One line for people. */
  readonly reason: string;
}
