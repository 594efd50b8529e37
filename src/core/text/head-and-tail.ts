interface Bounds {
  /** Both in characters. */
  readonly headMax: number;
  readonly tailMax: number;
}

/** Keeps the first and the last lines of a long output. Adding a line takes amortised constant time. */
export class HeadAndTail {
  readonly #bounds: Bounds;
  #head = 0;
  /** Lines before `#from` are dropped. */
  #tail: string[] = [];
  #from = 0;
  #tailLength = 0;
  readonly #leftOut = { lines: 0, characters: 0, lastMark: undefined as string | undefined };
  readonly #marks: (line: string) => boolean;

  /** The last dropped line for which `marks` is true is remembered in `leftOut.lastMark`. */
  constructor(bounds: Bounds, marks: (line: string) => boolean = () => false) {
    this.#bounds = bounds;
    this.#marks = marks;
  }

  /** Where the line was put. `first`: the first line that no longer fits into the head. */
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

  /** Everything after the head: counts of the dropped lines, and the tail. */
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
