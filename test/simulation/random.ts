/** Random numbers that are the same for the same seed, on every machine (splitmix32). */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = Math.imul(seed, 0x9e3779b1) | 0;
  }

  /** At least 0, below 1. */
  float(): number {
    this.#state = (this.#state + 0x9e3779b9) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32;
  }

  /** A whole number between `from` and `to`, inclusive. */
  whole(from: number, to: number): number {
    return from + Math.floor(this.float() * (to - from + 1));
  }

  chance(share: number): boolean {
    return this.float() < share;
  }

  pick<Item>(items: readonly Item[]): Item {
    if (items.length === 0) throw new Error("there is nothing to pick from");
    return items[this.whole(0, items.length - 1)] as Item;
  }

  /** By weight; an entry of weight zero is never chosen. */
  weighted<Item>(choices: readonly (readonly [weight: number, item: Item])[]): Item {
    const sum = choices.reduce((total, [weight]) => total + weight, 0);
    let left = this.float() * sum;
    for (const [weight, item] of choices) {
      left -= weight;
      if (left < 0) return item;
    }
    throw new Error("nothing has any weight");
  }

  letters(length: number, alphabet: string): string {
    return Array.from({ length }, () => this.pick([...alphabet])).join("");
  }
}
