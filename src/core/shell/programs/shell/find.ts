import { foundBelow } from "../../program-output.ts";
import { optionReader } from "../../read-options.ts";
import { anyName, concat, known, knownStart, literal, type Text, unknownText } from "../../text.ts";
import type { Effects, Program } from "../../types.ts";
import { asksForHelp, named } from "../row/words.ts";
import { hasMark, replaceMark } from "./split-quoted.ts";

const below: Text = [{ kind: "below" }];

const withValue = new Set(
  "name iname path ipath wholename iwholename regex iregex type xtype size mtime mmin atime amin ctime cmin newer anewer cnewer user group uid gid perm maxdepth mindepth printf samefile inum links lname ilname fstype used context regextype".split(
    " ",
  ),
);

const find: Program = (call, effects) => {
  if (asksForHelp(call.args)) return;
  const { starts: named, expression, isUnknown } = readFind(call.args);
  // Followed links may lead anywhere outside the start folders.
  const follows = call.args.some((word) => /^-(?:L|follow)$/.test(known(word) ?? ""));
  const starts = follows ? [unknownText] : named;
  for (let at = 0; at < expression.length; at++) {
    const word = known(expression[at] ?? []) ?? "";
    const name = word.replace(/^--?/, "");
    if (/^(?:exec|execdir|ok|okdir)$/.test(name)) {
      const { words, end } = readCommand(expression, at + 1);
      const found = foundBelow(call.args);
      for (const start of starts) runFor(concat(start, found), words, name.endsWith("dir"), effects);
      at = end;
    } else if (name === "delete") {
      for (const start of starts) effects.write(start, "write", { tree: true });
    } else if (/^f(?:print0?|ls|printf)$/.test(name)) {
      effects.write(expression[at + 1] ?? unknownText);
      at += name === "fprintf" ? 2 : 1;
    } else if (withValue.has(name) || /^newer\w\w$/.test(name)) at++;
  }
  if (isUnknown) effects.opaque("its start folders are read from a file");
};

function readFind(args: readonly Text[]): {
  starts: readonly Text[];
  expression: readonly Text[];
  isUnknown: boolean;
} {
  let at = 0;
  while (/^-(?:[HLPEXsdx]+|O\d)$/.test(known(args[at] ?? []) ?? "")) at++;
  if (known(args[at] ?? []) === "-D") at += 2;
  const from = at;
  while (at < args.length && !/^(?:-.|[()!,]$)/.test(knownStart(args[at] ?? []))) at++;
  const isUnknown = args.some((word) => /^-files0-from/.test(knownStart(word)));
  const starts = isUnknown ? [unknownText] : at > from ? args.slice(from, at) : [literal(".")];
  return { starts, expression: args.slice(at), isUnknown };
}

/** The words up to `;` or `{} +`. */
function readCommand(expression: readonly Text[], from: number): { words: readonly Text[]; end: number } {
  for (let at = from; at < expression.length; at++) {
    const word = known(expression[at] ?? []);
    const endsBatch = word === "+" && known(expression[at - 1] ?? []) === "{}";
    if (word === ";" || word === "\\;" || endsBatch) return { words: expression.slice(from, at), end: at };
  }
  return { words: expression.slice(from), end: expression.length };
}

/** `-execdir` runs in the folder of each file and gets the file's name. */
function runFor(path: Text, words: readonly Text[], inFolder: boolean, effects: Effects): void {
  if (words.length === 0) return;
  const found = inFolder ? concat(literal("./"), anyName) : path;
  const inner = inFolder ? effects.within(path) : effects;
  inner.run(
    words.map((word) => replaceMark(word, "{}", found)),
    { input: { kind: "none" } },
  );
}

const readFd = optionReader({
  values:
    "d,max-depth e,extension t,type E,exclude c,color S,size o,owner j,threads changed-within changed-before max-results path-separator base-directory,C search-path format ignore-file and min-depth exact-depth",
});
const fdMarks = ["{}", "{/}", "{//}", "{.}", "{/.}"];

/** `fd PATTERN [PATH…] -x command`. */
const fd: Program = (call, effects) => {
  const at = call.args.findIndex((word) =>
    /^(?:-[A-Za-z]*[xX]|--exec|--exec-batch)$/.test(known(word) ?? ""),
  );
  if (at < 0) return;
  const options = readFd(call.args.slice(0, at));
  const folders = [...options.operands.slice(1), ...options.all("search-path", "base-directory")];
  const { words } = readCommand(call.args, at + 1);
  for (const start of folders.length === 0 ? [literal(".")] : folders) {
    const found = concat(start, below);
    const used = fdMarks.filter((mark) => hasMark(words, mark));
    const filled = words.map((word) => used.reduce((text, mark) => replaceMark(text, mark, found), word));
    effects.run(used.length === 0 ? [...filled, found] : filled, { input: { kind: "none" } });
  }
};

/** `rg --pre COMMAND` runs it on every file. */
const rg: Program = (call, effects) => {
  const at = call.args.findIndex((word) => /^--(?:pre|hostname-bin)(?:$|=)/.test(knownStart(word)));
  if (at < 0) return;
  const glued = known(call.args[at] ?? [])?.split("=")[1];
  effects.run([
    glued === undefined ? (call.args[at + 1] ?? unknownText) : literal(glued),
    concat(literal("."), below),
  ]);
};

export const finders = new Map<string, Program>([
  ["find", find],
  ...named("fd fdfind", fd),
  ...named("rg ripgrep rga", rg),
]);
