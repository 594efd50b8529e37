/** Why an agent is started. Only these settings differ between purposes. */
export interface Purpose {
  /** The task's own checkout, which stays, or a copy that is deleted afterwards. */
  readonly place: "own" | "copy";
  /** The maximum number of starts, for any reason. */
  readonly startsMax: number;
  /** How many times a client is asked for a usable answer. A program is started again instead. */
  readonly asksMax: number;
  /** `wanted`: without an answer the changed files still count. `ignored`: only the changed files count. */
  readonly answer: "needed" | "wanted" | "ignored";
}

/** The limits differ on purpose. */
export const purposes = {
  /**
   * Two restarts after a failure (S4). A client is asked only once more for its report: its changes count without it, and
   * a third question costs more than the report is worth.
   */
  work: { place: "own", startsMax: 3, asksMax: 2, answer: "wanted" },
  /** A hook asks once, with its own limit of turns, and then checks the files again. */
  fix: { place: "own", startsMax: 1, asksMax: 1, answer: "ignored" },
  /** Only the answer counts, so it is asked for as many times as S4 allows. */
  judge: { place: "copy", startsMax: 3, asksMax: 3, answer: "needed" },
  /** As for `judge`: the files count only together with a valid answer. */
  "write-files": { place: "copy", startsMax: 3, asksMax: 3, answer: "needed" },
} as const satisfies Readonly<Record<string, Purpose>>;
