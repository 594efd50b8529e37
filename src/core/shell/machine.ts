import type { Function as FunctionNode, ParsedScript, Word } from "unbash";
import type { Disk } from "../paths/place.ts";
import type { TaughtPrograms } from "./programs/row/taught.ts";
import type { Report } from "./report.ts";
import type { Text } from "./text.ts";
import type { Input } from "./types.ts";
import type { Outcome, World } from "./world.ts";

/** What is known of the place where a command would run. */
export interface ShellContext {
  readonly cwd: string;
  readonly root: string;
  /** Other checkouts of the same project. */
  readonly checkouts?: readonly string[];
  readonly home?: string;
  /** What TMPDIR holds, empty where it is not set; absent where that is not known. */
  readonly tmpdir?: string;
  /** Names of the variables that are set; where absent, any may be. */
  readonly environment?: ReadonlySet<string>;
  /** The folders of PATH, in which the shell looks for programs; where absent, none of them is the project's. */
  readonly path?: readonly string[];
  /** Numbers of processes that no command may end: Lockstep's own. */
  readonly processes?: readonly number[];
  /** The task that the caller works on. */
  readonly task?: string;
  /** The caller hands out tasks and may ask for what belongs to that. */
  readonly orchestrates?: boolean;
  readonly disk?: Pick<Disk, "kindOf" | "realPath">;
  /** Whether a ref of the project's repository may go by this name; where absent, any may. */
  readonly mayBeRef?: (name: string) => boolean;
  /** Programs that the project's configuration teaches. */
  readonly programs?: TaughtPrograms;
  /** Each effect is to say what decided about it. */
  readonly why?: boolean;
}

export interface RunLookup {
  /** Functions and aliases are not looked up. */
  readonly plain?: boolean;
  /** A program starts it, not the shell: even `echo` is a file then. */
  readonly asFile?: boolean;
}

/** The parts of the evaluator that its files call on each other through. */
export interface Machine {
  readonly context: ShellContext;
  readonly report: Report;
  /** Ends of functions, loops and scripts reached by return, break, continue or exit. */
  readonly escapes: Escapes;
  /** Variables that a `${x:=…}` may have set. */
  readonly defaulted: Set<string>;
  /** Variables whose values are taken for arithmetic. */
  readonly integers: Set<string>;
  /** Variables that refuse to be set again. */
  readonly constants: Set<string>;
  /** Variables that arithmetic, or a redirection to `{name}`, has set to some number. */
  readonly counted: Set<string>;
  /** Code of `trap`, looked at once more when the command has run. */
  readonly traps: Text[];
  script(script: ParsedScript, world: World, input: Input): Outcome;
  /** Fields that a word expands to. */
  fields(word: Word, world: World): readonly Text[];
  /** A word where no splitting happens: assignments, redirections, here-strings. */
  single(word: Word, world: World): Text;
  /** Runs a command given as expanded words. */
  run(words: readonly Text[], world: World, input: Input, options?: RunLookup): Outcome;
  function(body: FunctionNode["body"], world: World, input: Input, caller: World): Outcome;
  /** Parses and runs text as shell code in this very shell. */
  code(text: Text, world: World, input: Input): Outcome;
  /** The same in a shell of its own, whose changes to variables and folder are lost. */
  subshell(text: Text, world: World, input: Input): Text | undefined;
}

export interface Escapes {
  /** Undefined outside a function, where `return` does nothing. */
  readonly returned: World[] | undefined;
  /** Of every loop around, the innermost last; undefined outside, where `break` and `continue` do nothing. */
  readonly broken: readonly World[][] | undefined;
  /** Names that the function around has declared for itself; undefined outside. */
  readonly locals: Set<string> | undefined;
  readonly exited: World[];
}

export const commandBytesMax = 64 * 1024;
export const stepsMax = 6000;
/** Characters and fields that all expansions of one analysis may make together. */
export const expansionMax = 400_000;
/** Variables that one shell may set: each assignment copies them. */
export const variablesMax = 1000;
export const depthMax = 24;

/** The command goes beyond what is followed, and is refused. */
export class TooMuch extends Error {}
