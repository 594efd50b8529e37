import type { RepairLoop, SessionState } from "./states.ts";

/** One piece of work from its goal to done, as the ledger holds it; status.json is a view of it. */
export interface Session {
  readonly name: string;
  readonly version: number;
  readonly goal: string;
  readonly mode: "full" | "lean";
  readonly state: SessionState;
  readonly createdAt: string;
  readonly updatedAt: string;
  /** The branch that it works on, and where that was at the start: what the session has changed is the difference. */
  readonly base: string;
  readonly baseCommit: string;
  readonly assumptions: readonly string[];
  readonly knownIssues: readonly string[];
  readonly ci: "unknown" | "green" | "red";
  /** The command that failed last, where one does. */
  readonly failedStep: string | null;
  /** Why a person accepts that a command fails. */
  readonly checksWaived: string | null;
  /** How often each repair loop was gone through, by task; `meta` for the session's whole work. */
  readonly repairs: Readonly<Record<string, Readonly<Record<RepairLoop, number>>>>;
  /** Repairs that are under way. */
  readonly repairing: readonly Repair[];
  /** How many repairs were ever begun. */
  readonly repairsBegun: number;
  readonly correction: Correction;
  /** Whether `.github/copilot-instructions.md` is there; null: nobody has looked yet. */
  readonly instructions: { readonly exists: boolean; readonly checkedAt: string } | null;
  readonly strategy: Strategy | null;
  /** Where ASK_USER leads back to. */
  readonly returnTo: SessionState | null;
  readonly blocker: Blocker | null;
  /** Roles that came back since it got to where it is, in order; questions, repairs and blockers on the way do not count. */
  readonly returned: readonly Returned[];
  /** What a role asked for on the way: it is done in the design. */
  readonly wants: readonly ("research" | "design-spec")[];
  /** A dispatch that has not come back. */
  readonly dispatched: Dispatched | null;
}

export type Strategy = "per-batch" | "single-final";

export interface Repair {
  readonly loop: RepairLoop;
  readonly task: string;
  /** Where it was found: that is where it goes on. */
  readonly from: SessionState;
  /** Among all of the session, from 1. */
  readonly number: number;
}

/** What became of the changes that a person asked for at the design (S4-071, S4-072). */
interface Correction {
  readonly status: "none" | "queued" | "dispatched" | "completed";
  /** What was asked for. */
  readonly wish: string | null;
  readonly last: { readonly agent: string; readonly task: "meta"; readonly at: string } | null;
}

export interface Blocker {
  readonly code: string;
  readonly reason: string;
  /** What a person does to go on. */
  readonly recovery: string;
  readonly at: string;
  readonly from: SessionState;
}

/** Why a role is asked: one role may be asked for several things in one state. */
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
  /** Whom it would ask next. */
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
    correction: { status: "none", wish: null, last: null },
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

/** One more of a task's repairs. */
export function withRepair({ repairs }: Session, task: string, loop: RepairLoop): Session["repairs"] {
  const own = Object.hasOwn(repairs, task) ? repairs[task] : noRepairs;
  return { ...repairs, [task]: { ...noRepairs, ...own, [loop]: (own?.[loop] ?? 0) + 1 } };
}
