// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON forbids them in strings
const text = /"[^"\\\u0000-\u001f]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\u0000-\u001f]*)*"/y;
const plain = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
const space = /[ \t\n\r]*/y;

export type Scan =
  | { readonly end: number; readonly depth: number }
  /** The starts of objects that cannot end, because the text in the innermost one is not JSON. */
  | { readonly unended: readonly number[] };

/** Finds the end and the depth of the JSON object that begins at `start`. */
export function scanObject(source: string, start: number): Scan {
  const scanner = new Scanner(source, start);
  do {
    if (!scanner.step()) return { unended: scanner.open };
  } while (scanner.open.length > 0);
  return { end: scanner.at, depth: scanner.depth };
}

class Scanner {
  at: number;
  depth = 0;
  /** The starts of the objects and lists that have not ended. */
  readonly open: number[] = [];
  readonly #source: string;
  /** `first`: directly after an opening bracket, where the closing one may follow. */
  #next: "value" | "first" | "after" = "value";

  constructor(source: string, start: number) {
    this.#source = source;
    this.at = start;
  }

  step(): boolean {
    this.#skip(space);
    switch (this.#next) {
      case "first":
        return this.#close() || this.#member();
      case "after":
        return this.#close() || (this.#take(",") && this.#skip(space) && this.#member());
      default:
        return this.#value();
    }
  }

  #member(): boolean {
    if (this.#around() === "{" && !(this.#skip(text) && this.#skip(space) && this.#take(":"))) return false;
    this.#next = "value";
    return true;
  }

  #value(): boolean {
    const begin = this.at;
    if (this.#take("{") || this.#take("[")) {
      this.open.push(begin);
      this.depth = Math.max(this.depth, this.open.length);
      this.#next = "first";
      return true;
    }
    this.#next = "after";
    return this.#skip(text) || this.#skip(plain);
  }

  #close(): boolean {
    if (!this.#take(this.#around() === "{" ? "}" : "]")) return false;
    this.open.pop();
    this.#next = "after";
    return true;
  }

  #around(): string | undefined {
    return this.#source[this.open.at(-1) ?? -1];
  }

  #take(character: string): boolean {
    if (this.#source[this.at] !== character) return false;
    this.at += 1;
    return true;
  }

  #skip(pattern: RegExp): boolean {
    pattern.lastIndex = this.at;
    const found = pattern.test(this.#source);
    if (found) this.at = pattern.lastIndex;
    return found;
  }
}
