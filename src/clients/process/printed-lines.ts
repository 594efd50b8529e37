/** Progress bars rewrite their line after a carriage return, which counts as a sign of life. */
const lineEnds = /\r?\n|\r/;

/** Splits a program's output into lines. Bytes that are not UTF-8 become replacement characters. */
export class PrintedLines {
  readonly #onLine: (line: string) => void;
  readonly #lengthMax: number;
  readonly #decoder = new TextDecoder();
  #rest = "";

  /** `lengthMax` is in characters. Longer lines are split, so that an endless line is still a sign of life. */
  constructor(onLine: (line: string) => void, lengthMax = 64 * 1024) {
    this.#onLine = onLine;
    this.#lengthMax = lengthMax;
  }

  add(chunk: Buffer): void {
    // Only the new chunk is searched for line ends, because a program may print one character at a time.
    const [first = "", ...others] = this.#decoder.decode(chunk, { stream: true }).split(lineEnds);
    this.#rest += first;
    for (const line of others) {
      this.#finish();
      this.#rest = line;
    }
    if (this.#rest.length > this.#lengthMax) this.#finish();
  }

  end(): void {
    this.#rest += this.#decoder.decode();
    if (this.#rest !== "") this.#finish();
  }

  #finish(): void {
    const line = this.#rest;
    this.#rest = "";
    this.#onLine(line);
  }
}
