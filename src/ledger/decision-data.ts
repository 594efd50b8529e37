import type { BudgetSignal } from "../core/loops/budgets.ts";
import type { Details } from "../core/rules/verdict.ts";

/** What is kept with a question to a person. Which of these it has depends on its kind. */
export interface DecisionData extends Details {
  /** A digest of what tells the question from others. */
  readonly about?: string;
  /** The work that it is about; null where it is about none. */
  readonly commit?: string | null;
  /** Line by line, for the person. */
  readonly findings?: readonly string[];

  /** widen: what the task asks for. */
  readonly paths?: readonly string[];
  readonly why?: string;
  readonly epoch?: number;

  /** weakened: a digest of each reason. */
  readonly reasons?: readonly string[];

  /** continue: which budget ended the task, and where. */
  readonly signal?: BudgetSignal;
  readonly limit?: number;

  /** Of a session: which, and where it goes on after the answer. */
  readonly session?: string;
  readonly stateContext?: string;
  /** Security left it to a person. */
  readonly fromSecurity?: boolean;
  /** Of a role: what it was to do, and after how many repairs. */
  readonly purpose?: string;
  readonly repairsBegun?: number;
  /** What a plan lets its tasks change of the tests. */
  readonly tests?: readonly string[];

  /** Of a gate: how often it was answered wrongly, and what Enter alone means. */
  readonly invalid?: number;
  readonly recommended?: string;
  /** What it is about, and what that was when the person was asked before. */
  readonly documents?: readonly DesignDocument[];
  readonly before?: readonly DesignDocument[];
}

/** One document of a design, as it was when a person was asked about it. */
export interface DesignDocument {
  readonly file: string;
  readonly digest: string;
}
