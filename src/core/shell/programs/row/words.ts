import { concat, known, knownStart, literal, type Text, withoutStart } from "../../text.ts";
import type { Action, Call, Effects, Program } from "../../types.ts";

export const readsOnly: Program = () => {};

const output =
  /^--?(?:o|(?:out|output|reports?|log|cache|coverage|results?|data|artifacts?)(?:[-_]?(?:file|dir|folder|directory|path|root))?)$/i;

/** Options that name an output in nearly every program: `-o X`, `--out-dir=X`. */
export function mentionOutputs(args: readonly Text[], effects: Effects): void {
  args.forEach((word, index) => {
    const start = knownStart(word);
    const [name = ""] = start.split("=", 1);
    if (!output.test(name)) return;
    effects.operand(name === start ? (args[index + 1] ?? []) : withoutStart(word, name.length + 1));
  });
}

export function both(...programs: readonly Program[]): Program {
  return (call, effects) => {
    for (const program of programs) program(call, effects);
  };
}

/** One program with several names. */
export function named(names: string, program: Program): [string, Program][] {
  return names.split(/\s+/).flatMap((name): [string, Program][] => (name === "" ? [] : [[name, program]]));
}

export function asksForHelp(args: readonly Text[]): boolean {
  return args.length === 1 && /^(--help|--version|-V|--usage)$/.test(known(args[0] ?? []) ?? "");
}

export function isDash(text: Text): boolean {
  return known(text) === "-";
}

/** Whether a part of a name, such as a suffix, could lead into another folder. */
export function hasSlash(part: Text | undefined): boolean {
  return part !== undefined && (known(part) ?? "/").includes("/");
}

export function writeFiles(files: readonly Text[], effects: Effects): void {
  for (const file of files) if (!isDash(file)) effects.write(file);
}

export function writeTrees(folders: readonly Text[], effects: Effects, action: Action = "write"): void {
  for (const folder of folders) effects.write(folder, action, { tree: true });
}

/** Mentions the arguments of a program that is not followed: operands, and values after `=`. */
export function mention(args: readonly Text[], effects: Effects): void {
  for (const word of args) {
    const start = knownStart(word);
    if (!start.startsWith("-")) effects.operand(word);
    else if (start.includes("=")) effects.operand(withoutStart(word, start.indexOf("=") + 1));
    else if (start.includes("/")) effects.code(word);
  }
}

/** `folder/name`. */
export function inFolder(folder: Text, name: Text): Text {
  const last = folder.at(-1);
  const isOpen = last?.kind === "literal" && last.text.endsWith("/");
  return folder.length === 0 ? name : concat(folder, isOpen ? [] : literal("/"), name);
}

/** The words joined as one line, as `ssh`, `watch` and `eval` do. */
export function joined(words: readonly Text[]): Text {
  return joinedBy(" ", words);
}

export function joinedBy(separator: string, texts: readonly Text[]): Text {
  return concat(...texts.flatMap((text, index) => (index === 0 ? [text] : [literal(separator), text])));
}

/** The last part of a path, if it is known. */
export function baseName(path: Text): Text | undefined {
  const last = path.at(-1);
  if (last?.kind !== "literal") return undefined;
  const trimmed = withoutSlashes(last.text);
  const slash = trimmed.lastIndexOf("/");
  if (slash < 0 && path.length > 1) return undefined;
  const name = trimmed.slice(slash + 1);
  return name === "" ? undefined : literal(name);
}

function withoutSlashes(path: string): string {
  let end = path.length;
  while (end > 1 && path[end - 1] === "/") end--;
  return path.slice(0, end);
}

/** The content of a file operand, if the command itself provides it: standard input, or the end of a pipe. */
export function contentOf(file: Text, call: Call): Text | undefined {
  const pipe = file.find((piece) => piece.kind === "pipe");
  if (pipe?.kind === "pipe") return pipe.content;
  const isInput = /^(?:-|\/dev\/stdin|\/dev\/fd\/0|\/proc\/self\/fd\/0)$/.test(known(file) ?? "");
  return isInput && call.input.kind === "text" ? call.input.text : undefined;
}
