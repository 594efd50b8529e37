import { html } from "htm/preact";
import type { VNode } from "preact";

/** Colours and weights; any other escape sequence is left out. */
const sequence =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are drawn or removed
  /\u001b(?:\[([0-9;:]{0,64})([ -/]{0,8}[@-~])|\][^\u0007\u001b\n]{0,2048}(?:\u0007|\u001b\\)?|[@-Z\\-_]|)/g;

interface Pen {
  readonly colour: number | null;
  readonly isBold: boolean;
  readonly isDim: boolean;
}

const plain: Pen = { colour: null, isBold: false, isDim: false };
const spansMax = 200;

/** One line of a program's output with its colours, as elements; the text is never HTML. */
export function AnsiLine({ text }: { readonly text: string }): VNode {
  if (!text.includes("\u001b")) return html`<span dir="auto">${text}</span>`;
  const spans: VNode[] = [];
  let pen = plain;
  let at = 0;
  const add = (part: string) => {
    if (part !== "") spans.push(html`<span class=${classOf(pen)}>${part}</span>`);
  };
  for (const match of text.matchAll(sequence)) {
    if (spans.length >= spansMax) break;
    add(text.slice(at, match.index));
    at = match.index + match[0].length;
    if (match[2] === "m") pen = changed(pen, match[1] ?? "");
  }
  add(text.slice(at).replaceAll(sequence, ""));
  return html`<span dir="auto">${spans}</span>`;
}

function classOf({ colour, isBold, isDim }: Pen): string {
  return [colour === null ? "" : `ansi-${colour}`, isBold ? "ansi-bold" : "", isDim ? "ansi-dim" : ""]
    .filter(Boolean)
    .join(" ");
}

function changed(pen: Pen, codes: string): Pen {
  let next = pen;
  const numbers = codes.split(/[;:]/).map(Number);
  for (let at = 0; at < numbers.length; at += 1) {
    const code = numbers[at] ?? 0;
    if (code === 0) next = plain;
    else if (code === 1) next = { ...next, isBold: true };
    else if (code === 2) next = { ...next, isDim: true };
    else if (code === 22) next = { ...next, isBold: false, isDim: false };
    else if (code === 39) next = { ...next, colour: null };
    else if (code >= 30 && code <= 37) next = { ...next, colour: code - 30 };
    else if (code >= 90 && code <= 97) next = { ...next, colour: code - 90 };
    // A colour of its own follows: 5 and one number, or 2 and three.
    else if (code === 38 || code === 48) at += numbers[at + 1] === 5 ? 2 : 4;
  }
  return next;
}
