import { literal, type Piece, type Text } from "./text.ts";

const spaces = " \t\n";

/** Splits a text into words at literal white space (or other separators). Unknown pieces stay whole. */
export function splitWords(text: Text, separators = spaces): Text[] {
  const words: Text[] = [];
  let current: Piece[] | undefined;
  for (const piece of text) {
    if (piece.kind !== "literal") {
      current ??= [];
      current.push(piece);
      continue;
    }
    let from = 0;
    for (let at = 0; at <= piece.text.length; at += 1) {
      if (at < piece.text.length && !separators.includes(piece.text[at] as string)) continue;
      if (at > from) {
        current ??= [];
        current.push({ kind: "literal", text: piece.text.slice(from, at) });
      }
      if (at < piece.text.length && current !== undefined) {
        words.push(current);
        current = undefined;
      }
      from = at + 1;
    }
  }
  if (current !== undefined) words.push(current);
  return words;
}

export function splitLines(text: Text): Text[] {
  return splitWords(text, "\n");
}

/** Turns the wildcard characters of an unquoted expansion into wildcards. */
export function withGlobs(text: Text): Text {
  return text.flatMap((piece): Text => {
    if (piece.kind !== "literal" || !/[*?[]/.test(piece.text)) return [piece];
    return piece.text
      .split(/(\*+|\?|\[[^\]/]+\])/)
      .flatMap((part, index): Text => (index % 2 === 1 ? [{ kind: "glob", text: part }] : literal(part)));
  });
}

/** Removes the newlines at the end, as `$(…)` does. */
export function trimNewlines(text: Text): Text {
  const last = text.at(-1);
  if (last?.kind !== "literal") return text;
  let end = last.text.length;
  while (end > 0 && last.text[end - 1] === "\n") end -= 1;
  return [...text.slice(0, -1), ...literal(last.text.slice(0, end))];
}
