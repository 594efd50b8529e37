import type { Command } from "commander";
import { printable } from "../../core/text/printable.ts";
import { topics } from "../help/topics.ts";
import { writeAll } from "../output/descriptor.ts";
import { type WordAtCursor, wordAtCursor } from "./word-at-cursor.ts";

export interface Candidate {
  readonly word: string;
  readonly about?: string;
}

const aboutMax = 60;

/** The hidden command of the completion scripts. Failures are silent, because the person is still typing. */
export async function completeCommand(program: Command, words: readonly string[]): Promise<void> {
  try {
    for (const line of await completionLines(program, words)) writeAll(1, `${line}\n`);
  } catch {
    // Nothing to offer.
  }
}

/** The output for the scripts: one line per candidate, or `:files`. */
export async function completionLines(
  program: Command,
  words: readonly string[],
): Promise<readonly string[]> {
  const at = wordAtCursor(program, words);
  const found = await candidates(program, at);
  if (found === "files") return [":files"];
  const fitting = found.filter(({ word }) => word.startsWith(at.typed));
  return fitting.map(({ word, about }) => `${at.before}${word}${shown(about)}`);
}

function shown(about: string | undefined): string {
  if (!about) return "";
  const text = printable(about);
  return `\t${text.length > aboutMax ? `${text.slice(0, aboutMax - 1)}…` : text}`;
}

async function candidates(
  program: Command,
  { command, wanted }: WordAtCursor,
): Promise<readonly Candidate[] | "files"> {
  if (wanted === "option") return optionsOf(command);
  if (wanted === "command") return commandsOf(command);
  if (command.name() === "help" && command.parent === program)
    return [...commandsOf(program), ...Object.entries(topics).map(([word, about]) => ({ word, about }))];
  return (await import("./known-values.ts")).knownValues(wanted.value);
}

function commandsOf(command: Command): readonly Candidate[] {
  return command
    .createHelp()
    .visibleCommands(command)
    .map((one) => ({ word: one.name(), about: one.summary() || one.description() }));
}

function optionsOf(command: Command): readonly Candidate[] {
  return command
    .createHelp()
    .visibleOptions(command)
    .map(({ long, short, description }) => ({ word: long ?? short ?? "", about: description }));
}
