import { copyName, sessionPath } from "../core/names/session-paths.ts";
import { taskKey } from "../core/names/task-name.ts";
import type { Session } from "../core/session/session.ts";
import { reportedIn } from "../core/tasks/result.ts";
import type { Task } from "../core/tasks/task.ts";
import { shortened } from "../core/text/quoted.ts";
import { askSession } from "../engine/decisions/ask-session.ts";
import { openDecisions } from "../engine/decisions/open-decisions.ts";
import { sessionDecisions } from "../engine/decisions/session-decisions.ts";
import { testWishes } from "../engine/decisions/test-consent.ts";
import type { LoadedPlan } from "../workspace/plan/load-plan.ts";
import { block } from "./block.ts";
import { conductTasks } from "./conduct-tasks.ts";
import { blockFailed, gaveNothing, retryFailed } from "./failed-agents.ts";
import { followRepairs } from "./follow-repairs.ts";
import { planOf } from "./judge-files.ts";
import { filesOf, unfinishedTasks } from "./look-up.ts";
import { reviewersOf } from "./reviewers-of.ts";
import type { SessionContext, StepEnd } from "./session-context.ts";
import { settleTask } from "./settle-task.ts";

/** Runs the plan's tasks as `lockstep run` does, with the reviewers that the strategy wants. */
export async function implement(context: SessionContext, session: Session): Promise<StepEnd> {
  const plan = planOf(context.context, filesOf(context.context));
  if ("faults" in plan)
    return block(context, {
      code: "artifact_invalid",
      reason: plan.faults.join("; "),
      recovery: `fix ${sessionPath(context.name, copyName)}`,
    });
  if (await waitsForConsent(context, session, plan)) {
    await context.move({ type: "ask" });
    return "again";
  }
  await retryFailed(context, await tasksOf(context, plan));
  await carryOutAnswers(context, plan);
  const isFinal = session.strategy === "single-final";
  const stays = await conductTasks(context, plan, {
    role: "Coder",
    reviewersFor: (task) => (isFinal ? [] : reviewersOf(context, task)),
    more: (run) => ({
      // Until the whole has passed, nothing of it is completed (S4-135).
      onState: (id, state) => run.onState(id, isFinal && state === "MERGED" ? "REVIEW" : state),
      onEvent: (event) => followRepairs(context, event),
    }),
  });
  if (stays !== undefined) return stays;
  await endRepairs(context);
  return afterRun(context, plan);
}

/** A role's word that a task may change tests counts only once a person has agreed. */
async function waitsForConsent(
  context: SessionContext,
  session: Session,
  plan: LoadedPlan,
): Promise<boolean> {
  const wishes = testWishes(plan.tasks);
  if (wishes.length === 0) return false;
  const { engine, call } = context.context;
  const { state } = await askSession(
    engine,
    {
      ...{ session: context.name, kind: "question", stateContext: session.state, fromSecurity: false },
      question: `The plan lets tasks change tests without asking you: ${wishes.join("; ")}. Is that right?`,
      options: ["approved", "refused"],
      about: ["may_change_tests", ...wishes],
      data: { tests: wishes },
    },
    call,
  );
  return state === "pending";
}

