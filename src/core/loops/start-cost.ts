/** Average characters per token. A smaller number would count part of the client's own text as the prompt. */
const charactersPerToken = 4;

interface Usage {
  readonly tokens: number;
  /** The part of the tokens that was uncached input; absent if the client does not report it. */
  readonly input?: number;
  /** The number of model turns in this report. */
  readonly turns?: number;
}

/**
 * The input of a client's first turn is mostly its own: its instructions, its tools and the conversation so far.
 * Only Lockstep's prompt counts against the task's budget.
 */
export class StartCost {
  readonly #promptTokens: number;
  #isKnown = false;

  constructor(prompt: string) {
    this.#promptTokens = Math.ceil(prompt.length / charactersPerToken);
  }

  /** The tokens that count against the budget. */
  counted({ tokens, input = 0, turns = 1 }: Usage): number {
    if (this.#isKnown || input === 0) return tokens;
    this.#isKnown = true;
    // If a client reports several turns together, their average is used: no turn reads less than the first.
    const first = Math.floor(input / Math.max(1, turns));
    return tokens - Math.max(0, first - this.#promptTokens);
  }
}
