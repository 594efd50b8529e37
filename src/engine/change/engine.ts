import type { Clock } from "../../core/leases/clock.ts";
import type { Liveness, ProcessIdentity } from "../../core/leases/process-identity.ts";
import type { Threshold } from "../../core/loops/budgets.ts";
import type { Ports } from "../../core/points/ports.ts";
import type { Judgement } from "../../core/proof/weakening.ts";
import type { BreakerMode } from "../../core/rules/breaker.ts";
import type { Evidence } from "../../core/tasks/evidence.ts";
import type { Actor } from "../../core/tasks/task.ts";
import type { Ledger } from "../../ledger/ledger.ts";

/** Everything that the use cases need from outside. */
export interface Engine {
  readonly ledger: Ledger;
  readonly clock: Clock;
  readonly world: Pick<Ports, "place" | "disk">;
  readonly limits: EngineLimits;
  /** This machine, if the ledger is shared by several. */
  readonly machine?: string;
  isAlive(runner: ProcessIdentity): Liveness;
  identityOf(pid: number): ProcessIdentity | undefined;
  /** Runs a command on the exact tree of a commit, for a task. */
  prove(commit: string, command: string, task: string): Promise<Evidence | { readonly error: string }>;
  /** The current commit of the base branch; undefined if the branch does not exist. */
  baseCommit(): Promise<string | undefined>;
  /** Judges a commit by the tests of another one, with commands that pass on it. */
  judge(
    base: string,
    commit: string,
    commands: readonly string[],
  ): Promise<Judgement | { readonly error: string }>;
  findSecrets: Ports["findSecrets"];
  /** Publishes the breaker for hook commands, which do not open the ledger. */
  showBreaker(mode: BreakerMode): void;
  /** Waits before a change is decided again; `round` counts from 0. */
  pause(round: number): Promise<void>;
}

/** The defaults are those of S1. */
export interface EngineLimits {
  readonly reviewRetries: number;
  readonly sameError: number;
  readonly widen: "ask" | "auto" | "never";
  readonly weakenTests: "ask" | "refuse" | "allow";
  readonly tokens: Threshold;
  readonly minutes: Threshold;
  readonly costUsd: Threshold;
  /** The maximum distance of a task from the first delegator. */
  readonly delegationDepth: number;
  /** How many tasks may use a named resource at the same time; 1 if it is not listed. */
  readonly resources: Readonly<Record<string, number>>;
  /** The agents that may do tasks of a type; any agent if the type is not listed. */
  readonly implementers: Readonly<Record<string, readonly string[]>>;
}

/** What is needed to draft a change and to commit it. */
export type Store = Pick<Engine, "ledger" | "clock" | "machine" | "pause"> & {
  readonly limits: Pick<EngineLimits, "reviewRetries" | "sameError">;
};

/** The caller of an operation and its credentials. */
export interface Call {
  readonly role: Actor;
  /** The actual actor, if it is not the caller itself: `agent NAME`. */
  readonly as?: string;
  /** The interface that a person used, if it was not a command. It is recorded with every event. */
  readonly via?: "board";
  /** For messages: how it was detected that the caller is not a person. */
  readonly seen?: string;
  /** The task that an attempt works on. */
  readonly task?: string;
  readonly epoch?: number;
  readonly token?: string;
  /** Requests with the same key are applied once and get the same answer. */
  readonly key?: string;
  /** Decides, but changes nothing. */
  readonly dryRun?: boolean;
}

/** A person, or the run that a person started. */
export function isOwner({ role }: Call): boolean {
  return role === "person" || role === "runner";
}

export function actorName(call: Call): string {
  if (call.as !== undefined) return call.as;
  if (call.role === "attempt") return `attempt:${call.task ?? "?"}#${call.epoch ?? "?"}`;
  return call.role === "runner" ? "run" : call.role;
}
