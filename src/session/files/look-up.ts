import { taskKey } from "../../core/names/task-name.ts";
import type { Condition, Facts } from "../../core/session/conditions.ts";
import { finalChecks, type Outside } from "../../core/session/next-step.ts";
import type { Session } from "../../core/session/session.ts";
import { isIn, type Task } from "../../core/tasks/task.ts";
import { readJson } from "../../core/text/read-json.ts";
import { field } from "../../core/values/fields.ts";
import { sessionDecisions } from "../../engine/decisions/session-decisions.ts";
import type { RunContext } from "../../run/attempt/run-context.ts";
import { tryGit } from "../../workspace/git/run-git.ts";
import { type FileCondition, judgeFiles, planOf, type SessionFiles } from "./judge-files.ts";
import { listSessionFiles, readSessionFile } from "./session-files.ts";

export type Looking = Pick<RunContext, "engine" | "repository" | "config" | "session">;

/** The facts outside the session record that its next step depends on. */
export async function lookOutside(context: Looking): Promise<Outside> {
  return {
    pending: (await pendingOf(context)).length,
    tasksDone: (await unfinishedTasks(context)) === null,
    hasReport: judgeFiles(context, filesOf(context), ["report"]).length === 0,
  };
}

/** For each condition: null if it holds, otherwise what is missing. */
export async function lookUp(
  context: Looking,
  session: Session,
  conditions: readonly Condition[],
): Promise<Facts> {
  const facts: Partial<Record<Condition, string | null>> = {};
  for (const condition of conditions) facts[condition] = await lookFor(context, session, condition);
  return facts;
}

export function filesOf({ repository: { root }, session }: Looking): SessionFiles {
  return {
    read: (name) => readSessionFile(root, session, name),
    list: () => [...listSessionFiles(root, session)],
  };
}

async function lookFor(context: Looking, session: Session, condition: Condition): Promise<string | null> {
  switch (condition) {
    case "approved-on-disk":
      return answerOnDisk(context, "UD-APPROVE-DESIGN", (answer) => answer.startsWith("approved"));
    case "strategy-on-disk":
      return answerOnDisk(context, "UD-REVIEW-STRATEGY", (answer) => strategies.includes(answer));
    case "all-completed":
      return (await unfinishedTasks(context)) ?? notOnBase(context);
    case "final-review":
      return notPassed(session);
    case "checks-green":
      if (session.ci === "green" || session.checksWaived !== null) return null;
      return `the acceptance commands did not pass${session.failedStep === null ? "" : `: ${session.failedStep}`}`;
    case "nothing-pending": {
      const ids = (await pendingOf(context)).map(({ id }) => id);
      return ids.length === 0 ? null : `not answered: ${ids.join(", ")}`;
    }
    default:
      return listed(judgeFiles(context, filesOf(context), [condition satisfies FileCondition]));
  }
}

const strategies: readonly string[] = ["per-batch", "single-final"];

function listed(faults: readonly string[]): string | null {
  return faults.length === 0 ? null : faults.join("; ");
}

async function pendingOf({ engine, session }: Looking) {
  return (await sessionDecisions(engine, session)).filter(({ state }) => state === "pending");
}

function notPassed({ strategy, returned }: Session): string | null {
  const left = finalChecks.filter(
    ({ purpose }) =>
      !(purpose === "final-tests" && strategy === "per-batch") &&
      returned.findLast((one) => one.purpose === purpose)?.status !== "OK",
  );
  return left.length === 0
    ? null
    : `the whole work has not passed: ${left.map(({ role }) => role).join(", ")}`;
}

/** Null if every task of the plan is merged or was left out by a person. */
export async function unfinishedTasks(context: Looking): Promise<string | null> {
  const plan = planOf(context, filesOf(context));
  if ("faults" in plan) return listed(plan.faults);
  const left: string[] = [];
  for (const { id } of plan.tasks) {
    const task = await context.engine.ledger.task(taskKey(context.session, id));
    if (task === undefined || !(isIn(task) || isLeftOut(task))) left.push(id);
  }
  return left.length === 0 ? null : `not completed: ${left.join(", ")}`;
}

/** A person may have removed merged work from the base by hand. */
async function notOnBase({ engine, repository, session }: Looking): Promise<string | null> {
  const { root, base, baseRef } = repository;
  const gone: string[] = [];
  for (const task of await engine.ledger.tasks({ session })) {
    if (!isIn(task) || task.commit === null) continue;
    const { exit } = await tryGit(root, ["merge-base", "--is-ancestor", task.commit, baseRef]);
    if (exit !== 0) gone.push(task.id);
  }
  return gone.length === 0 ? null : `merged, but no longer on \`${base}\`: ${gone.join(", ")}`;
}

/** Only a person can cancel a task. */
function isLeftOut({ state, refusal }: Task): boolean {
  return state === "FAILED" && refusal?.details.cancelled === true;
}

/** An answer counts only if it is in the file (S4-154). */
function answerOnDisk(
  { repository, session }: Looking,
  id: string,
  isRight: (answer: string) => boolean,
): string | null {
  const document: unknown = readJson(readSessionFile(repository.root, session, "status.json") ?? "");
  const decisions = field(document, "user_decisions");
  const entry = Array.isArray(decisions)
    ? decisions.find((one: unknown) => field(one, "decision_id") === id)
    : undefined;
  const answer = field(entry, "answer");
  const holds = field(entry, "status") === "answered" && typeof answer === "string" && isRight(answer);
  return holds ? null : `status.json has no answer to ${id}`;
}
