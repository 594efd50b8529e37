import type { Purpose, Session } from "../../core/session/session.ts";
import type { RunContext } from "../../run/attempt/run-context.ts";
import { type FileCondition, judgeFiles, planOf, type SessionFiles } from "../files/judge-files.ts";
import type { RoleRequest } from "./dispatch-role.ts";

interface Request {
  readonly goal: (session: Session) => string;
  /** The conditions that its files must meet. */
  readonly leaves: readonly FileCondition[];
}

/** The goal of each role, and the files it must leave. */
const requests: Readonly<Partial<Record<Purpose, Request>>> = {
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
    goal: ({ goal }) => `Research what the design depends on, and write a report, for this goal: ${goal}`,
    leaves: ["research-report"],
  },
  architecture: {
    goal: ({ goal }) => `Design the architecture, with reasons, for this goal: ${goal}`,
    leaves: ["architecture"],
  },
  "design-spec": {
    goal: ({ goal }) => `Describe the user interface, for this goal: ${goal}`,
    leaves: ["design-spec"],
  },
  correction: {
    goal: ({ correction }) =>
      `A person asks for changes before the design is approved: ${correction.request}`,
    leaves: ["spec", "acceptance", "architecture"],
  },
  plan: {
    goal: ({ goal }) => `Split the work into tasks, for this goal: ${goal}`,
    leaves: ["plan"],
  },
  release: {
    goal: ({ goal }) =>
      `Write the report: what was done, how to run it, how to test it, known issues. List under files_to_create_or_update the documents of the repository that must change. The goal was: ${goal}`,
    leaves: ["report"],
  },
};

export function requestFor(
  context: RunContext,
  session: Session,
  {
    role,
    purpose,
    used = new Set(),
  }: {
    readonly role: string;
    readonly purpose: Purpose;
    /** Task ids that this session has already used: a new plan needs new ids. */
    readonly used?: ReadonlySet<string>;
  },
): RoleRequest | undefined {
  const request = requests[purpose];
  if (request === undefined) return undefined;
  return {
    ...{ role, purpose, goal: request.goal(session) },
    judge: (files) => [
      ...judgeFiles(context, files, request.leaves),
      ...(purpose === "plan" ? usedAgain(context, files, used) : []),
    ],
  };
}

/** The ledger would treat a reused id as the old task. */
function usedAgain(context: RunContext, files: SessionFiles, used: ReadonlySet<string>): readonly string[] {
  const plan = planOf(context, files);
  const again = "faults" in plan ? [] : plan.tasks.filter(({ id }) => used.has(id));
  return again.map(({ id }) => `tasks.yaml: ${id} was already a task of this session: use another id`);
}
