import type { OptionSpec, Options } from "../../read-options.ts";
import type { Text } from "../../text.ts";
import type { Action, Call, Effects, RefusalKind } from "../../types.ts";

/**
 * What a program does, as plain data. Lists of options are written as in `OptionSpec`: `o,output q`. The guard's
 * table and `guard.programs` of a configuration consist of rows.
 */
export interface Row extends Deed {
  /** The names of the program, separated by spaces. */
  readonly names: string;
  /** Commands in which the row must find something. A ` -> a b` at the end lists exactly the paths that are written. */
  readonly match?: readonly string[];
  /** Commands in which the row must find nothing. */
  readonly no_match?: readonly string[];
}

/** What a call does, by its options and operands. An empty deed only reads. */
export interface Deed extends OptionSpec, Values, Writes, Runs {
  /** With one of these options the program only reads. Values of `files` and `folders` are still written. */
  readonly harmless?: string;
  /** Why the program is opaque: it does more than the row says. */
  readonly opaque?: string;
  /**
   * Words that an opaque program may read or write: all of them, the operands, or the values of options such as
   * `--out`; `code`: the operands are text that may name paths.
   */
  readonly mentions?: "all" | "operands" | "outputs" | "code";
  /** The program is refused to every agent. */
  readonly refuses?: { readonly kind: RefusalKind; readonly why: string };
  /** What it reads from standard input: shell code, or code in a language that is not followed. */
  readonly input?: "shell" | "code";
  /** The first case whose `when` holds replaces the rest of the row. The options are those of the row. */
  readonly cases?: readonly Deed[];
  /**
   * Each entry whose `when` holds applies in addition to the row or its subcommand. The options are those of the row.
   */
  readonly besides?: readonly Deed[];
  /**
   * Subcommands by the first operand; names are separated by spaces. Any other word selects the row itself. Options
   * of the row also apply to subcommands.
   */
  readonly commands?: Readonly<Record<string, Deed>>;
  /** What a program with `commands` does without a subcommand; by default what the row says. */
  readonly alone?: Deed;
  /** Only in the guard's own table: code for effects that a row cannot declare. It runs last, in the same folder. */
  readonly also?: Hook;
  /** Only in the guard's own table: rewrites the words before options are read. */
  readonly spelled?: (words: readonly Text[]) => readonly Text[];
}

export type Hook = (options: Options, effects: Effects, call: Call) => void;

/** Options, by the meaning of their value. */
interface Values {
  /** A file that is written; `-` is a file name only if the row has an `action`. */
  readonly files?: string;
  /** A folder into which files are written. */
  readonly folders?: string;
  /** Part of the name of a written file. With a slash in it, the file may be anywhere. */
  readonly parts?: string;
  /** The folder in which the program works. */
  readonly in?: string;
  /** A line for a shell. */
  readonly shell?: string;
  /** A program that is run. */
  readonly programs?: string;
  /** Code in a language that is not followed. */
  readonly code?: string;
}

interface Writes {
  /** Which operands are written. */
  readonly writes?: "operands" | "first" | "second" | "last" | "after-first" | "after-second";
  /** Default: `write`, and `-` is standard output. With an explicit action, `-` is a file name. */
  readonly action?: Action;
  /** Whether a written path may be a folder with everything below it: always, or with one of these options. */
  readonly tree?: boolean | string;
  /** The program walks trees but skips git's and other tools' folders. */
  readonly sources?: boolean;
  /** Suffixes of the files written next to the operands; the operands themselves are not written. `*` is any name. */
  readonly suffix?: string;
  /** Written, with everything below, if there are no operands. */
  readonly otherwise?: string;
  /** Paths that are always written, separated by spaces; `*` is any name. */
  readonly fixed?: string;
  /** Operands and `fixed` are written, and operands run, only with one of these options. */
  readonly when?: string;
  /** … and not with one of these. */
  readonly unless?: string;
  /** … and only with at least this many operands. */
  readonly needs?: number;
}

interface Runs {
  /**
   * What the program runs: its operands as a command (or only those after `--`), its operands joined as a line for a
   * shell (`shell`: without operands, a shell), each operand as a line, a package's program with its arguments, or
   * code and scripts as an interpreter does.
   */
  readonly runs?: "operands" | "after-dashes" | "line" | "shell" | "each" | "package" | "script";
  /** Number of the program's own operands before the command, or before the mentioned operands. */
  readonly skip?: number;
  /** `NAME=value` words may come before the command. */
  readonly assignments?: boolean;
  /** The program that gets the operands. */
  readonly as?: string;
}
