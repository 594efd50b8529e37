import type { Session } from "./session.ts";

/** What has to hold before a session may go on; `facts` are looked up outside. */
export const conditions = {
  spec: "spec.md has its sections",
  acceptance: "acceptance.json has criteria",
  architecture: "architecture.md has its sections",
  "research-report": "the report that was asked for is there",
  "design-spec": "the design-spec that was asked for is there",
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

/** For each condition that was looked at: null where it holds, else what is missing and where. */
export type Facts = Readonly<Partial<Record<Condition, string | null>>>;

/** What does not hold, in the order of the list; what nobody has looked at does not hold. */
export function unmet(needed: readonly Condition[], facts: Facts): readonly string[] {
  return needed.flatMap((condition) => {
    const found = facts[condition];
    if (found === null) return [];
    return [found ?? `nobody has looked whether ${conditions[condition]}`];
  });
}

export type Needs = (session: Session) => readonly Condition[];
