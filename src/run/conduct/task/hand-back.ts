import { unknownTask } from "../../../core/names/task-name.ts";
import { type Deny, deny, type Verdict } from "../../../core/rules/verdict.ts";
import { synthesised } from "../../../core/tasks/result.ts";
import type { Task } from "../../../core/tasks/task.ts";
import { isStringList } from "../../../core/values/fields.ts";
import { isTaken } from "../../../engine/attempts/take-task.ts";
import { loadTask } from "../../../engine/change/fence.ts";
import { operate } from "../../../engine/operate.ts";
import type { Checkout } from "../../../workspace/checkouts/checkout.ts";
import { type Collected, collectWork } from "../../../workspace/checkouts/collect-work.ts";
import { findCheckout } from "../../../workspace/checkouts/find-checkout.ts";
import type { RunContext } from "../../attempt/run-context.ts";
import { collectWorklog } from "../../attempt/session-files.ts";
import { doneDocument, findStray, shareWork } from "./hand-in.ts";
import { showBranch } from "./work-branch.ts";
import { addEntry } from "./worklog.ts";

type Context = Pick<RunContext, "engine" | "repository" | "config" | "call" | "onTask">;

/**
 * Hands in the work of a person who had taken over a task. The next run proves and merges it, or rejects it. Work that
 * would certainly be rejected is refused now, and the task stays with the person.
 */
export async function handBack(context: Context, key: string): Promise<Verdict> {
  const { engine, repository, call } = context;
  const loaded = await loadTask(engine, key);
  if (loaded === undefined) return unknownTask(key);
  const { task, attempt } = loaded;
  if (!isTaken(task, attempt)) return notTaken(task);
  const name = { session: task.session, task: task.id, attempt: task.attempts };
  const checkout = findCheckout(repository.commonFolder, name);
  if (checkout === undefined)
    return deny(
      "R-IN-001",
      `task \`${key}\` has no checkout: hand in a result, \`lockstep submit ${key} FILE\``,
    );
  const collected = await collectWork(checkout, { subject: `${task.id}: ${task.title ?? task.id}` });
  if (collected === "unchanged") return unchanged(task, checkout);
  const stray = await findStray(context, { key }, collected);
  if (stray !== undefined) return outside(task, stray);
  const shared = await shareWork(context, collected, checkout.base);
  if (shared !== undefined)
    return "unshared" in shared ? deny("E-GIT", `${shared.unshared}; then submit again`) : shared;
  const plan = { id: task.id };
  await showBranch(context, { key, plan }, collected.commit);
  await submitWorklog(context, task, { checkout, collected });
  const summary = `changed ${collected.changed.length} files by hand`;
  const document = doneDocument({ plan }, summary, [synthesised]);
  return operate(engine, "submit", { task: key, document }, call);
}

async function submitWorklog(
  context: Context,
  { key, assignment }: Task,
  { checkout, collected }: { readonly checkout: Checkout; readonly collected: Collected },
): Promise<void> {
  const path = assignment?.worklog_path;
  if (path == null) return;
  const changed = collected.changed.map((one) => one.path);
  await collectWorklog(context, checkout, path);
  await addEntry(
    context,
    { key, packet: { assignment: { worklog_path: path } } },
    {
      ...{ actor: "person", action: "hand in", files_touched: changed, decision: null },
      ...{ result: "handed in", next_step: "review", report: "synthesised" },
    },
  );
}

function notTaken({ key, state }: Task): Deny {
  const why = `no document was given, and task \`${key}\` (${state}) was not taken over by a person`;
  return deny("R-IN-001", `${why}: name a FILE with a result`, { task_id: key, state });
}

function unchanged({ key }: Task, { folder }: Checkout): Deny {
  return deny(
    "R-PC-003",
    `no file was changed in ${folder}: do the work there, or give the task up with \`lockstep release ${key}\``,
    { task_id: key },
  );
}

function outside({ key }: Task, stray: Deny): Deny {
  const paths = stray.details.outside;
  if (!isStringList(paths)) return stray;
  const named = paths
    .map((path) => `\`${path}\``)
    .slice(0, 5)
    .join(", ");
  const reason = `${named} is outside the scope of the task: undo that change, or ask for the path with \`lockstep widen ${key} PATH --why TEXT\``;
  return deny(stray.code, reason, { ...stray.details, task_id: key });
}
