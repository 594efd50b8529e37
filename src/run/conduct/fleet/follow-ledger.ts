import type { Ledger, LedgerEvent } from "../../../ledger/ledger.ts";

const pageMax = 1000;

/** Returns the events of all processes since its last call. */
export class LedgerFollower {
  readonly #ledger: Ledger;
  #seq: number;

  private constructor(ledger: Ledger, seq: number) {
    this.#ledger = ledger;
    this.#seq = seq;
  }

  /** Follows the events from now on. */
  static async open(ledger: Ledger): Promise<LedgerFollower> {
    const [newest] = await ledger.events({ newestFirst: true, limit: 1 });
    return new LedgerFollower(ledger, newest?.seq ?? 0);
  }

  async news(): Promise<readonly LedgerEvent[]> {
    const found: LedgerEvent[] = [];
    for (;;) {
      const page = await this.#ledger.events({ after: this.#seq, limit: pageMax });
      this.#seq = page.at(-1)?.seq ?? this.#seq;
      found.push(...page);
      if (page.length < pageMax) return found;
    }
  }
}
