import { known, knownParts, literal, type Text, unknownText } from "../text.ts";
import type { Call, Effects, Program } from "../types.ts";
import { named, reading, writeFiles } from "./describe.ts";

/** Statements that make a database client write files or run programs on this machine. */
function tellStatements(code: Text, effects: Effects): void {
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

/** Commands of sqlite, which may be abbreviated, and functions of its that reach files. */
function tellSqlite(code: Text, effects: Effects): void {
  tellStatements(code, effects);
  const text = knownParts(code);
  for (const line of text.split("\n")) tellDotCommand(line, effects);
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

function tellDotCommand(line: string, effects: Effects): void {
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

function tellInput(call: Call, effects: Effects): void {
  if (call.input.kind === "text") tellStatements(call.input.text, effects);
}

const psql = reading(
  {
    values:
      "c,command f,file d,dbname h,host p,port U,username v,set,variable o,output L,log-file F,field-separator P,pset R,record-separator T,table-attr",
    flags:
      "l,list t,tuples-only A,no-align q,quiet x,expanded w,no-password W,password X,no-psqlrc 1,single-transaction a b e E n s S z 0 H",
  },
  (options, effects, call) => {
    writeFiles(options.all("o", "L"), effects);
    if (options.has("l")) return;
    effects.opaque("statements run");
    for (const code of options.all("c")) tellStatements(code, effects);
    tellInput(call, effects);
  },
);

const mysql = reading(
  {
    values:
      "e,execute D,database h,host P,port u,user S,socket tee init-command delimiter default-character-set ssl-mode",
    glued: "p,password",
    flags: "B,batch N t s,silent v r X,xml H,html",
  },
  (options, effects, call) => {
    writeFiles(options.all("tee"), effects);
    effects.opaque("statements run");
    for (const code of options.all("e", "init-command")) tellStatements(code, effects);
    tellInput(call, effects);
  },
);

/** The database may be written by any statement, so its path is only mentioned: reading is common. */
const sqlite = reading(
  {
    style: "long",
    values: "cmd init separator nullvalue newline mmap vfs ",
    flags:
      "readonly header noheader column csv json line list html box table markdown quote batch bail echo safe",
  },
  (options, effects, call) => {
    const [database, ...statements] = options.operands;
    if (options.has("init")) effects.opaque("a file of commands runs");
    for (const code of [...options.all("cmd"), ...statements]) tellSqlite(code, effects);
    if (call.input.kind === "text") tellSqlite(call.input.text, effects);
    else if (statements.length === 0) effects.opaque("commands of unknown content run");
    if (database === undefined || known(database) === ":memory:" || options.has("readonly")) return;
    effects.opaque("statements run");
    effects.operand(database);
  },
);

export const databases = new Map<string, Program>([
  ["psql", psql],
  ...named("mysql mariadb mycli", mysql),
  ...named("sqlite3 sqlite", sqlite),
  ["duckdb", sqlite],
]);
