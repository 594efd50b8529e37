import type { Session } from "./session.ts";

/** The conditions for a session to continue. Callers look up the facts. */
export const conditions = {
  spec: "spec.md has its sections",
  acceptance: "acceptance.json has criteria",
  architecture: "architecture.md has its sections",
  "research-report": "the requested research report exists",
  "design-spec": "the requested design-spec exists",
  plan: "tasks.yaml is a plan that can be run",
  "single-task": "tasks.yaml has one task",
  "approved-on-disk": "status.json holds the approval",
  "strategy-on-disk": "status.json holds the strategy",
  "all-completed": "every task is completed",
  "final-review": "the whole work was reviewed",
  "checks-green": "the build and the acceptance commands pass",
  report: "report.md is written",
  "nothing-pending": "no question waits for a person",
} as const;

export type Condition = keyof typeof conditions;

/** For each checked condition: null if it holds, otherwise what is missing and where. */
export type Facts = Readonly<Partial<Record<Condition, string | null>>>;

/** The conditions that do not hold, in order. A condition that was not checked does not hold. */
export function unmet(needed: readonly Condition[], facts: Facts): readonly string[] {
  return needed.flatMap((condition) => {
    const found = facts[condition];
    if (found === null) return [];
    return [found ?? `not checked yet: ${conditions[condition]}`];
  });
}

export type Needs = (session: Session) => readonly Condition[];
