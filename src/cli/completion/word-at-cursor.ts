import type { Argument, Command, Option } from "commander";

/** What the word at the cursor completes to: a command, an option, or the value of an argument or option. */
export interface WordAtCursor {
  readonly command: Command;
  /** The typed part of the candidates. */
  readonly typed: string;
  /** The text before them in the same word, such as `--agent=`. */
  readonly before: string;
  readonly wanted: "command" | "option" | { readonly value: string };
}

/** `words` are those after `lockstep`; the last one is at the cursor, and may be empty. */
export function wordAtCursor(program: Command, words: readonly string[]): WordAtCursor {
  // Bash gives `--agent=x` as three words.
  const [typed = "", ...before] = words
    .filter((word, at) => word !== "=" || at === words.length - 1)
    .toReversed();
  const walk = new Walk(program);
  for (const word of before.toReversed()) walk.pass(word);
  return walk.stop(typed === "=" ? "" : typed);
}

class Walk {
  #command: Command;
  /** The number of operands so far. */
  #operands = 0;
  /** The option whose value comes next. */
  #open: Option | undefined;
  #onlyOperands = false;

  constructor(program: Command) {
    this.#command = program;
  }

  pass(word: string): void {
    const isOption = word.startsWith("-") && word !== "-" && !this.#onlyOperands;
    if (word === "--") this.#onlyOperands = true;
    if (isOption) {
      const option = this.#option(word);
      this.#open = option !== undefined && takesValue(option) && !word.includes("=") ? option : undefined;
    } else if (this.#open !== undefined) {
      if (!this.#open.variadic) this.#open = undefined;
    } else {
      const next =
        this.#operands === 0 ? this.#command.commands.find((one) => one.name() === word) : undefined;
      if (next === undefined) this.#operands += 1;
      else this.#command = next;
    }
  }

  stop(typed: string): WordAtCursor {
    const at = { command: this.#command, typed, before: "" };
    const [, name = "", value] = /^(--[^=]+=)(.*)$/.exec(typed) ?? [];
    const option = value === undefined ? undefined : this.#option(name);
    if (option !== undefined && value !== undefined)
      return { ...at, typed: value, before: name, wanted: { value: valueName(option) } };
    if (typed.startsWith("-") && !this.#onlyOperands) return { ...at, wanted: "option" };
    if (this.#open !== undefined) return { ...at, wanted: { value: valueName(this.#open) } };
    const argument = this.#argument();
    if (argument === undefined && this.#operands === 0 && this.#command.commands.length > 0)
      return { ...at, wanted: "command" };
    return { ...at, wanted: { value: argument?.name() ?? "" } };
  }

  #option(word: string): Option | undefined {
    const [name] = word.split("=");
    return this.#command.options.find(({ long, short }) => long === name || short === name);
  }

  #argument(): Argument | undefined {
    const { registeredArguments: all } = this.#command;
    const last = all.at(-1);
    return all[this.#operands] ?? (last?.variadic === true ? last : undefined);
  }
}

function takesValue({ required, optional }: Option): boolean {
  return required || optional;
}

/** `task` in `--depends-on <task...>`. */
function valueName({ flags }: Option): string {
  return /[<[]([\w-]+)/.exec(flags)?.[1] ?? "";
}
