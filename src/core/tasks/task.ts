import type { CheckRecord } from "../proof/check-record.ts";
import type { Weakened } from "../proof/material/weakenings.ts";
import type { RuleCode } from "../rules/catalog.ts";
import type { Details } from "../rules/verdict.ts";
import type { Assignment } from "./assignment.ts";
import type { Counters } from "./counters.ts";
import type { Evidence } from "./evidence.ts";
import type { TaskState } from "./states.ts";

/** A task as the ledger stores it. Every change creates a new value with the next version. */
export interface Task {
  /** `<session>/<id>`, or the id alone for tasks without a session. */
  readonly key: string;
  readonly id: string;
  readonly session: string | null;
  /** 0: not stored in a ledger yet. */
  readonly version: number;
  readonly state: TaskState;
  readonly title: string | null;
  /** Decides which hooks run and which agents may work on the task; absent in older ledgers. */
  readonly type?: string | null;
  readonly agent: string | null;
  /** The task whose agent delegated this one, or the name of an agent without a task; absent if unknown. */
  readonly delegatedBy?: string;
  readonly model: string | null;
  /** What the agent may and should do, as it was given (S0, S1). */
  readonly assignment: Assignment | null;
  /** Scope entries that were granted later. No later packet removes them. */
  readonly granted?: readonly string[];
  /** The base commit at the first dispatch, whose tests judge the task's work. Absent if unknown. */
  readonly base?: string;
  readonly contextRevision: number | null;
  /** Terms set when the task was added by hand. A packet may extend but not reduce them. */
  readonly terms: Details | null;
  readonly dependsOn: readonly string[];
  readonly counters: Counters;
  /** The last error, and how many times in a row it occurred. */
  readonly streak: { readonly fingerprint: string; readonly count: number } | null;
  /** The last refusal of the task or its work. It stays until the task starts again. */
  readonly refusal: Refusal | null;
  /** Why it is BLOCKED, and what would free it. */
  readonly hold: Hold | null;
  /** What the next attempt has to fix; present after every rejection. */
  readonly fixDelta: FixDelta | null;
  /** Number of attempts so far, and the epoch of the last one; 0 before the first. */
  readonly attempts: number;
  readonly epoch: number;
  readonly tokens: number;
  /** Tokens spent before a person resolved the task. They no longer count against its budget. */
  readonly tokensForgiven: number;
  /** Usage as reported by the clients; absent if none reported it. */
  readonly usage?: TaskUsage;
  /** As `tokensForgiven`, in dollars. */
  readonly costForgiven?: number;
  /** New totals, if a person allowed more after a limit had ended the task. */
  readonly allowed?: { readonly tokens?: number; readonly cost_usd?: number } | null;
  /**
   * A person let the task continue after a budget had ended it: the next attempt continues the same work in the same
   * conversation. `minutes`: its time limit; null: the usual one.
   */
  readonly continued?: { readonly minutes: number | null } | null;
  /** Values that lifecycle hooks pass on to later hooks, such as `pr_url`. */
  readonly hookContext?: Details;
  /** The submission of the last attempt. */
  readonly result: unknown;
  /** `claimed`: completed without proof by Lockstep. */
  readonly proof: "claimed" | "proven" | null;
  readonly commit: string | null;
  readonly evidence: readonly (CheckRecord | Evidence)[];
  /** The project's checks that its work deleted, skipped or redefined. */
  readonly weakened?: readonly Weakened[];
  /** The batch that merged it. */
  readonly batch: string | null;
  /** The commit that reverted its merge; the task stays MERGED. */
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
  /** Null if the client reports no price. */
  readonly costUsd: number | null;
}

export interface Refusal {
  /** Null if it was not a rule: a person cancelled the task, or its runner died. */
  readonly code: RuleCode | null;
  readonly reason: string;
  readonly details: Details;
}

export interface Hold {
  /**
   * deny: a hook denied it; one retry after a changed assignment. reported: its agent reported a blocker; retry once
   * that is removed. stopped: a person ended the attempt, and a person retries. The others cost no retry and end
   * by themselves: lock (another task holds what it needs), dependency (one is not merged, or failed), lost (its
   * runner died or a person released it).
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

/** `runner`: a run that a person started. `system`: Lockstep itself, for example after a lapsed lease. */
export type Actor = "person" | "orchestrator" | "attempt" | "subagent" | "runner" | "guard" | "system";

/** Merged and not reverted: tasks that depend on it may start. */
export function isIn({ state, revertedBy }: Pick<Task, "state" | "revertedBy">): boolean {
  return state === "MERGED" && revertedBy == null;
}
