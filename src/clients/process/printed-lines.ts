/** Progress bars write their line anew after a carriage return, which is a sign of life too. */
const lineEnds = /\r?\n|\r/;

/** Cuts what a program prints into lines. Bytes that are no UTF-8 come as replacement characters. */
export class PrintedLines {
  readonly #onLine: (line: string) => void;
  readonly #lengthMax: number;
  readonly #decoder = new TextDecoder();
  #rest = "";

  /** In characters; a longer line comes in pieces, so that one without an end is still a sign of life. */
  constructor(onLine: (line: string) => void, lengthMax = 64 * 1024) {
    this.#onLine = onLine;
    this.#lengthMax = lengthMax;
  }

  add(chunk: Buffer): void {
    // What is left over is not searched again: a program may print one character at a time.
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
