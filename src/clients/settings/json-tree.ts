import { UnreadableSettings } from "./settings-edit.ts";

/** A JSON document with comments, and where each part of it stands in the text. */
export interface JsonNode {
  readonly kind: "object" | "array" | "text" | "other";
  readonly start: number;
  readonly end: number;
  /** Of an object: one for each member, from its key to the end of its value. */
  readonly children: readonly JsonChild[];
  /** Of a text: what it says. */
  readonly text?: string;
}

export interface JsonChild {
  /** Empty in an array. */
  readonly key: string;
  readonly start: number;
  readonly end: number;
  readonly value: JsonNode;
}

const depthMax = 200;

export function readJson(text: string): JsonNode {
  return new Reader(text).document();
}

/** The last one of that name counts, as it does for whoever reads the file. */
export function member(of: JsonNode, key: string): JsonChild | undefined {
  return of.kind === "object" ? of.children.findLast((child) => child.key === key) : undefined;
}

/** Where white space and comments from `at` on end. */
export function skipTrivia(text: string, at: number): number {
  const trivia = /(?:[\s\ufeff]|\/\/[^\n]*|\/\*[\s\S]*?\*\/)*/y;
  trivia.lastIndex = at;
  trivia.test(text);
  return trivia.lastIndex;
}

/** The comma between `from` and `to` that is in no comment. */
export function commaBetween(text: string, from: number, to: number): number | undefined {
  const at = skipTrivia(text, from);
  return at < to && text[at] === "," ? at : undefined;
}

class Reader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  document(): JsonNode {
    this.#skip();
    const root = this.#value(0);
    this.#skip();
    if (this.#at < this.#text.length) throw this.#wrong("the end of the file");
    return root;
  }

  #value(depth: number): JsonNode {
    if (depth > depthMax) throw this.#wrong("less nesting");
    const start = this.#at;
    switch (this.#text[start]) {
      case "{":
        return this.#container("object", "}", depth);
      case "[":
        return this.#container("array", "]", depth);
      case '"': {
        const text = this.#string();
        return { kind: "text", start, end: this.#at, children: [], text };
      }
      default: {
        const plain = /(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)(?![\w.])/y;
        this.#take(plain, "a value");
        return { kind: "other", start, end: this.#at, children: [] };
      }
    }
  }

  #container(kind: "object" | "array", close: string, depth: number): JsonNode {
    const start = this.#at++;
    const children: JsonChild[] = [];
    for (this.#skip(); this.#text[this.#at] !== close; this.#skip()) {
      children.push(this.#child(kind, depth));
      this.#skip();
      if (this.#text[this.#at] === ",") this.#at++;
      else if (this.#text[this.#at] !== close) throw this.#wrong(`\`,\` or \`${close}\``);
    }
    this.#at++;
    return { kind, start, end: this.#at, children };
  }

  #child(kind: "object" | "array", depth: number): JsonChild {
    const start = this.#at;
    let key = "";
    if (kind === "object") {
      key = this.#string();
      this.#skip();
      if (this.#text[this.#at] !== ":") throw this.#wrong("`:`");
      this.#at++;
      this.#skip();
    }
    const value = this.#value(depth + 1);
    return { key, start, end: value.end, value };
  }

  #string(): string {
    const start = this.#at;
    // biome-ignore lint/suspicious/noControlCharactersInRegex: a text may not hold them
    this.#take(/"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y, "a text in double quotes");
    return JSON.parse(this.#text.slice(start, this.#at)) as string;
  }

  #take(pattern: RegExp, expected: string): void {
    pattern.lastIndex = this.#at;
    if (!pattern.test(this.#text)) throw this.#wrong(expected);
    this.#at = pattern.lastIndex;
  }

  #skip(): void {
    this.#at = skipTrivia(this.#text, this.#at);
  }

  #wrong(expected: string): UnreadableSettings {
    return new UnreadableSettings("this is no JSON", { at: this.#at, expected });
  }
}
