import type { Random } from "./random.ts";

/** Without the x, which is a placeholder. */
const letters = "ABCDEFGHJKLMNPQRSTUVWYZabcdefghijkmnopqrstuvwyz23456789";

/** Texts that look like live secrets. They are generated here, so that no file contains one. */
export class Secrets {
  /** The parts that must not be stored anywhere. */
  readonly hidden: string[] = [];
  readonly #random: Random;
  /** One in this many texts contains a secret. */
  readonly #share: number;

  constructor(random: Random, share: number) {
    this.#random = random;
    this.#share = share;
  }

  /** The text, sometimes with a secret in it. */
  in(text: string): string {
    if (!this.#random.chance(this.#share)) return text;
    const [before, secret, after] = this.#make();
    this.hidden.push(secret);
    return this.#random.chance(0.5)
      ? `${text} ${before}${secret}${after}`
      : `${before}${secret}${after} ${text}`;
  }

  #make(): readonly [before: string, secret: string, after: string] {
    const random = this.#random;
    const token = (length: number) => random.letters(length, letters);
    return random.weighted<readonly [string, string, string]>([
      [3, ["", ["gh", "p_"].join("") + token(36), ""]],
      [2, ["", ["AK", "IA"].join("") + random.letters(16, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"), ""]],
      [2, ["", ["sk-", "ant-", "api03-"].join("") + token(40), ""]],
      [2, [["pass", "word="].join(""), `${token(8)}7w`, ""]],
      [1, [["postgres:/", "/app:"].join(""), `${token(9)}3`, "@db.test:5432/app"]],
    ]);
  }
}
