import { copyName, sessionPath } from "../../core/names/session-paths.ts";
import { idOfKey, taskKey } from "../../core/names/task-name.ts";
import { repairsOf, type Session } from "../../core/session/session.ts";
import { type RepairLoop, repairsMax } from "../../core/session/states.ts";
import { reportedIn } from "../../core/tasks/result.ts";
import type { Task } from "../../core/tasks/task.ts";
import { shortened } from "../../core/text/quoted.ts";
import { askSession } from "../../engine/decisions/ask-session.ts";
import { openDecisions } from "../../engine/decisions/open-decisions.ts";
import { sessionDecisions } from "../../engine/decisions/session-decisions.ts";
import { testRequests } from "../../engine/decisions/test-consent.ts";
import type { LedgerEvent } from "../../ledger/ledger.ts";
import type { LoadedPlan } from "../../workspace/plan/load-plan.ts";
import { planOf } from "../files/judge-files.ts";
import { filesOf, unfinishedTasks } from "../files/look-up.ts";
import { block } from "../roles/block.ts";
import type { SessionContext, StepEnd } from "../roles/session-context.ts";
import { conductTasks, reviewersOf } from "./conduct-tasks.ts";
import { blockFailed, gaveNothing, retryFailed, settleTask } from "./failed-tasks.ts";

/** Runs the plan's tasks as `lockstep run` does, with the reviewers of the chosen strategy. */
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
  const ended = await conductTasks(context, plan, {
    role: "Coder",
    reviewersFor: (task) => (isFinal ? [] : reviewersOf(context, task)),
    more: (run) => ({
      // No task is completed until the whole work has passed (S4-135).
      onState: (id, state) => run.onState(id, isFinal && state === "MERGED" ? "REVIEW" : state),
      onEvent: (event) => followRepairs(context, event),
    }),
  });
  if (ended !== undefined) return ended;
  await endRepairs(context);
  return afterRun(context, plan);
}

/** A plan may let a task change tests only after a person has agreed. */
async function waitsForConsent(
  context: SessionContext,
  session: Session,
  plan: LoadedPlan,
): Promise<boolean> {
  const requests = testRequests(plan.tasks);
  if (requests.length === 0) return false;
  const { engine, call } = context.context;
  const { state } = await askSession(
    engine,
    {
      ...{ session: context.name, kind: "question", stateContext: session.state, fromSecurity: false },
      question: `The plan lets tasks change tests without asking you: ${requests.join("; ")}. Do you approve?`,
      options: ["approved", "refused"],
      about: ["may_change_tests", ...requests],
      data: { tests: requests },
    },
    call,
  );
  return state === "pending";
}

/** Tasks that are not merged after a run wait for a person: for an answer, or for a decision about a failure. */
async function afterRun(context: SessionContext, plan: LoadedPlan): Promise<StepEnd> {
  const { engine } = context.context;
  const session = await context.load();
  // A person decides about a blocker that an agent reported (S4-136).
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
      ...paths.map((path) => `${task.id} claims to have changed ${path}, which is not in its work`),
      ...deeds.map((deed) => `${task.id} claims "${deed}", without evidence`),
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
    const reason = "the session continues in full mode";
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
    recovery: "read in `lockstep status` what they wait for",
  });
}

/** Escalated tasks, except those with an open `continue` decision. */
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

function shortReason({ refusal }: Task): string {
  return shortened(refusal?.reason ?? "no reason given", 200);
}

async function askAbout(context: SessionContext, session: Session, task: Task) {
  const { engine, call } = context.context;
  const reason = shortReason(task);
  return askSession(
    engine,
    {
      session: context.name,
      kind: "repair",
      question: `${task.id} is not done after ${task.attempts} attempts: ${reason}. Retry it (say how), or leave it out as a known issue?`,
      options: ["retry", "leave-out"],
      stateContext: session.state,
      fromSecurity: false,
      about: ["task", task.key, String(task.attempts)],
      data: { subject: task.key, attempts: task.attempts },
    },
    call,
  );
}

/** Applies a person's answers about failed tasks. */
async function carryOutAnswers(context: SessionContext, plan: LoadedPlan): Promise<void> {
  const session = await context.load();
  for (const task of await tasksOf(context, plan)) {
    if (!(await withoutContinue(context, [task])).includes(task)) continue;
    const decision = await askAbout(context, session, task);
    const { state, answer } = decision;
    if (state === "pending") continue;
    const note = answer?.replace(/^\w[\w-]*:?\s*/, "") || "no further comment";
    if (state === "answered" && answer?.startsWith("retry"))
      await settleTask(context, "task-resolve", { task: task.key, note });
    else {
      await settleTask(context, "task-cancel", { task: task.key, reason: note });
      const issue = `${task.id} was left out (${shortReason(task)}): ${note}`;
      await context.move({ type: "note", knownIssues: [issue] });
    }
  }
}

/** Ends all repairs of tasks, whatever their result. */
async function endRepairs(context: SessionContext): Promise<void> {
  for (const { task } of (await context.load()).repairing)
    if (task !== "meta") await context.move({ type: "repaired", task });
}

const loops: Readonly<Record<string, RepairLoop>> = {
  Reviewer: "FIX_REVIEW",
  QA: "FIX_TESTS",
  Security: "FIX_SECURITY",
};

/** A rejected task counts as a repair of the session until its work is submitted again. */
async function followRepairs(context: SessionContext, event: LedgerEvent): Promise<void> {
  if (event.task === null || event.to === null) return;
  const task = idOfKey(event.task);
  const session = await context.load();
  if (event.to === "REJECTED") {
    const { refusal } = (await context.context.engine.ledger.task(event.task)) ?? {};
    const role = context.context.config.agents[String(refusal?.details.agent)]?.role ?? "";
    // If no reviewer refused it, its checks failed.
    const loop = Object.hasOwn(loops, role) ? (loops[role] ?? "FIX_TESTS") : "FIX_TESTS";
    // Beyond the limit, the task's own retries are used up too, and a person is asked.
    if (repairsOf(session, task, loop) < repairsMax) await context.move({ type: "repair", loop, task });
    return;
  }
  const isBack = event.to === "REVIEW" || event.to === "MERGED";
  if (isBack && session.repairing.some((one) => one.task === task))
    await context.move({ type: "repaired", task });
}
