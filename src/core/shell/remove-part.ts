import { matchesSegment, segmentPattern } from "../paths/segment-pattern.ts";
import { anyName, known, literal, type Text, unknownText, withoutStart } from "./text.ts";

const valueLengthMax = 4096;

/** `${x#p}`, `${x##p}`, `${x%p}`, `${x%%p}` on a value whose removed part, at least, is known. */
export function removePart(value: Text, operator: "#" | "##" | "%" | "%%", pattern: Text): Text {
  const plain = known(value);
  const source = patternSource(pattern);
  if (source === undefined || /\[[:.=]/.test(source)) return unknownText;
  if (plain === undefined) return removeFromPartlyKnown(value, operator, { pattern, source });
  if (plain.length > valueLengthMax) return unknownText;
  const wanted = segmentPattern(source);
  const lengths = Array.from({ length: plain.length + 1 }, (_, length) => length);
  if (operator.length === 2) lengths.reverse();
  for (const length of lengths) {
    const part = operator.startsWith("#") ? plain.slice(0, length) : plain.slice(plain.length - length);
    if (!matchesSegment(wanted, part)) continue;
    return literal(operator.startsWith("#") ? plain.slice(length) : plain.slice(0, plain.length - length));
  }
  return value;
}

/** `${x/p/r}`, `${x//p/r}`, `${x/#p/r}` and `${x/%p/r}`, for a known value and a pattern without wildcards. */
export function replacePart(value: Text, operator: string, by: { pattern: Text; replacement: Text }): Text {
  const plain = known(value);
  const pattern = known(by.pattern);
  const replacement = known(by.replacement);
  if (
    plain === undefined ||
    pattern === undefined ||
    replacement === undefined ||
    pattern === "" ||
    replacement.includes("&")
  )
    return unknownText;
  if (operator === "//") return literal(plain.replaceAll(pattern, () => replacement));
  if (operator === "/#")
    return literal(plain.startsWith(pattern) ? replacement + plain.slice(pattern.length) : plain);
  if (operator === "/%")
    return literal(plain.endsWith(pattern) ? plain.slice(0, -pattern.length) + replacement : plain);
  return literal(plain.replace(pattern, () => replacement));
}

/** Escapes literal characters, so that only written wildcards act as wildcards. */
export function patternSource(text: Text): string | undefined {
  let source = "";
  for (const piece of text) {
    if (piece.kind === "literal") source += piece.text.replace(/[*?[{]/g, "[$&]");
    else if (piece.kind === "glob") source += piece.text;
    else return undefined;
  }
  return source;
}

function removeFromPartlyKnown(
  value: Text,
  operator: string,
  wanted: { pattern: Text; source: string },
): Text {
  const plain = known(wanted.pattern);
  const first = value[0];
  const last = value.at(-1);
  if (value.some(({ kind }) => kind === "unknown" || kind === "pipe" || kind === "processes"))
    return unknownText;
  if (operator === "##" && wanted.source === "*/") return anyName;
  if (
    plain !== undefined &&
    operator.startsWith("%") &&
    last?.kind === "literal" &&
    last.text.endsWith(plain)
  )
    return [...value.slice(0, -1), ...literal(last.text.slice(0, last.text.length - plain.length))];
  if (
    plain !== undefined &&
    operator.startsWith("#") &&
    first?.kind === "literal" &&
    first.text.startsWith(plain)
  )
    return withoutStart(value, plain.length);
  return unknownText;
}
