import type { RepairLoop, SessionState } from "./states.ts";

/** One piece of work from its goal to done, as the ledger stores it. status.json is a view of it. */
export interface Session {
  readonly name: string;
  readonly version: number;
  readonly goal: string;
  readonly mode: "full" | "lean";
  readonly state: SessionState;
  readonly createdAt: string;
  readonly updatedAt: string;
  /** The session's branch and its commit at the start, to compute what the session has changed. */
  readonly base: string;
  readonly baseCommit: string;
  readonly assumptions: readonly string[];
  readonly knownIssues: readonly string[];
  readonly ci: "unknown" | "green" | "red";
  /** The command that failed last; null if none fails. */
  readonly failedStep: string | null;
  /** A person's reason for accepting a failing command. */
  readonly checksWaived: string | null;
  /** The number of rounds of each repair loop, by task; `meta` for the session as a whole. */
  readonly repairs: Readonly<Record<string, Readonly<Record<RepairLoop, number>>>>;
  /** Repairs in progress. */
  readonly repairing: readonly Repair[];
  /** The number of repairs started so far. */
  readonly repairsBegun: number;
  readonly correction: Correction;
  /** Whether `.github/copilot-instructions.md` exists; null if not checked yet. */
  readonly instructions: { readonly exists: boolean; readonly checkedAt: string } | null;
  readonly strategy: Strategy | null;
  /** The state to return to from ASK_USER. */
  readonly returnTo: SessionState | null;
  readonly blocker: Blocker | null;
  /** Roles that returned since the session entered its state, in order. Questions, repairs and blockers do not reset it. */
  readonly returned: readonly Returned[];
  /** Work that a role asked for, to be done in the design. */
  readonly wants: readonly ("research" | "design-spec")[];
  /** A dispatched role that has not returned. */
  readonly dispatched: Dispatched | null;
}

export type Strategy = "per-batch" | "single-final";

export interface Repair {
  readonly loop: RepairLoop;
  readonly task: string;
  /** The state in which the problem was found, and to which the session returns. */
  readonly from: SessionState;
  /** Numbers all repairs of the session, from 1. */
  readonly number: number;
}

/** The status of changes to the design that a person requested (S4-071, S4-072). */
interface Correction {
  readonly status: "none" | "queued" | "dispatched" | "completed";
  /** The requested change. */
  readonly request: string | null;
  readonly last: { readonly agent: string; readonly task: "meta"; readonly at: string } | null;
}

export interface Blocker {
  readonly code: string;
  readonly reason: string;
  /** What a person has to do so that the session can continue. */
  readonly recovery: string;
  readonly at: string;
  readonly from: SessionState;
}

/** What a role is dispatched for. One role may have several purposes in one state. */
export type Purpose =
  | "spec"
  | "lean-setup"
  | "research"
  | "architecture"
  | "design-spec"
  | "correction"
  | "plan"
  | "final-review"
  | "final-tests"
  | "final-security"
  | "integration"
  | "release";

export interface Dispatched {
  readonly role: string;
  readonly purpose: Purpose;
  readonly agent: string;
  readonly at: string;
}

export interface Returned extends Dispatched {
  readonly status: "OK" | "BLOCKED";
  readonly summary: string;
  /** The role that it proposes to ask next. */
  readonly next: string;
  readonly findings: readonly string[];
  readonly returnedAt: string;
}

export const noRepairs = { FIX_REVIEW: 0, FIX_TESTS: 0, FIX_SECURITY: 0, FIX_BUILD: 0 } as const;

export function newSession(
  given: Pick<Session, "name" | "goal" | "mode" | "base" | "baseCommit">,
  at: string,
): Session {
  return {
    ...given,
    version: 0,
    state: given.mode === "lean" ? "INTAKE_LEAN" : "INTAKE",
    createdAt: at,
    updatedAt: at,
    assumptions: [],
    knownIssues: [],
    ci: "unknown",
    failedStep: null,
    checksWaived: null,
    repairs: {},
    repairing: [],
    repairsBegun: 0,
    correction: { status: "none", request: null, last: null },
    instructions: null,
    strategy: null,
    returnTo: null,
    blocker: null,
    returned: [],
    wants: [],
    dispatched: null,
  };
}

export function repairsOf({ repairs }: Pick<Session, "repairs">, task: string, loop: RepairLoop): number {
  return (Object.hasOwn(repairs, task) ? repairs[task] : noRepairs)?.[loop] ?? 0;
}

/** Counts one more repair of a task. */
export function withRepair({ repairs }: Session, task: string, loop: RepairLoop): Session["repairs"] {
  const own = Object.hasOwn(repairs, task) ? repairs[task] : noRepairs;
  return { ...repairs, [task]: { ...noRepairs, ...own, [loop]: (own?.[loop] ?? 0) + 1 } };
}

/** The blocker code of an abandoned session. */
export const abandoned = "abandoned";

/** Done or abandoned. */
export function isSessionOver({ state, blocker }: Pick<Session, "state" | "blocker">): boolean {
  return state === "DONE" || isGivenUp({ blocker });
}

export function isGivenUp({ blocker }: Pick<Session, "blocker">): boolean {
  return blocker?.code === abandoned;
}
