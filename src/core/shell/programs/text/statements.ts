import { known, knownParts, literal, type Text, unknownText } from "../../text.ts";
import type { Effects } from "../../types.ts";

/** Statements that make a database client write files or run programs on this machine. */
export function reportStatements(code: Text, effects: Effects): void {
  effects.code(code);
  const text = known(code);
  if (text === undefined) return;
  for (const line of text.split("\n")) {
    const output = /^\s*(?:\\o|\\out|\\w|\\s|\\g)\s+(?:-\w+\s+)?'?([^\s'|][^\s']*)'?/.exec(line)?.[1];
    if (output !== undefined && output !== "stdout") effects.write(literal(output));
    const command =
      /^\s*(?:\\!|system)\s+(.+)$/.exec(line)?.[1] ?? /^\s*(?:\\o|\\g)\s+\|\s*(.+)$/.exec(line)?.[1];
    if (command !== undefined) effects.shell(literal(command));
  }
  for (const match of text.matchAll(
    /\b(?:to|outfile|dumpfile|attach(?: database)?|into)\s{1,8}'([^'\n]{1,1024})'/gi,
  )) {
    const isProgram = /program\s*$/i.test(text.slice(Math.max(0, match.index - 20), match.index));
    if (!isProgram) effects.write(literal(match[1] ?? ""));
  }
  for (const match of text.matchAll(/\bprogram\s{1,8}'([^'\n]{1,1024})'/gi))
    effects.shell(literal(match[1] ?? ""));
}

/** Commands of sqlite, which may be abbreviated, and its functions that access files. */
export function reportSqlite(code: Text, effects: Effects): void {
  reportStatements(code, effects);
  const text = knownParts(code);
  for (const line of text.split("\n")) reportDotCommand(line, effects);
  for (const [, name] of text.matchAll(/\bwritefile\s*\((?:\s*'([^']*)'\s*,)?/gi))
    effects.write(name === undefined ? unknownText : literal(name));
  const attached = text.match(/\battach\b/gi)?.length ?? 0;
  const spelled = text.match(/\battach\s+(?:database\s+)?'[^']*'\s+as\b/gi)?.length ?? 0;
  if (attached > spelled || /\bvacuum(?:\s+\w+)?\s+into\s+(?!'[^']*'\s*(?:;|$))/i.test(text))
    effects.write(unknownText);
  if (known(code) === undefined || /\b(?:edit|load_extension|fts3_tokenizer)\s*\(/i.test(text))
    effects.opaque("statements run programs");
}

const dotWrites = "output once excel www log backup save clone trace testcase".split(" ");
const dotReads = "read import open load archive session cd restore".split(" ");

function reportDotCommand(line: string, effects: Effects): void {
  const [, word, rest = ""] = /^\s*\.([a-z]+)\s*(.*)$/.exec(line) ?? [];
  if (word === undefined) return;
  const isOneOf = (names: readonly string[]) => names.some((name) => name.startsWith(word));
  const args = [...rest.matchAll(/"([^"]*)"?|'([^']*)'?|\S+/g)].map((part) => part[1] ?? part[2] ?? part[0]);
  const textOf = (arg: string) => (/[\\\u{fffd}]/u.test(arg) ? unknownText : literal(arg));
  if (isOneOf(["shell", "system"]))
    for (const way of new Set([rest, args.join(" ")])) effects.shell(textOf(way));
  for (const arg of args) if (arg.startsWith("|")) effects.shell(textOf(arg.slice(1)));
  const file = args.find((arg) => !/^[-|]/.test(arg));
  if (isOneOf(dotWrites) && file !== undefined && !/^(?:stdout|stderr|off|on)$/.test(file))
    effects.write(textOf(file));
  if (isOneOf(dotReads)) effects.opaque("a file of commands or data is read or written");
}
