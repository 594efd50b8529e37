import { shellWord } from "../text/quoted.ts";
import type { ShellAnalysis } from "./types.ts";

/** The prefix of a program that runs in the sandbox, and of a git command whose hooks run in the sandbox. */
export interface Prefixes {
  readonly sandbox: string;
  readonly hooks: string;
}

type Parts = Pick<ShellAnalysis, "opaque" | "hookRuns">;

interface Containing {
  readonly prefixes: Prefixes;
  /** True for a client that finds no programs in a text with expansions, which the prefixes contain. */
  readonly inQuotes: boolean;
}

/**
 * The command with a prefix before every program that cannot be followed; the prefix starts the program in the
 * sandbox. Each such program gets its own prefix, so that the rest stays in the client's shell. If the shell itself
 * runs unknown code, the whole command gets the prefix. Clients apply the user's permission rules to the new text.
 * The original text therefore comes first, in a place where it never runs, so that the client still finds what the
 * user has forbidden or wants to be asked about.
 */
export function containCommand(command: string, parts: Parts, { prefixes, inQuotes }: Containing): string {
  const contained = withPrefixes(command, parts, prefixes);
  const form = !isList(command) ? "branch" : inQuotes ? "quoted" : "list";
  const [before, after] = neverRun[form];
  return `${before}${command}${after}${form === "quoted" ? shellWord(contained) : contained}`;
}

/** The text around a command that must not run. Codex finds no programs in an `if`. */
export const neverRun = {
  list: ["false && ", "; "],
  quoted: ["false && ", "; eval "],
  branch: ["if false; then\n", "\nfi\n"],
} as const;

const quotedText = /'[^']*'|"[^"]*"/g;
const beyondList = /[;\n#(){}<>]|\|\||(?<!&)&(?!&)/;

/** True for commands joined only by `&&` and `|`: after `false &&` none of them runs. */
function isList(command: string): boolean {
  return !/[\\`]|\$\(/.test(command) && !beyondList.test(command.replace(quotedText, ""));
}

function withPrefixes(command: string, { opaque, hookRuns }: Parts, { sandbox, hooks }: Prefixes): string {
  const sandboxed = new Set(opaque.map(({ at }) => at));
  if (sandboxed.has(undefined)) return `${sandbox} bash -c ${shellWord(command)}`;
  // A sandbox around git also contains its hooks.
  const hooked = new Set(hookRuns.map(({ at }) => at).filter((at) => !sandboxed.has(at)));
  const prefixed = ([...sandboxed, ...hooked].filter((at) => at !== undefined) as number[])
    .sort((one, other) => other - one)
    .reduce(
      (text, at) => `${text.slice(0, at)}${sandboxed.has(at) ? sandbox : hooks} ${text.slice(at)}`,
      command,
    );
  return hooked.has(undefined) ? `${hooks} bash -c ${shellWord(prefixed)}` : prefixed;
}
