import { printable } from "./printable.ts";

let segmenter: Intl.Segmenter | undefined;
// biome-ignore lint/suspicious/noControlCharactersInRegex: fast path for text without wide characters
const plain = /^[\u0000-\u02ff\u2010-\u2027\u2190-\u21ff\u2500-\u259f]*$/;
const wide =
  /\p{Emoji_Presentation}|\ufe0f|[\u1100-\u115f\u2329\u232a\u2630-\u2637\u268a-\u268f\u2e80-\u303e\u3041-\u3247\u3250-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{16fe0}-\u{18dff}\u{1aff0}-\u{1b2ff}\u{1d300}-\u{1d356}\u{1d360}-\u{1d376}\u{1f200}-\u{1f2ff}\u{20000}-\u{3fffd}]/u;
/** Includes the Hangul fillers, which Unicode classifies as letters. */
const invisible = /^[\p{Mn}\p{Me}\p{Cf}\u115f\u1160\u3164\uffa0]+$/u;

/** Splits a text into user-perceived characters. The segmenter is loaded only for text that needs it. */
export function* graphemesOf(text: string): Generator<string, void> {
  if (plain.test(text)) return yield* text;
  segmenter ??= new Intl.Segmenter("en", { granularity: "grapheme" });
  for (const { segment } of segmenter.segment(text)) yield segment;
}

/** Width in terminal columns: East Asian characters and emoji take two. */
export function displayWidth(text: string): number {
  if (plain.test(text)) return text.length;
  let width = 0;
  for (const segment of graphemesOf(text)) width += graphemeWidth(segment);
  return width;
}

/** One printable line, cut with an ellipsis to fit the columns. */
export function fitted(text: string, columns: number): string {
  const line = printable(text).trimEnd();
  if (displayWidth(line) <= columns) return line;
  let [kept, width] = ["", 0];
  for (const segment of graphemesOf(line)) {
    width += graphemeWidth(segment);
    if (width > columns - 1) break;
    kept += segment;
  }
  return columns < 1 ? "" : `${kept.trimEnd()}…`;
}

/** As `fitted`, but cuts the middle: both ends of a name or a command matter. */
export function shortened(text: string, columns: number): string {
  const line = printable(text).trimEnd();
  if (displayWidth(line) <= columns) return line;
  const segments = [...graphemesOf(line)];
  const [head, tail]: [string[], string[]] = [[], []];
  let left = columns - 1;
  for (let at = 0; at < segments.length; at += 1) {
    const isHead = at % 2 === 0;
    const segment = segments[isHead ? at / 2 : segments.length - (at + 1) / 2] ?? "";
    left -= graphemeWidth(segment);
    if (left < 0) break;
    if (isHead) head.push(segment);
    else tail.unshift(segment);
  }
  return columns < 1 ? "" : `${head.join("")}…${tail.join("")}`;
}

export function padded(text: string, columns: number): string {
  const line = fitted(text, columns);
  return line + " ".repeat(Math.max(0, columns - displayWidth(line)));
}

/** Wraps at word boundaries. A word longer than a line stays whole. */
export function wrapped(text: string, columns: number): string[] {
  const lines: string[] = [];
  for (const word of printable(text).split(/\s+/).filter(Boolean)) {
    const line = lines.at(-1);
    const longer = `${line} ${word}`;
    if (line === undefined || displayWidth(longer) > columns) lines.push(word);
    else lines[lines.length - 1] = longer;
  }
  return lines;
}

/** As `wrapped`, in at most `linesMax` lines; the last one is cut. */
export function wrappedTo(text: string, columns: number, linesMax: number): string[] {
  const lines = wrapped(text, columns);
  const kept = lines.length <= linesMax ? lines : lines.slice(0, linesMax - 1);
  const rest = lines.slice(kept.length).join(" ");
  return [...kept, ...(rest === "" ? [] : [rest])].map((line) => fitted(line, columns));
}

/** Joins parts and wraps only between them: each part stays whole. */
export function joined(
  parts: readonly string[],
  { joint, columns }: { readonly joint: string; readonly columns: number },
): string[] {
  const lines: string[] = [];
  for (const [at, part] of parts.entries()) {
    const text = at === parts.length - 1 ? part : `${part}${joint}`;
    const longer = `${lines.at(-1)} ${text}`;
    if (lines.length === 0 || displayWidth(longer) > columns) lines.push(text);
    else lines[lines.length - 1] = longer;
  }
  return lines;
}

function graphemeWidth(segment: string): number {
  if (invisible.test(segment)) return 0;
  return wide.test(segment) ? 2 : 1;
}
