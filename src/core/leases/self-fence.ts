import { goneSeconds } from "./lease.ts";

/** Time to end an agent's processes before its lease ends. */
const marginMsMax = 10_000;

/**
 * Says when an agent must stop because its lease could not be renewed, or because the other machines will soon think that
 * this one is gone. It counts from before the question was sent, on this machine's own clock, so it is over before the
 * lease ends on the ledger's clock.
 */
export class SelfFence {
  #renewedMs: number;
  #heardMs: number;
  readonly #leaseMs: number;

  constructor(sentMs: number, leaseMs: number) {
    this.#renewedMs = sentMs;
    this.#heardMs = sentMs;
    this.#leaseMs = leaseMs;
  }

  renewed(sentMs: number): void {
    this.#renewedMs = Math.max(this.#renewedMs, sentMs);
    this.heard(sentMs);
  }

  /** The ledger has answered, so it has heard from this machine. */
  heard(sentMs: number): void {
    this.#heardMs = Math.max(this.#heardMs, sentMs);
  }

  /** For a question that got no answer until now. */
  mustStop(nowMs: number): boolean {
    return (
      isOver(nowMs - this.#renewedMs, this.#leaseMs) || isOver(nowMs - this.#heardMs, goneSeconds * 1000)
    );
  }
}

function isOver(agoMs: number, leaseMs: number): boolean {
  return agoMs >= leaseMs - Math.min(marginMsMax, leaseMs / 4);
}
