/** What a sed script does beyond printing. */
export interface SedScript {
  /** Files of `w FILE` and `s///w FILE`. */
  readonly files: readonly string[];
  /** Commands of `e COMMAND`; an empty one is the pattern space. */
  readonly commands: readonly string[];
}

interface Cursor {
  readonly text: string;
  at: number;
}

/** Reads a script far enough to find its `w` and `e` commands; stops where sed would complain. */
export function readSedScript(text: string): SedScript {
  const script = { files: [] as string[], commands: [] as string[] };
  const cursor: Cursor = { text, at: 0 };
  while (cursor.at < text.length) {
    skip(cursor, " \t\n;{}");
    if (!skipAddresses(cursor)) break;
    const command = text[cursor.at++];
    if (command === undefined || !readCommand(command, cursor, script)) break;
  }
  return script;
}

function readCommand(
  command: string,
  cursor: Cursor,
  script: { files: string[]; commands: string[] },
): boolean {
  if (command === "s") return readSubstitution(cursor, script);
  if (command === "y") return skipDelimited(cursor, 2);
  if (command === "w" || command === "W") script.files.push(restOfLine(cursor));
  else if (command === "e") script.commands.push(restOfLine(cursor));
  else if ("aic".includes(command)) skipText(cursor);
  else if ("rR#".includes(command)) restOfLine(cursor);
  else if ("btT:".includes(command)) skipUntil(cursor, "\n;");
  else if ("qQlL".includes(command)) skip(cursor, " 0123456789");
  else return "={}dDgGhHnNpPxzFv".includes(command);
  return true;
}

function readSubstitution(cursor: Cursor, script: { files: string[]; commands: string[] }): boolean {
  if (!skipDelimited(cursor, 2)) return false;
  while (cursor.at < cursor.text.length) {
    const flag = cursor.text[cursor.at] ?? "";
    if (!/[gpiImMe\dw]/.test(flag)) return true;
    cursor.at++;
    if (flag === "e") script.commands.push("");
    if (flag === "w") script.files.push(restOfLine(cursor));
  }
  return true;
}

/** `1`, `$`, `/re/I`, `\,re,`, `0~4`, `2,+3` and the `!` behind them. */
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
    } else if (next !== undefined && "0123456789$,+~! \t".includes(next)) cursor.at++;
    else return true;
  }
}

/** From a delimiter over `parts` parts, to behind the last delimiter. */
function skipDelimited(cursor: Cursor, parts: number): boolean {
  const delimiter = cursor.text[cursor.at++];
  let seen = 0;
  let inBrackets = false;
  for (; cursor.at < cursor.text.length; cursor.at++) {
    const char = cursor.text[cursor.at];
    if (char === "\\") cursor.at++;
    else if (char === "[" && seen === 0 && !inBrackets) inBrackets = closesBrackets(cursor);
    else if (char === "]") inBrackets = false;
    else if (char === delimiter && !inBrackets && ++seen === parts) {
      cursor.at++;
      return true;
    }
  }
  return false;
}

/** Whether a bracket expression opened here is closed before the line ends. */
function closesBrackets(cursor: Cursor): boolean {
  const { text, at } = cursor;
  const first = text[at + 1] === "^" ? at + 2 : at + 1;
  const close = text.slice(first + 1, first + 256).indexOf("]");
  if (close < 0) return false;
  cursor.at = first;
  return true;
}

/** `a text`, or `a\` and lines that each but the last end with a backslash. */
function skipText(cursor: Cursor): void {
  let line = restOfLine(cursor);
  while (line.endsWith("\\") && cursor.at < cursor.text.length) line = restOfLine(cursor);
}

function restOfLine(cursor: Cursor): string {
  const end = cursor.text.indexOf("\n", cursor.at);
  const line = cursor.text.slice(cursor.at, end < 0 ? undefined : end);
  cursor.at = end < 0 ? cursor.text.length : end + 1;
  return line.trim();
}

function skip(cursor: Cursor, chars: string): void {
  while (cursor.at < cursor.text.length && chars.includes(cursor.text[cursor.at] ?? "\0")) cursor.at++;
}

function skipUntil(cursor: Cursor, chars: string): void {
  while (cursor.at < cursor.text.length && !chars.includes(cursor.text[cursor.at] ?? "")) cursor.at++;
}
