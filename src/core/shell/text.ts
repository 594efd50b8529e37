/**
 * A word as far as it can be known before the command runs: literal text between what only the run will tell.
 */
export type Text = readonly Piece[];

export type Piece =
  | { readonly kind: "literal"; readonly text: string }
  /** An unquoted `*`, `?` or `[…]`: names that exist when the command runs. */
  | { readonly kind: "glob"; readonly text: string }
  /** Unknown, but one plain name or number: no `/`, no space, neither `.` nor `..`. */
  | { readonly kind: "name" /** The process that started the shell. */; readonly parent?: true }
  /** Unknown, and maybe the numbers of processes that are Lockstep's or the client's. */
  | { readonly kind: "processes" }
  /**
   * Unknown paths below the folder spelled before it, as `find src/a` prints them. `links`: those whose name
   * matches this pattern may be links.
   */
  | { readonly kind: "below"; readonly links?: string }
  /** The end of a pipe: `<(…)` and `>(…)`; `content` is what a reader would get. `isFile`: it may be a file as well. */
  | { readonly kind: "pipe"; readonly content: Text | undefined; readonly isFile?: true }
  /** `name`: the variable of the environment that it comes from; it may as well be empty. */
  | { readonly kind: "unknown"; readonly source: UnknownSource; readonly name?: string };

/** `generator`: printed by a program made to be evaluated, such as `ssh-agent -s`. */
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

/** The known parts, with `replacement` in place of the others. */
export function knownParts(text: Text, replacement = "\u{fffd}"): string {
  return text
    .map((piece) => (piece.kind === "literal" || piece.kind === "glob" ? piece.text : replacement))
    .join("");
}

/** Known text at the very beginning, for telling options from operands. */
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
  // So many unknown parts are as good as unknown, and cheaper to compare.
  return out.length > piecesMax ? unknownText : out;
}

/** Unknown beside unknown is no more than unknown. */
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
