/** A node of a JSON document with its position in the text. */
export interface JsonNode {
  readonly kind: "object" | "array" | "text" | "other";
  readonly start: number;
  readonly end: number;
  /** An object has one child per member, which spans from the key to the end of the value. */
  readonly children: readonly JsonChild[];
  /** Only where `kind` is `text`. */
  readonly text?: string;
  /** Only where `kind` is `other`: a number, a boolean or null. */
  readonly value?: unknown;
}

export interface JsonChild {
  /** Empty in an array. */
  readonly key: string;
  readonly start: number;
  readonly end: number;
  readonly value: JsonNode;
}

/** A syntax error and its position. */
export class JsonFault extends Error {
  readonly at: number;
  readonly expected: string;

  constructor(at: number, expected: string, problem = `expected ${expected}`) {
    super(problem);
    this.at = at;
    this.expected = expected;
  }
}

const depthMax = 1000;
const word = /(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)/y;
// biome-ignore lint/suspicious/noControlCharactersInRegex: a JSON string must not contain them
const plainText = /[^"\\\u0000-\u001f]+/y;
const escaped = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
const blanks = /[ \t\r\n]*/y;
const blanksAndComments = /(?:[ \t\r\n]+|\/\/[^\n]*|\/\*[\s\S]*?\*\/)*/y;

/** Parses JSON, or with `comments` JSONC (comments and trailing commas). Throws a `JsonFault`. */
export function readJsonTree(text: string, { comments }: { readonly comments: boolean }): JsonNode {
  return new Reader(text, comments).document();
}

/** The value as `JSON.parse` would return it. */
export function jsonValue({ kind, children, text, value }: JsonNode): unknown {
  if (kind === "array") return children.map((child) => jsonValue(child.value));
  if (kind === "object")
    return Object.fromEntries(children.map((child) => [child.key, jsonValue(child.value)]));
  return kind === "text" ? text : value;
}

/** If a key is repeated, the last one counts, as in `JSON.parse`. */
export function member(of: JsonNode, key: string): JsonChild | undefined {
  return of.kind === "object" ? of.children.findLast((child) => child.key === key) : undefined;
}

/** The position after white space and comments. */
export function skipTrivia(text: string, at: number): number {
  return endOf(blanksAndComments, text, at);
}

/** The position of the comma between `from` and `to`, outside comments. */
export function commaBetween(text: string, from: number, to: number): number | undefined {
  const at = skipTrivia(text, from);
  return at < to && text[at] === "," ? at : undefined;
}

/** Skips a byte order mark at the start of the text. */
function endOf(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at === 0 && text.startsWith("\ufeff") ? 1 : at;
  return pattern.test(text) ? pattern.lastIndex : at;
}

class Reader {
  readonly #text: string;
  readonly #comments: boolean;
  #at = 0;

  constructor(text: string, comments: boolean) {
    this.#text = text;
    this.#comments = comments;
  }

  document(): JsonNode {
    this.#skip();
    const root = this.#value(0);
    this.#skip();
    if (this.#at < this.#text.length) throw this.#wrong("the end of the file", "more text after the value");
    return root;
  }

  #value(depth: number): JsonNode {
    const start = this.#at;
    const first = this.#text[start];
    if (first === "{" || first === "[") return this.#container(first, depth + 1);
    if (first === '"') {
      const text = this.#string();
      return { kind: "text", start, end: this.#at, children: [], text };
    }
    if (!this.#take(word)) throw this.#wrong("a value");
    const value: unknown = JSON.parse(this.#text.slice(start, this.#at));
    return { kind: "other", start, end: this.#at, children: [], value };
  }

  #container(open: "{" | "[", depth: number): JsonNode {
    if (depth > depthMax) throw this.#wrong("less nesting", `nested deeper than ${depthMax}`);
    const [kind, close] = open === "{" ? (["object", "}"] as const) : (["array", "]"] as const);
    const start = this.#at++;
    const children: JsonChild[] = [];
    for (this.#skip(); this.#text[this.#at] !== close; this.#skip()) {
      children.push(this.#child(kind, depth));
      this.#skip();
      if (this.#text[this.#at] === ",") this.#comma(close);
      else if (this.#text[this.#at] !== close) throw this.#wrong(`\`,\` or \`${close}\``);
    }
    this.#at++;
    return { kind, start, end: this.#at, children };
  }

  #comma(close: string): void {
    const comma = this.#at++;
    this.#skip();
    if (this.#comments || this.#text[this.#at] !== close) return;
    throw new JsonFault(comma, `no comma before \`${close}\``, `a comma before \`${close}\``);
  }

  #child(kind: "object" | "array", depth: number): JsonChild {
    const start = this.#at;
    let key = "";
    if (kind === "object") {
      if (this.#text[start] !== '"') throw this.#wrong("a key in double quotes");
      key = this.#string();
      this.#skip();
      if (this.#text[this.#at] !== ":") throw this.#wrong("`:`");
      this.#at++;
      this.#skip();
    }
    const value = this.#value(depth);
    return { key, start, end: value.end, value };
  }

  #string(): string {
    const start = this.#at;
    this.#at += 1;
    for (;;) {
      this.#take(plainText);
      const next = this.#text[this.#at];
      if (next === '"') {
        this.#at += 1;
        return JSON.parse(this.#text.slice(start, this.#at)) as string;
      }
      if (next !== "\\") throw new JsonFault(start, "a closing quote", "a string without end");
      if (!this.#take(escaped)) throw this.#wrong("a known escape", "an escape that JSON does not know");
    }
  }

  #take(pattern: RegExp): boolean {
    pattern.lastIndex = this.#at;
    if (!pattern.test(this.#text)) return false;
    this.#at = pattern.lastIndex;
    return true;
  }

  #skip(): void {
    this.#at = endOf(this.#comments ? blanksAndComments : blanks, this.#text, this.#at);
    if (!this.#comments || this.#text[this.#at] !== "/") return;
    const isComment = this.#text[this.#at + 1] === "*";
    throw this.#wrong(
      "a comment or a value",
      isComment ? "a comment without end" : "a `/` that begins no comment",
    );
  }

  #wrong(expected: string, problem?: string): JsonFault {
    const why = problem ?? `expected ${expected}`;
    const isEnd = this.#at >= this.#text.length;
    return new JsonFault(this.#at, expected, isEnd ? `${why}, not the end of the file` : why);
  }
}
