/** When tasks were merged. */
export class Progress {
  #merged = 0;
  readonly #startMs = performance.now();
  #longest = { fromMs: this.#startMs, ms: 0 };
  /** The last merge; at first, the start. */
  lastMs = this.#startMs;

  /** Returns whether there are more than before. */
  see(merged: number): boolean {
    if (merged <= this.#merged) return false;
    const nowMs = performance.now();
    if (nowMs - this.lastMs > this.#longest.ms)
      this.#longest = { fromMs: this.lastMs, ms: nowMs - this.lastMs };
    this.lastMs = nowMs;
    this.#merged = merged;
    return true;
  }

  get longest(): string {
    const { fromMs, ms } = this.#longest;
    return `${Math.round(ms / 1000)} s, from ${Math.round((fromMs - this.#startMs) / 1000)} s on`;
  }
}
