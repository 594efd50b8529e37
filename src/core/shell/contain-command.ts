import { shellWord } from "../points/quoted.ts";
import type { Opaque } from "./types.ts";

interface Contained {
  /** Starts a program in the sandbox. */
  readonly prefix: string;
  /** True for a client that finds no program in a text with something to expand, as the prefix has. */
  readonly inQuotes: boolean;
}

/**
 * The command with everything that cannot be followed behind the prefix: each such program by itself, so that what is
 * around it stays in the client's own shell, or the command as a whole where the shell itself runs the unknown code.
 * Clients judge the new text by their user's rules. So the old one comes first, where it never runs: what the user has
 * forbidden, or wants to be asked about, is still found.
 */
export function containCommand(
  command: string,
  opaque: readonly Opaque[],
  { prefix, inQuotes }: Contained,
): string {
  const contained = inSandbox(command, opaque, prefix);
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

function inSandbox(command: string, opaque: readonly Opaque[], prefix: string): string {
  const places = opaque.map(({ at }) => at);
  if (places.includes(undefined)) return `${prefix} bash -c ${shellWord(command)}`;
  return [...new Set(places as readonly number[])]
    .sort((one, other) => other - one)
    .reduce((text, at) => `${text.slice(0, at)}${prefix} ${text.slice(at)}`, command);
}
