import { shellWord } from "../text/quoted.ts";
import type { ShellAnalysis } from "./types.ts";

/** What is put before a program that runs in the sandbox, and before a git command whose hooks do. */
export interface Prefixes {
  readonly sandbox: string;
  readonly hooks: string;
}

type Parts = Pick<ShellAnalysis, "opaque" | "hookRuns">;

interface Containing {
  readonly prefixes: Prefixes;
  /** True for a client that finds no program in a text with something to expand, as the prefixes have. */
  readonly inQuotes: boolean;
}

/**
 * The command with everything that cannot be followed behind a prefix, which starts it in the sandbox: each
 * such program by itself, so that what is around it stays in the client's own shell, or the command as a whole where
 * the shell itself runs the unknown code. Clients judge the new text by their user's rules. So the old one comes first,
 * where it never runs: what the user has forbidden, or wants to be asked about, is still found.
 */
export function containCommand(command: string, parts: Parts, { prefixes, inQuotes }: Containing): string {
  const contained = withPrefixes(command, parts, prefixes);
  const form = !isList(command) ? "branch" : inQuotes ? "quoted" : "list";
  const [before, after] = neverRun[form];
  return `${before}${command}${after}${form === "quoted" ? shellWord(contained) : contained}`;
}

/** What is around a command that is not to run. Codex finds no programs in an `if`. */
export const neverRun = {
  list: ["false && ", "; "],
  quoted: ["false && ", "; eval "],
  branch: ["if false; then\n", "\nfi\n"],
} as const;

const quotedText = /'[^']*'|"[^"]*"/g;
const ofMoreThanAList = /[;\n#(){}<>]|\|\||(?<!&)&(?!&)/;

/** True for commands that are joined by `&&` and `|` alone: behind `false &&` none of them runs. */
function isList(command: string): boolean {
  return !/[\\`]|\$\(/.test(command) && !ofMoreThanAList.test(command.replace(quotedText, ""));
}

function withPrefixes(command: string, { opaque, hookRuns }: Parts, { sandbox, hooks }: Prefixes): string {
  const inside = new Set(opaque.map(({ at }) => at));
  if (inside.has(undefined)) return `${sandbox} bash -c ${shellWord(command)}`;
  // A sandbox around git is one around its hooks.
  const beside = new Set(hookRuns.map(({ at }) => at).filter((at) => !inside.has(at)));
  const text = ([...inside, ...beside].filter((at) => at !== undefined) as number[])
    .sort((one, other) => other - one)
    .reduce((so, at) => `${so.slice(0, at)}${inside.has(at) ? sandbox : hooks} ${so.slice(at)}`, command);
  return beside.has(undefined) ? `${hooks} bash -c ${shellWord(text)}` : text;
}
