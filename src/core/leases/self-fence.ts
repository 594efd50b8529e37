/** Time to end an agent's processes before its lease ends. */
const marginMsMax = 10_000;

/**
 * Says when an agent must stop because its lease could not be renewed. It counts from before the renewal was sent, on
 * this machine's own clock, so it is over before the lease ends on the ledger's clock.
 */
export class SelfFence {
  #sentMs: number;
  #leaseMs: number;

  constructor(sentMs: number, leaseMs: number) {
    this.#sentMs = sentMs;
    this.#leaseMs = leaseMs;
  }

  renewed(sentMs: number): void {
    this.#sentMs = Math.max(this.#sentMs, sentMs);
  }

  /** For a renewal that failed now. */
  mustStop(nowMs: number): boolean {
    const marginMs = Math.min(marginMsMax, this.#leaseMs / 4);
    return nowMs - this.#sentMs >= this.#leaseMs - marginMs;
  }
}
