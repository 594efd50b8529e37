const atFirst = 20;
const atLeast = 3;

/**
 * How many changes of a queue are proven ahead, each on the assumption that those before it pass. A pass makes the window
 * larger by one, a failure halves it, because then the runs after it were useless.
 */
export class ProofWindow {
  #size = atFirst;

  get size(): number {
    return this.#size;
  }

  passed(): void {
    this.#size += 1;
  }

  failed(): void {
    this.#size = Math.max(atLeast, Math.floor(this.#size / 2));
  }
}
