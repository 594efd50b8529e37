import type { Config } from "../../contract/config.ts";
import type { TopFolder } from "../../core/proof/detect-commands.ts";
import type { Gh } from "./open-pull-request.ts";

/** Everything that hooks do outside, for one task. */
export interface HookPorts {
  readonly integrate: Config["integrate"];
  /** The current commit of the task's work. */
  commit(): string;
  /** Rebases the work onto the current head of a branch, in the agent's checkout too. */
  rebase(branch: string): Promise<Rebased>;
  /** Pushes a commit to the remote branch; overwrites nothing but `expected` there. */
  push(push: Push): Promise<{ readonly error: string } | undefined>;
  readonly gh: Gh;
  /** The files from which the test command is detected. */
  readonly top: TopFolder;
  /** Runs a check on the task's work; `output` shows why it failed, `error` why it could not run. */
  prove(
    command: string,
  ): Promise<{ readonly exit: number | null; readonly output: string } | { readonly error: string }>;
  /** Asks a gatekeeper for a review of one aspect, such as `qa`. */
  review(name: string): Promise<Approval>;
  /** Runs a project's own hook; the caller chooses the folder and the sandbox. */
  runProgram(run: ProgramRun): Promise<ProgramEnd>;
  /** The time limit of such a program; one minute by default. */
  readonly programMsMax?: number;
}

export type Rebased =
  | { readonly how: "up-to-date"; readonly onto: string }
  | { readonly how: "rebased"; readonly onto: string }
  /** These files in the checkout contain both sides, for the agent to merge. */
  | { readonly how: "conflicts"; readonly onto: string; readonly files: readonly string[] }
  | { readonly error: string };

interface Approval {
  readonly approved: boolean;
  readonly reason: string;
  /** What must be fixed. */
  readonly findings?: readonly string[];
}

interface Push {
  readonly commit: string;
  readonly branch: string;
  /** The commit that Lockstep pushed there before and a rebase may have replaced; null: overwrite nothing. */
  readonly expected: string | null;
}

interface ProgramRun {
  readonly command: readonly string[];
  readonly input: string;
  readonly msMax: number;
  readonly onOutput: (chunk: Uint8Array, from: "stdout" | "stderr") => void;
}

export interface ProgramEnd {
  /** Null if the program was stopped or never started. */
  readonly exit: number | null;
  readonly signal: string | null;
  readonly timedOut: boolean;
  /** Why it could not be started, if it could not. */
  readonly tail: string;
}
