import { knownParts, literal, type Piece, type Text, unknownText } from "../../text.ts";

/** Words of a known line with quotes, as `env -S` and `xargs` split it; undefined if it contains `$` or `\`. */
export function splitQuoted(line: string): Text[] | undefined {
  if (/[$\\]/.test(line)) return undefined;
  const words: Text[] = [];
  let current: string | undefined;
  let quote = "";
  for (const char of line) {
    if (quote !== "") {
      if (char === quote) quote = "";
      else current += char;
    } else if (char === "'" || char === '"') {
      quote = char;
      current ??= "";
    } else if (/\s/.test(char)) {
      if (current !== undefined) words.push(literal(current));
      current = undefined;
    } else current = (current ?? "") + char;
  }
  if (quote !== "") return undefined;
  if (current !== undefined) words.push(literal(current));
  return words;
}

/**
 * Splits a text into items at separators. Unknown text may contain separators, so an item with such a piece is
 * unknown as a whole. Names, wildcards and paths below a folder are single items.
 */
export function itemsOf(text: Text, separators: string): Text[] {
  const items: Text[] = [];
  let current: Piece[] = [];
  const finish = () => {
    if (current.length > 0)
      items.push(current.some((piece) => piece.kind === "unknown") ? unknownText : current);
    current = [];
  };
  for (const piece of text) {
    if (piece.kind !== "literal") {
      current.push(piece);
      continue;
    }
    let part = "";
    for (const char of piece.text) {
      if (!separators.includes(char)) {
        part += char;
        continue;
      }
      if (part !== "") current.push({ kind: "literal", text: part });
      part = "";
      finish();
    }
    if (part !== "") current.push({ kind: "literal", text: part });
  }
  finish();
  return items;
}

const replacedCharsMax = 131_072;

/** A word with every `mark` in its known parts replaced; unknown if the result would be too long. */
export function replaceMark(word: Text, mark: string, replacement: Text): Text {
  const out: Piece[] = [];
  let chars = 0;
  for (const piece of word) {
    const parts = piece.kind === "literal" ? piece.text.split(mark) : [];
    chars += parts.length * knownParts(replacement).length;
    if (chars > replacedCharsMax) return unknownText;
    if (parts.length < 2) out.push(piece);
    for (const [index, part] of parts.length < 2 ? [] : parts.entries()) {
      out.push(...(index === 0 ? [] : replacement), ...literal(part));
    }
  }
  return out;
}

export function hasMark(words: readonly Text[], mark: string): boolean {
  return words.some((word) => word.some((piece) => piece.kind === "literal" && piece.text.includes(mark)));
}
