import type { BudgetSignal } from "../core/loops/budgets.ts";
import type { Details } from "../core/rules/verdict.ts";

/** What the ledger stores with a question to a person. The fields depend on the kind of the decision. */
export interface DecisionData extends Details {
  /** A digest that identifies the question, so that the same question is not asked twice. */
  readonly about?: string;
  /** The commit that the question is about; null if it is not about a commit. */
  readonly commit?: string | null;
  /** Lines to show to the person. */
  readonly findings?: readonly string[];

  /** widen: the paths that the task asks for. */
  readonly paths?: readonly string[];
  readonly why?: string;
  readonly epoch?: number;

  /** weakened: a digest of each reason. */
  readonly reasons?: readonly string[];

  /** continue: the budget that stopped the task, and its limit. */
  readonly signal?: BudgetSignal;
  readonly limit?: number;

  /** The session, and the state in which it continues after the answer. */
  readonly session?: string;
  readonly stateContext?: string;
  /** A security review left this decision to a person. */
  readonly fromSecurity?: boolean;
  /** The purpose for which the role was dispatched, and the number of repairs begun until then. */
  readonly purpose?: string;
  readonly repairsBegun?: number;
  /** The tests that the plan allows its tasks to change. */
  readonly tests?: readonly string[];

  /** The number of invalid answers to this gate, and the answer that Enter selects. */
  readonly invalid?: number;
  readonly recommended?: string;
  /** The documents that the gate is about, and their versions when the person was last asked. */
  readonly documents?: readonly DesignDocument[];
  readonly before?: readonly DesignDocument[];
}

/** One document of a design, with its digest at the time a person was asked about it. */
export interface DesignDocument {
  readonly file: string;
  readonly digest: string;
}
