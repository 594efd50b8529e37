/** What a sed script does beyond printing. */
export interface SedScript {
  /** Files of `w FILE` and `s///w FILE`. */
  readonly files: readonly string[];
  /** Commands of `e COMMAND`. An empty command runs the pattern space. */
  readonly commands: readonly string[];
  /** False if sed would report an error or read the script differently. */
  readonly isWhole: boolean;
}

interface Cursor {
  readonly text: string;
  at: number;
}

/** Reads a script far enough to find its `w` and `e` commands. */
export function readSedScript(text: string): SedScript {
  const script = { files: [] as string[], commands: [] as string[], isWhole: true };
  const cursor: Cursor = { text, at: 0 };
  while (cursor.at < text.length) {
    skip(cursor, " \t\n;{}");
    const isRead = skipAddresses(cursor);
    const command = text[cursor.at++];
    if (isRead && command === undefined) break;
    if (!isRead || !readCommand(command ?? "", cursor, script)) return { ...script, isWhole: false };
  }
  return script;
}

function readCommand(
  command: string,
  cursor: Cursor,
  script: { files: string[]; commands: string[] },
): boolean {
  if (command === "s") return readSubstitution(cursor, script);
  if (command === "y") return skipDelimited(cursor, 2, false);
  if (command === "w" || command === "W") script.files.push(restOfLine(cursor));
  else if (command === "e") script.commands.push(restOfLine(cursor));
  else if ("aic".includes(command)) skipText(cursor);
  else if ("rR#".includes(command)) restOfLine(cursor);
  else if ("btT:v".includes(command)) skipLabel(cursor);
  else if ("qQlL".includes(command)) skip(cursor, " 0123456789");
  else return "={}dDgGhHnNpPxzF".includes(command);
  return true;
}

function readSubstitution(cursor: Cursor, script: { files: string[]; commands: string[] }): boolean {
  if (!skipDelimited(cursor, 2)) return false;
  while (cursor.at < cursor.text.length) {
    const flag = cursor.text[cursor.at] ?? "";
    if (!/[gpiImMe\dw]/.test(flag)) return /[\s;}#]/.test(flag);
    cursor.at++;
    if (flag === "e") script.commands.push("");
    if (flag === "w") script.files.push(restOfLine(cursor));
  }
  return true;
}

/** `1`, `$`, `/re/I`, `\,re,`, `0~4`, `2,+3`, an unknown part, and a `!` after them. */
function skipAddresses(cursor: Cursor): boolean {
  for (;;) {
    const next = cursor.text[cursor.at];
    if (next === "/") {
      if (!skipDelimited(cursor, 1)) return false;
      skip(cursor, "IM");
    } else if (next === "\\") {
      cursor.at++;
      if (!skipDelimited(cursor, 1)) return false;
      skip(cursor, "IM");
    } else if (next !== undefined && "0123456789$,+~! \t\u{fffd}".includes(next)) cursor.at++;
    else return true;
  }
}

/** Skips `parts` parts that end with the delimiter. Inside `[…]` of a regex the character is not a delimiter. */
function skipDelimited(cursor: Cursor, parts: number, isRegex = true): boolean {
  const delimiter = cursor.text[cursor.at++] ?? "";
  const hasBrackets = isRegex && delimiter !== "[" && delimiter !== "]";
  let seen = 0;
  for (; cursor.at < cursor.text.length; cursor.at++) {
    const char = cursor.text[cursor.at];
    if (char === delimiter) {
      if (++seen < parts) continue;
      cursor.at++;
      return true;
    }
    if (char === "\\") cursor.at++;
    else if (char === "[" && seen === 0 && hasBrackets) skipBrackets(cursor);
  }
  return false;
}

const bracketsMax = 256;
const brackets = /^\[\^?\]?(?:\[([:.=])(?:(?!\1\]).){0,32}\1\]|[^\]])*\]/s;

/** Skips to the `]` that ends a bracket expression, if there is one. */
function skipBrackets(cursor: Cursor): void {
  const found = brackets.exec(cursor.text.slice(cursor.at, cursor.at + bracketsMax));
  if (found !== null) cursor.at += found[0].length - 1;
}

/** A label ends at a blank. */
function skipLabel(cursor: Cursor): void {
  skip(cursor, " \t");
  skipUntil(cursor, " \t\n;");
}

/** `a text`, or `a\` and lines that all end with a backslash except the last. */
function skipText(cursor: Cursor): void {
  let line = takeLine(cursor);
  while (/(?<!\\)(?:\\\\)*\\$/.test(line) && cursor.at < cursor.text.length) line = takeLine(cursor);
}

function restOfLine(cursor: Cursor): string {
  return takeLine(cursor).trim();
}

function takeLine(cursor: Cursor): string {
  const end = cursor.text.indexOf("\n", cursor.at);
  const line = cursor.text.slice(cursor.at, end < 0 ? undefined : end);
  cursor.at = end < 0 ? cursor.text.length : end + 1;
  return line;
}

function skip(cursor: Cursor, chars: string): void {
  while (cursor.at < cursor.text.length && chars.includes(cursor.text[cursor.at] ?? "\0")) cursor.at++;
}

function skipUntil(cursor: Cursor, chars: string): void {
  while (cursor.at < cursor.text.length && !chars.includes(cursor.text[cursor.at] ?? "")) cursor.at++;
}
