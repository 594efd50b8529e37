import type { OptionSpec, Options } from "../../read-options.ts";
import type { Text } from "../../text.ts";
import type { Action, Call, Effects, RefusalKind } from "../../types.ts";

/**
 * What a program does, as plain data. Lists of options are written as in `OptionSpec`: `o,output q`. The table of the
 * guard and `guard.programs` of a configuration are made of these.
 */
export interface Row extends Deed {
  /** What the program is called, names apart by spaces. */
  readonly names: string;
  /** Commands in which the row must find something; ` -> a b` behind one says exactly what is written. */
  readonly match?: readonly string[];
  /** Commands in which the row must find nothing. */
  readonly no_match?: readonly string[];
}

/** What a call does by its options and operands. A deed that says nothing only reads. */
export interface Deed extends OptionSpec, Values, Writes, Runs {
  /** With one of these options it only reads, whatever else is said; what `files` and `folders` name is still written. */
  readonly harmless?: string;
  /** It does more than is said here; why. */
  readonly opaque?: string;
  /**
   * Words that an opaque program may read or write: all of them, the operands, or what options like `--out` name;
   * `code`: the operands are text in which a path may be named.
   */
  readonly mentions?: "all" | "operands" | "outputs" | "code";
  /** It is refused to every agent. */
  readonly refuses?: { readonly kind: RefusalKind; readonly why: string };
  /** What it reads from standard input: code for a shell, or for something that is not followed. */
  readonly input?: "shell" | "code";
  /** The first whose `when` holds is done in place of the rest of the row; the options are the row's. */
  readonly cases?: readonly Deed[];
  /** Each whose `when` holds is done besides the rest of the row or its subcommand; the options are the row's. */
  readonly besides?: readonly Deed[];
  /** By the first operand, names apart by spaces; any other word leaves the row itself. Options of the row hold below. */
  readonly commands?: Readonly<Record<string, Deed>>;
  /** What a program with `commands` does without one; otherwise what the row says. */
  readonly alone?: Deed;
  /** In the guard's own table: what no row can say, told after the rest and in the same folder. */
  readonly also?: Hook;
  /** In the guard's own table: the words as options are to be read from them. */
  readonly spelled?: (words: readonly Text[]) => readonly Text[];
}

export type Hook = (options: Options, effects: Effects, call: Call) => void;

/** Options by what their value is. */
interface Values {
  /** A file that is written; `-` is a file only where the row names an `action`. */
  readonly files?: string;
  /** A folder that is filled. */
  readonly folders?: string;
  /** A part of the name of a file that is written: with a slash in it the file may be anywhere. */
  readonly parts?: string;
  /** The folder that everything happens in. */
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
  /** `write` where there is none, and then `-` stands for the standard output: with one, it is a file's name. */
  readonly action?: Action;
  /** Whether what is written may be a folder with all below: always, or with one of these options. */
  readonly tree?: boolean | string;
  /** It walks trees but leaves git's and other tools' folders alone. */
  readonly sources?: boolean;
  /** Endings of the files that are written beside the operands, in place of the operands; `*` is some name. */
  readonly suffix?: string;
  /** Written in place of missing operands, with everything below. */
  readonly otherwise?: string;
  /** Paths that are written whatever the operands are, apart by spaces; `*` is some name. */
  readonly fixed?: string;
  /** Operands and `fixed` are written, and operands run, only with one of these options. */
  readonly when?: string;
  /** … and not with one of these. */
  readonly unless?: string;
  /** … and only with at least so many operands. */
  readonly needs?: number;
}

interface Runs {
  /**
   * What it runs: its operands as a command (also only those after `--`), its operands joined as a line for a shell
   * (`shell`: or a shell without them), each operand as a line, a package's program with its arguments, or code and
   * scripts as an interpreter does.
   */
  readonly runs?: "operands" | "after-dashes" | "line" | "shell" | "each" | "package" | "script";
  /** Operands of its own before the command, or before those that count as mentioned. */
  readonly skip?: number;
  /** `NAME=value` words may stand before the command. */
  readonly assignments?: boolean;
  /** The program that the operands are handed to. */
  readonly as?: string;
}
