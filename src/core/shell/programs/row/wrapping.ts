import { known, knownParts, knownStart, literal, type Text, withoutStart } from "../../text.ts";
import type { Effects, Input, RunOptions } from "../../types.ts";
import { programOfPackage } from "../agents/agent-names.ts";

export function runWords(words: readonly Text[], effects: Effects, options: RunOptions = {}): void {
  const start = known(words[0] ?? []) === "--" ? 1 : 0;
  if (words.length > start) effects.run(words.slice(start), options);
}

/** `A=1 B=2 command`: the assignments apply only to the command. */
export function runWithAssignments(words: readonly Text[], effects: Effects, input?: Input): void {
  const { env, rest } = readAssignments(words);
  runWords(rest, effects, input === undefined ? { env } : { env, input });
}

function readAssignments(words: readonly Text[]): {
  env: { name: string; value: Text }[];
  rest: readonly Text[];
} {
  const env: { name: string; value: Text }[] = [];
  let at = 0;
  for (; at < words.length; at++) {
    const word = words[at] ?? [];
    const name = /^([^=]+)=/s.exec(knownStart(word))?.[1];
    if (name === undefined) break;
    env.push({ name, value: withoutStart(word, name.length + 1) });
  }
  return { env, rest: words.slice(at) };
}

/**
 * `PACKAGE args`, as `npx` and similar programs run it: the package's program, from any source. A single word with
 * blanks is a line for a shell.
 */
export function runPackage(words: readonly Text[], effects: Effects): void {
  const [name, ...rest] = withoutDashes(words);
  if (name === undefined) return;
  if (rest.length === 0 && /\s/.test(knownParts(name))) {
    effects.shell(name);
    return;
  }
  const spelled = known(name);
  const isAddress = spelled !== undefined && /^(?:[a-z+]+:|\.{0,2}\/)/.test(spelled);
  const program = spelled === undefined || isAddress ? name : literal(programOfPackage(spelled));
  effects.run([program, ...withoutDashes(rest)]);
}

const withoutDashes = (words: readonly Text[]): readonly Text[] =>
  known(words[0] ?? []) === "--" ? words.slice(1) : words;
