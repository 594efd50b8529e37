import { keysOf, type OptionSpec, optionReader } from "../read-options.ts";
import { known, knownStart, literal, type Text, withoutStart } from "../text.ts";
import type { Effects, Input, Program, RunOptions } from "../types.ts";
import { programOfPackage } from "./agent-names.ts";
import { asksForHelp, joined, writeFiles } from "./describe.ts";

/** Facts about a program that runs the command it is given. */
export interface Wrapping extends OptionSpec {
  /** Operands of its own before the command. */
  readonly skip?: number;
  /** `NAME=value` words may stand before the command. */
  readonly assignments?: boolean;
  /** Options whose value is a file that is written. */
  readonly files?: string;
  /** Options whose value is the folder that the command runs in. */
  readonly folder?: string;
  /** Options whose value is handed to a shell. */
  readonly code?: string;
  /** Options with which the words are joined and handed to a shell. */
  readonly joins?: string;
  /** Options with which nothing runs. */
  readonly looks?: string;
  /** What else it does. */
  readonly opaque?: string;
}

export function wrapping(facts: Wrapping): Program {
  const read = optionReader({
    ...facts,
    values: [facts.values, facts.files, facts.folder, facts.code].join(" "),
    flags: [facts.flags, facts.joins, facts.looks].join(" "),
    wrapper: true,
  });
  const keys = {
    files: keysOf(facts.files),
    folder: keysOf(facts.folder),
    code: keysOf(facts.code),
    joins: keysOf(facts.joins),
    looks: keysOf(facts.looks),
  };
  return (call, effects) => {
    if (asksForHelp(call.args)) return;
    const options = read(call.args);
    if (facts.opaque !== undefined) effects.opaque(facts.opaque);
    writeFiles(options.all(...keys.files), effects);
    const folder = options.value(...keys.folder);
    const inner = folder === undefined ? effects : effects.within(folder);
    for (const code of options.all(...keys.code)) inner.shell(code);
    if (options.has(...keys.looks)) return;
    const words = options.operands.slice(facts.skip ?? 0);
    if (options.has(...keys.joins)) {
      if (words.length > 0) inner.shell(joined(words));
      else inner.run([literal("sh")]);
    } else if (facts.assignments === true) runWithAssignments(words, inner);
    else runWords(words, inner);
  };
}

/** A program that hands the value of an option to a shell, and whose operands are no command. */
export function runsCode(facts: Pick<Wrapping, "values" | "flags" | "code" | "opaque">): Program {
  const read = optionReader({ ...facts, values: `${facts.values ?? ""} ${facts.code ?? ""}` });
  return (call, effects) => {
    if (facts.opaque !== undefined) effects.opaque(facts.opaque);
    for (const code of read(call.args).all(...keysOf(facts.code))) effects.shell(code);
  };
}

export function runWords(words: readonly Text[], effects: Effects, options: RunOptions = {}): void {
  const start = known(words[0] ?? []) === "--" ? 1 : 0;
  if (words.length > start) effects.run(words.slice(start), options);
}

/** `A=1 B=2 command`: the assignments hold for the command alone. */
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

/** `PACKAGE args`, as `npx` and its kin run it: the package's program, wherever it comes from. */
export function runPackage(words: readonly Text[], effects: Effects): void {
  const [name, ...rest] = withoutDashes(words);
  if (name === undefined) return;
  const spelled = known(name);
  const isAddress = spelled !== undefined && /^(?:[a-z+]+:|\.{0,2}\/)/.test(spelled);
  const program = spelled === undefined || isAddress ? name : literal(programOfPackage(spelled));
  effects.run([program, ...withoutDashes(rest)]);
}

const withoutDashes = (words: readonly Text[]): readonly Text[] =>
  known(words[0] ?? []) === "--" ? words.slice(1) : words;
