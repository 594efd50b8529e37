import { UnreadableSettings } from "./settings-edit.ts";

/** A table's header, or a key with its value: enough to know what may be appended to the file. */
export interface TomlLine {
  readonly kind: "table" | "list-table" | "key";
  /** The whole path from the root, such as `hooks`, `PreToolUse`. */
  readonly path: readonly string[];
  readonly start: number;
  /** For a key: its value as written in the file. */
  readonly value: string;
}

const part = String.raw`(?:[A-Za-z0-9_-]+|"(?:[^"\\\n]|\\.)*"|'[^'\n]*')`;
const dotted = String.raw`${part}(?:[ \t]*\.[ \t]*${part})*`;
const blank = /(?:[ \t\r\n\ufeff]|#[^\n]*)*/y;
const listHeader = new RegExp(String.raw`\[\[[ \t]*(${dotted})[ \t]*\]\]`, "y");
const header = new RegExp(String.raw`\[[ \t]*(${dotted})[ \t]*\]`, "y");
const keyStart = new RegExp(String.raw`(${dotted})[ \t]*=[ \t]*`, "y");
const lineRest = /[ \t]*(?:#[^\n]*)?(?:\r?\n|$)/y;
/** One piece of a value: a text, a bracket, or plain characters up to the next of these. */
const piece =
  /"""(?:[^\\]|\\[\s\S])*?"{3,5}|'''[\s\S]*?'{3,5}|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|[[{\]}]|[^"'[{\]}#\r\n]+/y;

/** The tables and keys of a file. Values are not interpreted. */
export function outlineToml(text: string): readonly TomlLine[] {
  const lines: TomlLine[] = [];
  let table: readonly string[] = [];
  let at = 0;
  const take = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    if (match !== null) at = pattern.lastIndex;
    return match;
  };
  for (take(blank); at < text.length; take(blank)) {
    const start = at;
    const list = take(listHeader);
    const named = list ?? take(header);
    if (named !== null) {
      table = partsOf(named[1] ?? "");
      lines.push({ kind: list === null ? "table" : "list-table", path: table, start, value: "" });
    } else {
      const key = take(keyStart);
      if (key === null) throw wrong(at, "a table or `key = value`");
      const from = at;
      at = endOfValue(text, at);
      const path = [...table, ...partsOf(key[1] ?? "")];
      lines.push({ kind: "key", path, start, value: text.slice(from, at).trim() });
    }
    if (take(lineRest) === null) throw wrong(at, "the end of the line");
  }
  return lines;
}

function endOfValue(text: string, from: number): number {
  let at = from;
  let depth = 0;
  do {
    if (depth > 0) at = skipped(text, at);
    piece.lastIndex = at;
    const found = piece.exec(text)?.[0];
    if (found === undefined) throw wrong(at, depth > 0 ? "the end of the list or table" : "a value");
    at += found.length;
    if (found === "[" || found === "{") depth++;
    if (found === "]" || found === "}") depth--;
  } while (depth > 0);
  return at;
}

function skipped(text: string, at: number): number {
  blank.lastIndex = at;
  blank.exec(text);
  return blank.lastIndex;
}

function partsOf(spelled: string): string[] {
  return (spelled.match(new RegExp(part, "g")) ?? []).map((one) => {
    if (one.startsWith("'")) return one.slice(1, -1);
    return one.startsWith('"') ? one.slice(1, -1).replace(/\\(["\\])/g, "$1") : one;
  });
}

function wrong(at: number, expected: string): UnreadableSettings {
  return new UnreadableSettings("this is not TOML", { at, expected });
}
