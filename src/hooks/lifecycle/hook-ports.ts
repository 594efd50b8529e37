import type { Config } from "../../contract/config.ts";
import type { TopFolder } from "../../core/proof/detect-commands.ts";
import type { Gh } from "./open-pull-request.ts";

/** All that hooks do to the world, for one task. */
export interface HookPorts {
  readonly integrate: Config["integrate"];
  /** The work as it is now, a commit of the repository. */
  commit(): string;
  /** Puts the work on top of a branch as that is now, also in the agent's checkout. */
  rebase(branch: string): Promise<Rebased>;
  /** Pushes a commit to the branch of the remote; never anything else than `expected` is overwritten there. */
  push(push: Push): Promise<{ readonly error: string } | undefined>;
  readonly gh: Gh;
  /** What tells how the project is tested. */
  readonly top: TopFolder;
  /** Runs a check on the task's work; `output` tells why it failed, `error` why it could not even be run. */
  prove(
    command: string,
  ): Promise<{ readonly exit: number | null; readonly output: string } | { readonly error: string }>;
  /** Asks a gatekeeper to look at one thing, such as `qa`. */
  review(name: string): Promise<Approval>;
  /** Runs a project's own hook; in which folder and behind which walls is the caller's business. */
  runProgram(run: ProgramRun): Promise<ProgramEnd>;
  /** How long such a program may take; a minute unless told otherwise. */
  readonly programMsMax?: number;
}

export type Rebased =
  | { readonly how: "up-to-date"; readonly onto: string }
  | { readonly how: "rebased"; readonly onto: string }
  /** Both sides stand in these files of the checkout, for the agent to bring together. */
  | { readonly how: "conflicts"; readonly onto: string; readonly files: readonly string[] }
  | { readonly error: string };

interface Approval {
  readonly approved: boolean;
  readonly reason: string;
  /** What has to be mended. */
  readonly findings?: readonly string[];
}

interface Push {
  readonly commit: string;
  readonly branch: string;
  /** What Lockstep itself pushed there before, which a rebase may have replaced; null: nothing is overwritten. */
  readonly expected: string | null;
}

interface ProgramRun {
  readonly command: readonly string[];
  readonly input: string;
  readonly msMax: number;
  readonly onOutput: (chunk: Uint8Array, from: "stdout" | "stderr") => void;
}

export interface ProgramEnd {
  /** Null for a program that was ended and for one that never ran. */
  readonly exit: number | null;
  readonly signal: string | null;
  readonly timedOut: boolean;
  /** Why it could not be started, if it was not. */
  readonly tail: string;
}
