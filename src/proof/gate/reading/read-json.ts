import { type Fault, lineAt } from "./fault.ts";

const depthMax = 1000;

export type JsonResult = { readonly document: unknown } | { readonly fault: Fault };

/** JSON; with `comments` also what JSONC allows beyond it: comments and trailing commas. */
export function readJson(text: string, { comments = false } = {}): JsonResult {
  const scan = new Scan(text, comments);
  const fault = scan.faultOf();
  if (fault !== undefined) return { fault: { line: lineAt(text, fault.at), message: fault.why } };
  return { document: JSON.parse(scan.plain()) };
}

interface Stop {
  readonly at: number;
  readonly why: string;
}

const word = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
const plainText = /[^"\\\p{Cc}]*/uy;
const escaped = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

/** One pass over the text: `JSON.parse` does not always say where it stopped, and knows no comments. */
class Scan {
  readonly #text: string;
  readonly #comments: boolean;
  readonly #dropped: { readonly from: number; readonly to: number }[] = [];
  #at = 0;

  constructor(text: string, comments: boolean) {
    this.#text = text;
    this.#comments = comments;
    if (text.startsWith("\uFEFF")) this.#drop(0, 1);
  }

  faultOf(): Stop | undefined {
    const open: string[] = [];
    let wanted: "value" | "first" | "key" | "more" = "value";
    for (;;) {
      const broken = this.#skip();
      if (broken !== undefined) return broken;
      const start = this.#at;
      const next = this.#text[start];
      const closing = open.at(-1) === "{" ? "}" : "]";
      if (wanted === "more") {
        if (open.length === 0)
          return next === undefined ? undefined : this.#stop("more text after the value");
        if (next === closing) {
          open.pop();
          this.#at += 1;
        } else if (next === ",") {
          this.#at += 1;
          const trailing = this.#trailingComma(start, closing);
          if (trailing !== undefined) return trailing;
          wanted = this.#text[this.#at] === closing ? "more" : open.at(-1) === "{" ? "key" : "value";
        } else return this.#stop(`expected \`,\` or \`${closing}\``);
        continue;
      }
      if (wanted === "first" && next === closing) {
        open.pop();
        this.#at += 1;
        wanted = "more";
        continue;
      }
      if (wanted === "key" || (wanted === "first" && closing === "}")) {
        const fault = this.#key();
        if (fault !== undefined) return fault;
        wanted = "value";
        continue;
      }
      if (next === "{" || next === "[") {
        open.push(next);
        if (open.length > depthMax) return this.#stop(`nested deeper than ${depthMax}`);
        this.#at += 1;
        wanted = "first";
        continue;
      }
      const fault = this.#scalar();
      if (fault !== undefined) return fault;
      wanted = "more";
    }
  }

  /** The text with nothing in it that JSON does not know, every offset unchanged. */
  plain(): string {
    let plain = "";
    let at = 0;
    for (const { from, to } of this.#dropped) {
      plain += this.#text.slice(at, from) + " ".repeat(to - from);
      at = to;
    }
    return plain + this.#text.slice(at);
  }

  #drop(from: number, to: number): void {
    this.#dropped.push({ from, to });
    this.#at = to;
  }

  #stop(why: string, at = this.#at): Stop {
    return { at, why: at >= this.#text.length ? `${why}, not the end of the file` : why };
  }

  /** White space and comments. */
  #skip(): Stop | undefined {
    for (;;) {
      const next = this.#text[this.#at];
      if (next === " " || next === "\t" || next === "\n" || next === "\r") this.#at += 1;
      else if (next === "/" && this.#comments) {
        const line = this.#text[this.#at + 1] === "/";
        if (!line && this.#text[this.#at + 1] !== "*") return this.#stop("a `/` that begins no comment");
        const end = this.#text.indexOf(line ? "\n" : "*/", this.#at + 2);
        if (end < 0 && !line) return this.#stop("a comment without end");
        this.#drop(this.#at, end < 0 ? this.#text.length : end + (line ? 0 : 2));
      } else return undefined;
    }
  }

  #trailingComma(start: number, closing: string): Stop | undefined {
    const mark = this.#dropped.length;
    const broken = this.#skip();
    if (broken !== undefined || this.#text[this.#at] !== closing) return broken;
    if (!this.#comments) return this.#stop(`a comma before \`${closing}\``, start);
    this.#dropped.splice(mark, 0, { from: start, to: start + 1 });
    return undefined;
  }

  #key(): Stop | undefined {
    if (this.#text[this.#at] !== '"') return this.#stop("expected a key in double quotes");
    const fault = this.#string() ?? this.#skip();
    if (fault !== undefined) return fault;
    if (this.#text[this.#at] !== ":") return this.#stop("expected `:`");
    this.#at += 1;
    return undefined;
  }

  #scalar(): Stop | undefined {
    if (this.#text[this.#at] === '"') return this.#string();
    return this.#take(word) ? undefined : this.#stop("expected a value");
  }

  #string(): Stop | undefined {
    const start = this.#at;
    this.#at += 1;
    for (;;) {
      this.#take(plainText);
      const next = this.#text[this.#at];
      if (next === '"') {
        this.#at += 1;
        return undefined;
      }
      // DEL and the C1 range are control characters to Unicode and plain text to JSON.
      if (next !== undefined && next >= "\u007f") this.#at += 1;
      else if (next !== "\\") return this.#stop("a string without end", start);
      else if (!this.#take(escaped)) return this.#stop("an escape that JSON does not know");
    }
  }

  #take(pattern: RegExp): boolean {
    pattern.lastIndex = this.#at;
    const [taken = ""] = pattern.exec(this.#text) ?? [];
    this.#at += taken.length;
    return taken !== "";
  }
}
