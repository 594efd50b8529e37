import { messageBytesMax } from "../../contract/board.ts";
import { plainOutput } from "../../core/text/plain-output.ts";

/** Room for the other fields of an answer. */
const listBytesMax = messageBytesMax - 12 * 1024;

/** The first items that fit into a message. */
export function fitting<Item>(items: readonly Item[], bytesMax = listBytesMax): readonly Item[] {
  let bytes = 0;
  const end = items.findIndex((item) => {
    bytes += jsonBytes(item) + 1;
    return bytes > bytesMax;
  });
  return end === -1 ? items : items.slice(0, Math.max(1, end));
}

export function jsonBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value) ?? "");
}

/** At most `max` characters; says how many are left out. */
export function cut(text: string, max: number): string {
  if (text.length <= max) return text;
  const left = text.length - max;
  return `${text.slice(0, max)}… (${left} more ${left === 1 ? "character" : "characters"})`;
}

/** For one line of a list. */
export function short(text: string | null | undefined, max = 160): string {
  const line = (text ?? "").replaceAll(/\s+/g, " ").trim();
  return line.length <= max ? line : `${line.slice(0, max - 1)}…`;
}

/** Controls other than tab and line break, and marks that reorder or hide text. */
const misleading =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: text from agents must not mislead
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]/g;
const escapeMark = "\u001b";

/** `coloured`: the page draws terminal colours, so escapes stay; elsewhere escape sequences are left out. */
export interface Shown {
  readonly coloured?: boolean;
}

/** A JSON text in which no string can control what is shown around it. */
export function harmlessJson(document: unknown, { coloured = false }: Shown = {}): string {
  const harmless = (text: string) => {
    const plain = coloured || !text.includes(escapeMark) ? text : plainOutput(text);
    return plain.replaceAll(misleading, (mark) => (coloured && mark === escapeMark ? mark : "\ufffd"));
  };
  return JSON.stringify(document, (_name, value: unknown) =>
    typeof value === "string" ? harmless(value) : value,
  );
}
