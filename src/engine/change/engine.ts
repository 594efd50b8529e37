import type { Clock } from "../../core/leases/clock.ts";
import type { ProcessIdentity } from "../../core/leases/process-identity.ts";
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
  isAlive(runner: ProcessIdentity): boolean;
  identityOf(pid: number): ProcessIdentity | undefined;
  /** Runs a command on the exact tree of a commit, for a task. */
  prove(commit: string, command: string, task: string): Promise<Evidence | { readonly error: string }>;
  /** Where the base branch is now; undefined where there is none. */
  baseCommit(): Promise<string | undefined>;
  /** What the tests of one commit say of another one, by commands that pass on it. */
  judge(
    base: string,
    commit: string,
    commands: readonly string[],
  ): Promise<Judgement | { readonly error: string }>;
  findSecrets: Ports["findSecrets"];
  /** Lets hook commands see the breaker without opening the ledger. */
  showBreaker(mode: BreakerMode): void;
  /** Waits before a change is decided anew; `round` counts from 0. */
  pause(round: number): Promise<void>;
}

/** S1's numbers unless the configuration says otherwise. */
export interface EngineLimits {
  readonly reviewRetries: number;
  readonly sameError: number;
  readonly widen: "ask" | "auto" | "never";
  readonly weakenTests: "ask" | "refuse" | "allow";
  readonly tokens: Threshold;
  readonly minutes: Threshold;
  readonly costUsd: Threshold;
  /** How many steps a task may be away from the first delegator. */
  readonly delegationDepth: number;
  /** How many tasks may use a named thing at the same time; 1 where it is not listed. */
  readonly resources: Readonly<Record<string, number>>;
  /** Who may do tasks of a type; whoever likes where it is not listed. */
  readonly implementers: Readonly<Record<string, readonly string[]>>;
}

/** What it takes to draft a change and to commit it. */
export type Store = Pick<Engine, "ledger" | "clock" | "pause"> & {
  readonly limits: Pick<EngineLimits, "reviewRetries" | "sameError">;
};

/** Who asks, and with what in hand. */
export interface Call {
  readonly role: Actor;
  /** Who acts with these rights, where it is not the caller itself: `agent NAME`. */
  readonly as?: string;
  /** How it was recognised that this is no person, for messages. */
  readonly seen?: string;
  /** The task that an attempt works on. */
  readonly task?: string;
  readonly epoch?: number;
  readonly token?: string;
  /** A request with the same key is answered once and applied once. */
  readonly key?: string;
  /** Decides and changes nothing. */
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
