import { messageBytesMax } from "../../contract/board.ts";

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

/** Controls other than tab, line break and escape (colours are drawn), and marks that reorder text. */
const misleading =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: text from agents must not mislead
  /[\u0000-\u0008\u000b\u000c\u000e-\u001a\u001c-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]/g;

/** A JSON text in which no string can control what is shown around it. */
export function harmlessJson(document: unknown): string {
  return JSON.stringify(document, (_name, value: unknown) =>
    typeof value === "string" ? value.replaceAll(misleading, "\ufffd") : value,
  );
}
