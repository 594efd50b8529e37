/** A word as far as it is known before the command runs: literal text between unknown pieces. */
export type Text = readonly Piece[];

export type Piece =
  | { readonly kind: "literal"; readonly text: string }
  /** An unquoted `*`, `?` or `[…]`: names that exist when the command runs. */
  | { readonly kind: "glob"; readonly text: string }
  /** Unknown, but one plain name or number: no `/`, no space, neither `.` nor `..`. */
  | { readonly kind: "name" /** The process that started the shell. */; readonly parent?: true }
  /** Unknown; may be the ids of Lockstep's or a client's processes. */
  | { readonly kind: "processes" }
  /**
   * Unknown paths below the folder written before it, as `find src/a` prints them. `links`: paths whose name matches
   * this pattern may be links.
   */
  | { readonly kind: "below"; readonly links?: string }
  /**
   * The end of a pipe: `<(…)` and `>(…)`; `content` is the text that a reader gets. `isFile`: it may also be a file.
   */
  | { readonly kind: "pipe"; readonly content: Text | undefined; readonly isFile?: true }
  /** `name`: the environment variable that the text comes from. The variable may be empty. */
  | { readonly kind: "unknown"; readonly source: UnknownSource; readonly name?: string };

/** `generator`: printed by a program whose output is meant for `eval`, such as `ssh-agent -s`. */
type UnknownSource = "environment" | "computed" | "generator";

export function literal(text: string): Text {
  return text === "" ? [] : [{ kind: "literal", text }];
}

export const unknownText: Text = [{ kind: "unknown", source: "computed" }];
export const anyName: Text = [{ kind: "name" }];

/** The whole text, if every piece of it is known. */
export function known(text: Text): string | undefined {
  let out = "";
  for (const piece of text) {
    if (piece.kind !== "literal") return undefined;
    out += piece.text;
  }
  return out;
}

/** The known parts, with `replacement` for the others. */
export function knownParts(text: Text, replacement = "\u{fffd}"): string {
  return text
    .map((piece) => (piece.kind === "literal" || piece.kind === "glob" ? piece.text : replacement))
    .join("");
}

/** Known text at the beginning, to distinguish options from operands. */
export function knownStart(text: Text): string {
  const first = text[0];
  return first?.kind === "literal" ? first.text : "";
}

const piecesMax = 1000;

export function concat(...texts: readonly Text[]): Text {
  const out: Piece[] = [];
  for (const piece of texts.flat()) {
    const last = out.at(-1);
    if (piece.kind === "literal" && last?.kind === "literal") {
      out[out.length - 1] = { kind: "literal", text: last.text + piece.text };
    } else if (piece.kind !== "unknown" || !isSameUnknown(piece, last)) out.push(piece);
  }
  // A text with that many pieces is treated as unknown, which is cheaper to compare.
  return out.length > piecesMax ? unknownText : out;
}

/** Two adjacent unknown pieces of the same source count as one. */
function isSameUnknown(piece: Extract<Piece, { kind: "unknown" }>, last: Piece | undefined): boolean {
  return last?.kind === "unknown" && last.source === piece.source && last.name === piece.name;
}

/** The text without its first `length` characters, which must be literal. */
export function withoutStart(text: Text, length: number): Text {
  const first = text[0];
  if (length === 0 || first?.kind !== "literal") return text;
  const rest = first.text.slice(length);
  return rest === "" ? text.slice(1) : [{ kind: "literal", text: rest }, ...text.slice(1)];
}

export function sameText(a: Text, b: Text): boolean {
  return a === b || (a.length === b.length && JSON.stringify(a) === JSON.stringify(b));
}
