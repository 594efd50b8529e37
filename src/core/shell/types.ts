import type { Text } from "./text.ts";

export type Action = "write" | "delete" | "move" | "attributes" | "link" | "folder";

/** Something that a command would change on disk. */
export interface ShellWrite {
  readonly target: Text;
  /** Folders that a relative target may start from; undefined if unknown. */
  readonly from: readonly (string | undefined)[];
  readonly action: Action;
  /** True if everything below the target changes, too. */
  readonly tree: boolean;
  /** True for formatters and similar programs, which walk a tree but skip git's and other tools' folders. */
  readonly sourcesOnly: boolean;
  /** The program, or `redirection`. */
  readonly by: string;
  readonly because?: Because;
}

/** The cause of a finding, if requested: a row of the table, and the words of the command. */
export interface Because {
  readonly row: string;
  readonly what: string;
}

/** Why a command is refused to every caller with a task, independent of its scope. */
export type RefusalKind =
  | "unparsed" // cannot be parsed, too long, too deep, too much
  | "unresolved-command"
  | "unknown-code" // data of unknown content into a shell
  | "loader" // changes how later commands are found or loaded
  | "no-verify"
  | "refs" // moves refs, resets or stashes the whole tree, adds worktrees
  | "agent" // starts another agent
  | "lockstep"; // Lockstep's own commands that only a person may run

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
  /** The absolute path of the file that an interpreter runs, if known. */
  readonly script?: string;
  /** Position of the command's name in the source; absent if the shell itself runs the unknown code. */
  readonly at?: number;
  readonly because?: Because;
}

/** A git command that is followed, but runs these hooks if the repository has them. */
export interface HookRun {
  readonly hooks: readonly string[];
  /** Position of the command's name in the source, as in `Opaque`. */
  readonly at?: number;
}

/** How a git command uses the index, which all agents and people of a checkout share. */
export interface IndexUse {
  /** `untrack` removes paths from the index, `unstage` resets them to the commit. */
  readonly does: "stage" | "unstage" | "untrack" | "commit";
  /** The paths as passed to git. */
  readonly paths: readonly string[] | "all";
  /** `tracked`: only files that git tracks; `any`: also ignored files; absent: all files that git does not ignore. */
  readonly only?: "tracked" | "any";
}

/** The same with its working folder; undefined if unknown. */
export interface IndexUseFrom extends IndexUse {
  readonly from: string | undefined;
}

interface OpaqueOptions extends Pick<Opaque, "runsScript"> {
  readonly script?: Text;
}

/** Text passed to a program whose reads and writes are unknown. It may name a path of another task. */
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

/** The input of a program: text known now, the content of a file, or unknown. */
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
  /** The caller's task, if known. */
  readonly task?: string | undefined;
  /** True for a caller that hands out tasks. */
  readonly orchestrates?: boolean | undefined;
  /** Whether git, after changing into these folders in order, finds the project's own repository; absent if unknown. */
  readonly isOwnRepository?: ((folders: readonly Text[]) => boolean) | undefined;
  /** Ids of processes that no command may end. */
  readonly processes?: readonly number[] | undefined;
  /** The work tree as the program finds it; undefined if the command may have changed it before. */
  readonly tree?: WorkTree | undefined;
}

export interface WorkTree {
  /** Whether the path exists. A relative path starts from the program's working folder. */
  holds(path: string): boolean;
  isFolder(path: string): boolean;
  /** Whether a branch, a tag or another ref may have this name. */
  mayBeRef(name: string): boolean;
}

/** Receives the effects of a call from the program's description. */
export interface Effects {
  write(target: Text, action?: Action, options?: WriteOptions): void;
  refuse(kind: RefusalKind, why: string): void;
  /** The program does more than the description says. Only the run shows what. */
  opaque(why: string, options?: OpaqueOptions): void;
  /** Git runs hooks of these names if the repository has them. */
  hooks(names: readonly string[]): void;
  /** Git reads or changes its index. */
  index(use: IndexUse): void;
  /** An operand or option value that an unknown program may read or write. */
  operand(text: Text): void;
  /** Inline code or prose in a language that is not followed. It is searched for paths of other tasks. */
  code(text: Text): void;
  /** The program runs this command: the first word is its name. */
  run(words: readonly Text[], options?: RunOptions): void;
  /** The program passes this text to a shell; `args` become $0, $1, … */
  shell(code: Text, args?: readonly Text[]): void;
  /** The same effects, with paths relative to this folder. */
  within(folder: Text): Effects;
  /** Sets the cause of the effects reported next. Present only if causes are requested. */
  because?(row: string | undefined, what: string): void;
}

interface WriteOptions {
  readonly tree?: boolean;
  readonly sourcesOnly?: boolean;
}

export interface RunOptions {
  readonly input?: Input;
  /** Variables set only for the command. */
  readonly env?: readonly { readonly name: string; readonly value: Text }[];
}

/** Reports the effects of a call. A program that only reads reports nothing. */
export type Program = (call: Call, effects: Effects) => void;