/** What is not in after a run waits for a person: for an answer, or for a word on what failed. */
async function afterRun(context: SessionContext, plan: LoadedPlan): Promise<StepEnd> {
  const { engine } = context.context;
  const session = await context.load();
  // What its agent says stands in the way is a person's to decide (S4-136).
  for (const task of await tasksOf(context, plan))
    if (task.state === "BLOCKED" && task.hold?.kind === "reported")
      await settleTask(context, "task-escalate", { task: task.key, reason: shortReason(task) });
  const tasks = await tasksOf(context, plan);
  const weakened = tasks.flatMap(({ id, weakened: less = [] }) =>
    less.map(({ path, what }) => `${id} weakens tests: ${path}: ${what}`),
  );
  const claims = tasks.flatMap((task) => {
    const { unproven_claims: paths, unproven_deeds: deeds } = reportedIn(task.result);
    return [
      ...paths.map((path) => `${task.id} says that it changed ${path}, which is not in its work`),
      ...deeds.map((deed) => `${task.id} says "${deed}", which nothing shows`),
    ];
  });
  const issues = [...weakened, ...claims];
  if (issues.length > 0) await context.move({ type: "note", knownIssues: issues });
  const left = await unfinishedTasks(context.context);
  if (left === null) return "again";
  const stuck = await withoutContinue(context, tasks);
  const failed = stuck.find(gaveNothing);
  if (failed !== undefined) return blockFailed(context, failed);
  if (session.mode === "lean" && stuck.length > 0) {
    const reason = "it goes the whole way";
    for (const { key } of stuck) await settleTask(context, "task-cancel", { task: key, reason });
    await context.move({ type: "too-complex", reason: left });
    return "again";
  }
  for (const task of stuck) await askAbout(context, session, task);
  const pending = (await sessionDecisions(engine, context.name)).filter(({ state }) => state === "pending");
  if (pending.length > 0) {
    await context.move({ type: "ask" });
    return "again";
  }
  return block(context, {
    code: "tasks_waiting",
    reason: left,
    recovery: "see `lockstep status` for what they wait for",
  });
}

/** Those that are a person's, but for those that a person is asked about already: whether they may go on. */
async function withoutContinue(
  { context }: SessionContext,
  tasks: readonly Task[],
): Promise<readonly Task[]> {
  const open = (await openDecisions(context.engine)).filter(({ kind }) => kind === "continue");
  return tasks.filter(({ state, key }) => state === "ESCALATED" && !open.some(({ task }) => task === key));
}

async function tasksOf({ context, name }: SessionContext, plan: LoadedPlan): Promise<readonly Task[]> {
  const found = await Promise.all(plan.tasks.map(({ id }) => context.engine.ledger.task(taskKey(name, id))));
  return found.filter((task) => task !== undefined);
}

/** What an agent printed may be long. */
function shortReason({ refusal }: Task): string {
  return shortened(refusal?.reason ?? "nobody says why", 200);
}

async function askAbout(context: SessionContext, session: Session, task: Task) {
  const { engine, call } = context.context;
  const reason = shortReason(task);
  return askSession(
    engine,
    {
      session: context.name,
      kind: "repair",
      question: `${task.id} was tried ${task.attempts} times and is not done: ${reason}. Try again (say how), or leave it out as a known issue?`,
      options: ["retry", "leave-out"],
      stateContext: session.state,
      fromSecurity: false,
      about: ["task", task.key, String(task.attempts)],
      data: { subject: task.key, attempts: task.attempts },
    },
    call,
  );
}

/** What a person has said about tasks that went wrong. */
async function carryOutAnswers(context: SessionContext, plan: LoadedPlan): Promise<void> {
  const session = await context.load();
  for (const task of await tasksOf(context, plan)) {
    if (!(await withoutContinue(context, [task])).includes(task)) continue;
    const decision = await askAbout(context, session, task);
    const { state, answer } = decision;
    if (state === "pending") continue;
    const note = answer?.replace(/^\w[\w-]*:?\s*/, "") || "no more was said";
    if (state === "answered" && answer?.startsWith("retry"))
      await settleTask(context, "task-resolve", { task: task.key, note });
    else {
      await settleTask(context, "task-cancel", { task: task.key, reason: note });
      const issue = `${task.id} was left out (${shortReason(task)}): ${note}`;
      await context.move({ type: "note", knownIssues: [issue] });
    }
  }
}

/** Nothing is being repaired any more, whatever became of it. */
async function endRepairs(context: SessionContext): Promise<void> {
  for (const { task } of (await context.load()).repairing)
    if (task !== "meta") await context.move({ type: "repaired", task });
}
