import { unknownTask } from "../../core/names/task-name.ts";
import { type Deny, deny, type Verdict } from "../../core/rules/verdict.ts";
import { synthesised } from "../../core/tasks/result.ts";
import type { Task } from "../../core/tasks/task.ts";
import { isStringList } from "../../core/values/fields.ts";
import { isTaken } from "../../engine/attempts/take-task.ts";
import { loadTask } from "../../engine/change/fence.ts";
import { operate } from "../../engine/operate.ts";
import type { Checkout } from "../../workspace/checkouts/checkout.ts";
import { type Collected, collectWork } from "../../workspace/checkouts/collect-work.ts";
import { findCheckout } from "../../workspace/checkouts/find-checkout.ts";
import type { RunContext } from "../attempt/run-context.ts";
import { collectWorklog } from "../attempt/session-files.ts";
import { doneDocument, findStray } from "./hand-in.ts";
import { showBranch } from "./work-branch.ts";
import { addEntry } from "./worklog.ts";

type Context = Pick<RunContext, "engine" | "repository" | "call" | "onTask">;

/**
 * What a person made of a task that they had taken over, handed in like an agent's: it is proven and merged, or sent
 * back, by the next run. What would be sent back for certain is said now, and the task stays theirs.
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
  const why = `no document was given, and task \`${key}\` (${state}) is not taken over`;
  return deny("R-IN-001", `${why}: name a FILE with a result`, { task_id: key, state });
}

function unchanged({ key }: Task, { folder }: Checkout): Deny {
  return deny(
    "R-PC-003",
    `nothing was changed in ${folder}: do it there, or give the task up with \`lockstep release ${key}\``,
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
  const reason = `${named} lies outside its scope: undo that, or \`lockstep widen ${key} PATH --why TEXT\``;
  return deny(stray.code, reason, { ...stray.details, task_id: key });
}
