/** As many characters as a token has on average: less than that would let a client's own text count as ours. */
const charactersPerToken = 4;

interface Told {
  readonly tokens: number;
  /** Of the tokens, those that were read uncached; absent where nobody told. */
  readonly input?: number;
  /** How many answers of the model this is about. */
  readonly turns?: number;
}

/**
 * What a client reads before it does anything is mostly its own: its instructions, its tools, the conversation so far.
 * Of the input of its first turn only our prompt counts against a task's budget.
 */
export class StartCost {
  readonly #promptTokens: number;
  #isKnown = false;

  constructor(prompt: string) {
    this.#promptTokens = Math.ceil(prompt.length / charactersPerToken);
  }

  /** Those of the tokens that count. */
  counted({ tokens, input = 0, turns = 1 }: Told): number {
    if (this.#isKnown || input === 0) return tokens;
    this.#isKnown = true;
    // Where a client tells only of several turns together: none reads less than the first.
    const first = Math.floor(input / Math.max(1, turns));
    return tokens - Math.max(0, first - this.#promptTokens);
  }
}
