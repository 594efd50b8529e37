/** The names by which agents know each other, and what each is there for. */
const duties = {
  SpecAgent:
    "Turn the goal into a specification with acceptance criteria that can be checked; write no code.",
  Architect: "Decide how it is built: parts, boundaries, and why; write no code.",
  Planner: "Cut the work into tasks with scopes that do not overlap, each with checks that can fail.",
  Designer: "Describe what people see and do, in every state of it; write no code.",
  Researcher: "Find out what is asked and give sources.",
  Coder: "Implement the task with tests for it, changing no more than the task needs.",
  Reviewer: "Read every changed file and report what is wrong, worst first; change nothing.",
  QA: "Test what the task promises, above all where it may break; a failure that you can repeat is a result.",
  Security: "Look for what an attacker could use.",
  Integrator: "Make the merged work build and pass its checks again, changing no more than that needs.",
  Docs: "Bring the documents in line with what the code now does.",
  Orchestrator:
    "Hand out the work and judge what comes back; change no code, tests or configuration yourself.",
} as const;

/** A question that only a person can answer; one role each may ask it. */
export const questions = { NEEDS_INFO: "Researcher", NEEDS_DECISION: "Security" } as const;

export const agentNames = Object.keys(duties) as (keyof typeof duties)[];

/** A role of the project's own has the name that it was given and no more. */
export function dutiesOf(role: string): string {
  return Object.hasOwn(duties, role) ? duties[role as keyof typeof duties] : "Do the task.";
}
