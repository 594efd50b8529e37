/** What an awk program does beyond printing; undefined means a computed value. */
export interface AwkProgram {
  readonly files: (string | undefined)[];
  readonly commands: (string | undefined)[];
  /** Commands that read the program's output. */
  readonly pipes: (string | undefined)[];
}

interface Token {
  readonly kind: "string" | "word" | "end" | "sign";
  readonly text: string;
}

/**
 * Finds `print > FILE`, `print | COMMAND`, `COMMAND | getline` and `system(COMMAND)`. Awk versions differ in whether
 * a `/` inside brackets ends a regex, so both readings are used.
 */
export function readAwkProgram(program: string): AwkProgram {
  const found: AwkProgram = { files: [], commands: [], pipes: [] };
  for (const hasBrackets of [false, true]) readTokens(tokensOf(program, hasBrackets), found);
  return found;
}

function readTokens(tokens: readonly Token[], found: AwkProgram): void {
  for (let at = 0; at < tokens.length; at++) {
    const { kind, text } = tokens[at] as Token;
    if (kind === "word" && (text === "print" || text === "printf")) readPrint(tokens, at + 1, found);
    if (kind === "word" && text === "system") found.commands.push(valueAt(tokens, at + 2, ")"));
    if (text === "|" && tokens[at + 1]?.text === "getline") found.commands.push(valueBefore(tokens, at));
  }
}

/** In one print statement, only `>` and `|` outside brackets redirect. */
function readPrint(tokens: readonly Token[], from: number, found: AwkProgram): void {
  let depth = 0;
  for (let at = from; at < tokens.length; at++) {
    const { kind, text } = tokens[at] as Token;
    if (kind === "end" && depth === 0) return;
    if (kind !== "sign") continue;
    if (text === "(" || text === "[") depth++;
    else if (text === ")" || text === "]") depth--;
    else if (depth === 0 && text === ">") return void found.files.push(valueAt(tokens, at + 1));
    else if (depth === 0 && text === "|" && tokens[at + 1]?.text !== "getline") {
      return void found.pipes.push(valueAt(tokens, at + 1));
    }
  }
}

/** A string that is the only value up to the end of its statement. */
function valueAt(tokens: readonly Token[], at: number, close?: string): string | undefined {
  const value = tokens[at];
  const after = tokens[at + 1];
  const isAlone = after === undefined || after.kind === "end" || after.text === close;
  return value?.kind === "string" && isAlone ? value.text : undefined;
}

function valueBefore(tokens: readonly Token[], at: number): string | undefined {
  const value = tokens[at - 1];
  const before = tokens[at - 2];
  const isAlone = before === undefined || before.kind === "end" || /^[({!]$/.test(before.text);
  return value?.kind === "string" && isAlone ? value.text : undefined;
}

function tokensOf(program: string, hasBrackets: boolean): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  let dividesUntil = 0;
  while (at < program.length) {
    const char = program[at] ?? "";
    if (char === "/" && at >= dividesUntil && mayStartRegex(tokens.at(-1))) {
      const end = regexEnd(program, at, hasBrackets);
      if (end === undefined) dividesUntil = lineEnd(program, at);
      else at = end;
    } else if (char === "#") at = lineEnd(program, at);
    else if (char === '"') at = readString(program, at, tokens);
    else if (/[A-Za-z_]/.test(char)) at = readName(program, at, tokens);
    else if (char === ";" || char === "}" || char === "\n")
      tokens.push({ kind: "end", text: program[at++] ?? "" });
    else if (char === ">" && program[at + 1] === ">") at = push(tokens, ">", at + 2);
    else if (char === "|" && program[at + 1] === "&") at = push(tokens, "|", at + 2);
    else if (char === "|" && program[at + 1] === "|") at = push(tokens, "||", at + 2);
    else if (/\s/.test(char)) at++;
    else at = push(tokens, char, at + 1);
  }
  return tokens;
}

function push(tokens: Token[], text: string, next: number): number {
  tokens.push({ kind: "sign", text });
  return next;
}

function readString(program: string, start: number, tokens: Token[]): number {
  let text = "";
  for (let at = start + 1; at < program.length; at++) {
    const char = program[at] ?? "";
    if (char === "\\") text += escaped(program[++at] ?? "");
    else if (char === '"') {
      tokens.push({ kind: "string", text });
      return at + 1;
    } else text += char;
  }
  return program.length;
}

/** Numeric escapes are not decoded. They make the text unknown. */
function escaped(char: string): string {
  if (char === "n") return "\n";
  if (char === "t") return "\t";
  return /[\dxuabfrv]/.test(char) ? "\u{fffd}" : char;
}

function readName(program: string, start: number, tokens: Token[]): number {
  let at = start;
  while (at < program.length && /\w/.test(program[at] ?? "")) at++;
  tokens.push({ kind: "word", text: program.slice(start, at) });
  return at;
}

/** A `/` after a value divides. After anything else it starts a regex. */
function mayStartRegex(last: Token | undefined): boolean {
  if (last === undefined || last.kind === "end") return true;
  if (last.kind === "string") return false;
  if (last.kind === "word") return /^(print|printf|return|in|else|do)$/.test(last.text);
  return !/^[)\]\d$]$/.test(last.text);
}

function regexEnd(program: string, start: number, hasBrackets: boolean): number | undefined {
  let inBrackets = false;
  for (let at = start + 1; at < program.length && program[at] !== "\n"; at++) {
    const char = program[at];
    if (char === "\\") at++;
    else if (inBrackets && program.startsWith("[:", at)) at = Math.max(at, program.indexOf(":]", at) + 1);
    else if (inBrackets) inBrackets = char !== "]";
    else if (char === "[" && hasBrackets) {
      inBrackets = true;
      at += /^\^?\]?/.exec(program.slice(at + 1, at + 3))?.[0].length ?? 0;
    } else if (char === "/") return at + 1;
  }
  return undefined;
}

function lineEnd(program: string, at: number): number {
  const end = program.indexOf("\n", at);
  return end < 0 ? program.length : end;
}
