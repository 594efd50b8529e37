import type { CheckRecord } from "../proof/check-record.ts";
import type { Weakened } from "../proof/material/weakenings.ts";
import type { RuleCode } from "../rules/catalog.ts";
import type { Details } from "../rules/verdict.ts";
import type { Assignment } from "./assignment.ts";
import type { Counters } from "./counters.ts";
import type { Evidence } from "./evidence.ts";
import type { TaskState } from "./states.ts";

/** A piece of work as the ledger holds it. Every change makes a new one with the next version. */
export interface Task {
  /** `<session>/<id>`, or the id alone for tasks of other programs. */
  readonly key: string;
  readonly id: string;
  readonly session: string | null;
  /** 0 is a task that no ledger holds yet. */
  readonly version: number;
  readonly state: TaskState;
  readonly title: string | null;
  /** Decides which hooks run and who may work on it; absent in older ledgers. */
  readonly type?: string | null;
  readonly agent: string | null;
  /** The task whose agent gave it away, or an agent that has none; absent where nobody said. */
  readonly delegatedBy?: string;
  readonly model: string | null;
  /** What the agent is allowed and asked to do, as it was handed in (S0, S1). */
  readonly assignment: Assignment | null;
  /** What was added to its scope on the way: no later packet takes it away. Absent where there is nothing. */
  readonly granted?: readonly string[];
  /** Where the base was when it was first dispatched: its tests judge what comes of it. Absent where unknown. */
  readonly base?: string;
  readonly contextRevision: number | null;
  /** What was set when the task was added by hand: a packet may add to it, not take away from it. */
  readonly terms: Details | null;
  readonly dependsOn: readonly string[];
  readonly counters: Counters;
  /** The last error and how often it came in a row. */
  readonly streak: { readonly fingerprint: string; readonly count: number } | null;
  /** The last refusal of the task or its work. It stays until the task starts again. */
  readonly refusal: Refusal | null;
  /** Why it is BLOCKED, and what would free it. */
  readonly hold: Hold | null;
  /** What the next attempt has to mend; there is one after every rejection. */
  readonly fixDelta: FixDelta | null;
  /** Number of attempts so far, and the epoch of the last one; 0 before the first. */
  readonly attempts: number;
  readonly epoch: number;
  readonly tokens: number;
  /** Spent before a person resolved the task: they no longer count against its budget. */
  readonly tokensForgiven: number;
  /** What clients told of their usage beyond the tokens that count; absent where none did. */
  readonly usage?: TaskUsage;
  /** As `tokensForgiven`, in dollars. */
  readonly costForgiven?: number;
  /** In all, where a person allowed more than the limits after those had ended it. */
  readonly allowed?: { readonly tokens?: number; readonly cost_usd?: number } | null;
  /**
   * A person let it continue after a budget had ended it: its next attempt is the same work in the same conversation.
   * `minutes`: how long that may take; null: as long as any.
   */
  readonly continued?: { readonly minutes: number | null } | null;
  /** What lifecycle hooks left for the next ones, such as `pr_url`. */
  readonly hookContext?: Details;
  /** What the last attempt handed in. */
  readonly result: unknown;
  /** `claimed`: completed by somebody else's word. */
  readonly proof: "claimed" | "proven" | null;
  readonly commit: string | null;
  readonly evidence: readonly (CheckRecord | Evidence)[];
  /** What of the project's checks its work deleted, skipped or redefined. */
  readonly weakened?: readonly Weakened[];
  /** The integration that merged it, together with others or alone. */
  readonly batch: string | null;
  /** The commit that took its merge back; the task stays MERGED. */
  readonly revertedBy: string | null;
  /** A person's answer to an escalation. */
  readonly resolution: string | null;
  readonly createdAt: string;
  readonly updatedAt: string;
}

export interface TaskUsage {
  readonly input: number;
  readonly cached: number;
  readonly output: number;
  /** Null where the client tells no price. */
  readonly costUsd: number | null;
}

export interface Refusal {
  /** Null where no rule refused: a person cancelled it, or its runner died. */
  readonly code: RuleCode | null;
  readonly reason: string;
  readonly details: Details;
}

export interface Hold {
  /**
   * deny: a hook denied it, one retry after a changed assignment. reported: its agent named a blocker, and
   * whoever removes that retries. stopped: a person ended its attempt, and a person retries. The others cost no
   * retry and end by themselves: lock (somebody holds what it needs), dependency (one is not merged, or failed),
   * lost (its runner died or a person released it).
   */
  readonly kind: "deny" | "reported" | "stopped" | "lock" | "dependency" | "lost";
  /** The task that it waits for. */
  readonly by: string | null;
}

export interface FixDelta {
  readonly code: RuleCode | null;
  readonly reason: string;
  readonly guidance: string;
  readonly details: Details;
}

/** `runner`: a run that a person started. `system`: what follows by itself, such as a lapsed lease. */
export type Actor = "person" | "orchestrator" | "attempt" | "subagent" | "runner" | "guard" | "system";

/** Merged and still in: what depends on it may start. */
export function isIn({ state, revertedBy }: Pick<Task, "state" | "revertedBy">): boolean {
  return state === "MERGED" && revertedBy == null;
}
