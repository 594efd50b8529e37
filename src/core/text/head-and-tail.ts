interface Bounds {
  /** In characters, each. */
  readonly headMax: number;
  readonly tailMax: number;
}

/** Of lines that are too many to keep, the beginning and the end. Each line costs the same, however many came before. */
export class HeadAndTail {
  readonly #bounds: Bounds;
  #head = 0;
  /** From `#from` on; what is before that is dropped. */
  #tail: string[] = [];
  #from = 0;
  #tailLength = 0;
  readonly #leftOut = { lines: 0, characters: 0, lastMark: undefined as string | undefined };
  readonly #marks: (line: string) => boolean;

  /** `marks`: of such lines the last one that is left out is remembered. */
  constructor(bounds: Bounds, marks: (line: string) => boolean = () => false) {
    this.#bounds = bounds;
    this.#marks = marks;
  }

  /** `first`: the line after the beginning, from which on only the end is kept. */
  add(line: string): "head" | "first" | "later" {
    const isFirst = this.#tail.length === 0 && this.#leftOut.lines === 0;
    if (isFirst && this.#head + line.length <= this.#bounds.headMax) {
      this.#head += line.length + 1;
      return "head";
    }
    this.#tail.push(line);
    this.#tailLength += line.length + 1;
    while (this.#tailLength > this.#bounds.tailMax && this.#from < this.#tail.length) this.#drop();
    return isFirst ? "first" : "later";
  }

  /** What comes after the beginning: what was left out, and the end. */
  rest() {
    return { leftOut: { ...this.#leftOut }, tail: this.#tail.slice(this.#from) };
  }

  #drop(): void {
    const line = this.#tail[this.#from] ?? "";
    this.#from += 1;
    this.#tailLength -= line.length + 1;
    this.#leftOut.lines += 1;
    this.#leftOut.characters += line.length + 1;
    if (this.#marks(line)) this.#leftOut.lastMark = line;
    if (this.#from * 2 < this.#tail.length) return;
    this.#tail = this.#tail.slice(this.#from);
    this.#from = 0;
  }
}
