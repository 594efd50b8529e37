import type { Text } from "./text.ts";

export type Action = "write" | "delete" | "move" | "attributes" | "link" | "folder";

/** Something that a command would change on disk. */
export interface ShellWrite {
  readonly target: Text;
  /** Folders that a relative target may start from; undefined where that is unknown. */
  readonly from: readonly (string | undefined)[];
  readonly action: Action;
  /** True if everything below the target is changed too. */
  readonly tree: boolean;
  /** True for a formatter and the like, which walks a tree but leaves git's and other tools' folders alone. */
  readonly sourcesOnly: boolean;
  /** The program, or `redirection`. */
  readonly by: string;
  readonly because?: Because;
}

/** What decided, where that is asked for: a row of the table, and what in the command. */
export interface Because {
  readonly row: string;
  readonly what: string;
}

/** Why a command is refused to every caller with a task, whatever its scope. */
export type RefusalKind =
  | "unparsed" // cannot be parsed, too long, too deep, too much
  | "unresolved-command"
  | "unknown-code" // data of unknown content into a shell
  | "loader" // changes how later commands are found or loaded
  | "no-verify"
  | "refs" // moves refs, resets or stashes the whole tree, adds worktrees
  | "agent" // starts another agent
  | "lockstep"; // Lockstep's own commands that are a person's

export interface Refusal {
  readonly kind: RefusalKind;
  readonly why: string;
  readonly because?: Because;
}

/** A program whose writes cannot be known before it runs. */
export interface Opaque {
  readonly by: string;
  readonly why: string;
  /** `npm run build`, `yarn test` and the like. */
  readonly runsScript?: true;
  /** The file that an interpreter runs, absolute, where that is known. */
  readonly script?: string;
  /** Where its command's name is in the source; absent where the shell itself runs the unknown code. */
  readonly at?: number;
  readonly because?: Because;
}

/** A git command that is followed itself, but runs these hooks where the repository has them. */
export interface HookRun {
  readonly hooks: readonly string[];
  /** As of what is opaque. */
  readonly at?: number;
}

/** What a git command does with the index, which all agents and people of a checkout share. */
export interface IndexUse {
  /** `untrack` takes paths out of it, `unstage` makes them what the commit has. */
  readonly does: "stage" | "unstage" | "untrack" | "commit";
  /** As git is given them. */
  readonly paths: readonly string[] | "all";
  /** Files that git knows alone, or any, ignored ones too; without, all that it does not ignore. */
  readonly only?: "tracked" | "any";
}

/** The same, from a folder; undefined where that is unknown. */
export interface IndexUseFrom extends IndexUse {
  readonly from: string | undefined;
}

interface OpaqueOptions extends Pick<Opaque, "runsScript"> {
  readonly script?: Text;
}

/** Text handed to a program whose reads and writes are not known; it may name somebody else's path. */
export interface Mention {
  readonly text: string;
  /** True for a whole operand, false for inline code or prose. */
  readonly operand: boolean;
  readonly from: readonly (string | undefined)[];
  readonly by: string;
  readonly because?: Because;
}

export interface ShellAnalysis {
  readonly programs: readonly string[];
  readonly writes: readonly ShellWrite[];
  readonly refusals: readonly Refusal[];
  readonly opaque: readonly Opaque[];
  readonly hookRuns: readonly HookRun[];
  readonly indexUses: readonly IndexUseFrom[];
  readonly mentions: readonly Mention[];
}

/** What a program would read: text known now, the content of a file, or something unknown. */
export type Input =
  | { readonly kind: "none" }
  | { readonly kind: "text"; readonly text: Text }
  | { readonly kind: "file"; readonly path: Text }
  | { readonly kind: "unknown" };

/** One program about to run. `name` is the base name; `args` do not include it. */
export interface Call {
  readonly name: string;
  readonly args: readonly Text[];
  readonly input: Input;
  /** The task that the caller works on, where that is known. */
  readonly task?: string | undefined;
  /** True for a caller that hands out tasks. */
  readonly orchestrates?: boolean | undefined;
  /** Whether git, in these folders one after the other, finds the project's own repository; where absent, nobody knows. */
  readonly isOwnRepository?: ((folders: readonly Text[]) => boolean) | undefined;
  /** Numbers of processes that no command may end. */
  readonly processes?: readonly number[] | undefined;
  /** The work tree as the program finds it; undefined where the command may have changed it before. */
  readonly tree?: WorkTree | undefined;
}

export interface WorkTree {
  /** Whether something lies there; a relative path starts from the folder that the program runs in. */
  holds(path: string): boolean;
  isFolder(path: string): boolean;
  /** Whether a branch, a tag or another ref may go by this name. */
  mayBeRef(name: string): boolean;
}

/** What a program's description says of a call. */
export interface Effects {
  write(target: Text, action?: Action, options?: WriteOptions): void;
  refuse(kind: RefusalKind, why: string): void;
  /** The program does more than is said here, and only the run will tell what. */
  opaque(why: string, options?: OpaqueOptions): void;
  /** Git runs hooks of these names, if its repository has them. */
  hooks(names: readonly string[]): void;
  /** Git reads or changes its index. */
  index(use: IndexUse): void;
  /** An operand (or option value) that may be read or written by a program we do not know. */
  operand(text: Text): void;
  /** Inline code or prose in a language that is not followed; scanned for foreign paths. */
  code(text: Text): void;
  /** The program runs this command: the first word is its name. */
  run(words: readonly Text[], options?: RunOptions): void;
  /** The program hands this text to a shell; `args` become $0, $1, … */
  shell(code: Text, args?: readonly Text[]): void;
  /** The same report, with relative paths read from this folder. */
  within(folder: Text): Effects;
  /** What decides about that which is reported next. Only there where it is asked for. */
  because?(row: string | undefined, what: string): void;
}

interface WriteOptions {
  readonly tree?: boolean;
  readonly sourcesOnly?: boolean;
}

export interface RunOptions {
  readonly input?: Input;
  /** Variables set for the command alone. */
  readonly env?: readonly { readonly name: string; readonly value: Text }[];
}

/** Tells what a call would do. A program that only reads reports nothing. */
export type Program = (call: Call, effects: Effects) => void;
