import type { Purpose, Session } from "../core/session/session.ts";
import type { RunContext } from "../run/attempt/run-context.ts";
import type { RoleWish } from "./dispatch-role.ts";
import { type FileCondition, judgeFiles, planOf, type SessionFiles } from "./judge-files.ts";

interface Errand {
  readonly goal: (session: Session) => string;
  /** What its answer is held to. */
  readonly leaves: readonly FileCondition[];
}

/** What each role is asked for, and what it has to leave behind. */
const errands: Readonly<Partial<Record<Purpose, Errand>>> = {
  spec: {
    goal: ({ goal }) => `Write the specification and its acceptance criteria for this goal: ${goal}`,
    leaves: ["spec", "acceptance"],
  },
  "lean-setup": {
    goal: ({ goal }) =>
      `Write a short specification, its acceptance criteria and a plan of one small task for this goal: ${goal}`,
    leaves: ["spec", "acceptance", "plan"],
  },
  research: {
    goal: ({ goal }) => `Find out what the design needs to know, and write a report, for this goal: ${goal}`,
    leaves: ["research-report"],
  },
  architecture: {
    goal: ({ goal }) => `Decide how it is built, and why, for this goal: ${goal}`,
    leaves: ["architecture"],
  },
  "design-spec": {
    goal: ({ goal }) => `Describe what people see and do, for this goal: ${goal}`,
    leaves: ["design-spec"],
  },
  correction: {
    goal: ({ correction }) => `A person asks for changes before the design is approved: ${correction.wish}`,
    leaves: ["spec", "acceptance", "architecture"],
  },
  plan: {
    goal: ({ goal }) => `Cut the work into tasks, for this goal: ${goal}`,
    leaves: ["plan"],
  },
  release: {
    goal: ({ goal }) =>
      `Write the report: what was done, how to run it, how to test it, known issues. Name under files_to_create_or_update the documents of the repository that have to change. The goal was: ${goal}`,
    leaves: ["report"],
  },
};

export function wishFor(
  context: RunContext,
  session: Session,
  {
    role,
    purpose,
    used = new Set(),
  }: {
    readonly role: string;
    readonly purpose: Purpose;
    /** Ids of tasks that this session has had already: a new plan starts with new ones. */
    readonly used?: ReadonlySet<string>;
  },
): RoleWish | undefined {
  const errand = errands[purpose];
  if (errand === undefined) return undefined;
  return {
    ...{ role, purpose, goal: errand.goal(session) },
    judge: (files) => [
      ...judgeFiles(context, files, errand.leaves),
      ...(purpose === "plan" ? usedAgain(context, files, used) : []),
    ],
  };
}

/** What became of them would be taken for what becomes of the new ones. */
function usedAgain(context: RunContext, files: SessionFiles, used: ReadonlySet<string>): readonly string[] {
  const plan = planOf(context, files);
  const again = "faults" in plan ? [] : plan.tasks.filter(({ id }) => used.has(id));
  return again.map(({ id }) => `tasks.yaml: ${id} was a task of this session before: call it otherwise`);
}
