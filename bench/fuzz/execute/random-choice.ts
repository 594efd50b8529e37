import { seededRandom } from "../../random.ts";

/** Choices that are the same for the same seed. */
export class RandomChoice {
  readonly #random: () => number;

  constructor(seed: number) {
    this.#random = seededRandom(seed);
  }

  chance(probability: number): boolean {
    return this.#random() < probability;
  }

  below(count: number): number {
    return Math.floor(this.#random() * count);
  }

  of<T>(all: readonly T[]): T {
    if (all.length === 0) throw new Error("there is nothing to choose from");
    return all[this.below(all.length)] as T;
  }

  /** A list of this length, in which each element is made separately. */
  times<T>(count: number, make: () => T): readonly T[] {
    return Array.from({ length: count }, make);
  }
}
