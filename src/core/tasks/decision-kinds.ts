/** Where the kinds of questions to a person differ. */
interface Differences {
  /** The answers that may carry a reason. */
  readonly reason: "any" | "refused" | "none";
  /** Whether work can continue without an answer. */
  readonly dispensable: boolean;
  /** Whether the answer takes effect when the branch is landed again. */
  readonly landing: boolean;
  /** When a person sees the changes: if the question is about a commit, always, or before the question. */
  readonly diff: "commit" | "always" | "first";
  /** An answer is needed until the task is MERGED or FAILED, or only while it is ESCALATED. */
  readonly needed: "open" | "escalated";
}

export const decisionKinds = {
  /** A task asks for more scope. */
  widen: { reason: "none", dispensable: true, landing: false, diff: "always", needed: "open" },
  /** A check that should prove the change also passed before it. */
  vacuous: { reason: "none", dispensable: false, landing: true, diff: "commit", needed: "open" },
  /** A check that no command can decide. */
  manual: { reason: "refused", dispensable: false, landing: true, diff: "commit", needed: "open" },
  /** A change that weakens what the base's tests verified. */
  weakened: { reason: "any", dispensable: false, landing: true, diff: "first", needed: "open" },
  /** A task has used up a budget. */
  continue: { reason: "any", dispensable: false, landing: false, diff: "always", needed: "escalated" },
  /** A finding that a reviewer leaves to a person. */
  security: { reason: "refused", dispensable: false, landing: false, diff: "commit", needed: "open" },
  /** An agent is not logged in. */
  login: { reason: "none", dispensable: false, landing: false, diff: "commit", needed: "open" },
  /** The two gates of a session. */
  "approve-design": { reason: "none", dispensable: false, landing: false, diff: "commit", needed: "open" },
  "review-strategy": { reason: "none", dispensable: false, landing: false, diff: "commit", needed: "open" },
  /** A question of a session's role. */
  question: { reason: "any", dispensable: true, landing: false, diff: "commit", needed: "open" },
  /** How a session continues after failed repairs. */
  repair: { reason: "any", dispensable: true, landing: false, diff: "commit", needed: "open" },
} as const satisfies Readonly<Record<string, Differences>>;

export type DecisionKind = keyof typeof decisionKinds;

export function mayReason(kind: DecisionKind, option: string): boolean {
  const { reason } = decisionKinds[kind];
  return reason === "any" || (reason === "refused" && option === reason);
}
