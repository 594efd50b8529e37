/** Why an agent is started. `converse` and `openPlace` treat all agents alike but for what this says. */
export interface Purpose {
  /** Its task's own checkout, which stays, or a copy that is deleted afterwards. */
  readonly place: "own" | "copy";
  /** How often it is started at most, whatever goes wrong. */
  readonly startsMax: number;
  /** How often a client is asked for an answer that can be used. A program is started again instead. */
  readonly asksMax: number;
  /** `wanted`: without one the tree still counts. `ignored`: only the tree counts. */
  readonly answer: "needed" | "wanted" | "ignored";
}

/** The limits differ on purpose. */
export const purposes = {
  /**
   * S4: started twice more where it fails. A client is asked only once more: the tree counts without its report, and
   * a third question costs more than the report is worth.
   */
  work: { place: "own", startsMax: 3, asksMax: 2, answer: "wanted" },
  /** The hook asks once, in turns of its own number, and then looks at the tree again. */
  fix: { place: "own", startsMax: 1, asksMax: 1, answer: "ignored" },
  /** Nothing but the answer counts, so it is asked for as often as S4 allows. */
  judge: { place: "copy", startsMax: 3, asksMax: 3, answer: "needed" },
  /** As for `judge`: files count only together with an answer that says so. */
  "write-files": { place: "copy", startsMax: 3, asksMax: 3, answer: "needed" },
} as const satisfies Readonly<Record<string, Purpose>>;
