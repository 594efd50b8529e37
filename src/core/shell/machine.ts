import type { Function as FunctionNode, ParsedScript, Word } from "unbash";
import type { Disk } from "../paths/place.ts";
import type { TaughtPrograms } from "./programs/row/taught.ts";
import type { Report } from "./report.ts";
import type { Text } from "./text.ts";
import type { Input } from "./types.ts";
import type { Outcome, World } from "./world.ts";

/** Facts about the place where a command would run. */
export interface ShellContext {
  readonly cwd: string;
  readonly root: string;
  /** Other checkouts of the same project. */
  readonly checkouts?: readonly string[];
  readonly home?: string;
  /** The value of TMPDIR, empty if it is not set; absent if unknown. */
  readonly tmpdir?: string;
  /** Names of the variables that are set; if absent, any variable may be set. */
  readonly environment?: ReadonlySet<string>;
  /** The folders of PATH, where the shell looks for programs; if absent, none of them is in the project. */
  readonly path?: readonly string[];
  /** Ids of processes that no command may end: Lockstep's own. */
  readonly processes?: readonly number[];
  /** The task that the caller works on. */
  readonly task?: string;
  /** True for an orchestrator, which hands out tasks and may run the commands for that. */
  readonly orchestrates?: boolean;
  readonly disk?: Pick<Disk, "kindOf" | "realPath">;
  /** Whether a ref of the project's repository may have this name; if absent, any name may be a ref. */
  readonly mayBeRef?: (name: string) => boolean;
  /** Programs that the project's configuration describes. */
  readonly programs?: TaughtPrograms;
  /** True if each effect must say what caused it. */
  readonly why?: boolean;
}

export interface RunLookup {
  /** Functions and aliases are not looked up. */
  readonly plain?: boolean;
  /** A program starts the command, not the shell: then even `echo` is a file. */
  readonly asFile?: boolean;
}

/** The part of the evaluator that the other files of the analysis call. */
export interface Machine {
  readonly context: ShellContext;
  readonly report: Report;
  /** Worlds in which a function, loop or script was left by return, break, continue or exit. */
  readonly escapes: Escapes;
  /** Variables that `${x:=…}` may have set. */
  readonly defaulted: Set<string>;
  /** Variables whose values are evaluated as arithmetic. */
  readonly integers: Set<string>;
  /** Read-only variables. */
  readonly constants: Set<string>;
  /** Variables that arithmetic, or a redirection to `{name}`, has set to an unknown number. */
  readonly counted: Set<string>;
  /** Code of `trap`, analysed again when the command has ended. */
  readonly traps: Text[];
  script(script: ParsedScript, world: World, input: Input): Outcome;
  /** Fields that a word expands to. */
  fields(word: Word, world: World): readonly Text[];
  /** A word where no splitting happens: assignments, redirections, here-strings. */
  single(word: Word, world: World): Text;
  /** Runs a command given as expanded words. */
  run(words: readonly Text[], world: World, input: Input, options?: RunLookup): Outcome;
  function(body: FunctionNode["body"], world: World, input: Input, caller: World): Outcome;
  /** Parses and runs text as shell code in the current shell. */
  code(text: Text, world: World, input: Input): Outcome;
  /** The same in a subshell, which loses its changes to variables and folder. */
  subshell(text: Text, world: World, input: Input): Text | undefined;
}

export interface Escapes {
  /** Undefined outside a function, where `return` does nothing. */
  readonly returned: World[] | undefined;
  /**
   * One list for each enclosing loop, the innermost last; undefined outside loops, where `break` and `continue` do
   * nothing.
   */
  readonly broken: readonly World[][] | undefined;
  /** Local names of the enclosing function; undefined outside. */
  readonly locals: Set<string> | undefined;
  readonly exited: World[];
}

export const commandBytesMax = 64 * 1024;
export const stepsMax = 6000;
/** Limit for the characters and fields that all expansions of one analysis make together. */
export const expansionMax = 400_000;
/** Limit for the variables of one shell: each assignment copies them. */
export const variablesMax = 1000;
export const depthMax = 24;

/** The command exceeds a limit of the analysis, and is refused. */
export class LimitExceeded extends Error {}
