import { join } from "node:path";
import type { Config } from "../../contract/config.ts";
import { type Ends, withEnds } from "../../core/loops/budgets.ts";
import { sessionsFolder } from "../../core/names/session-paths.ts";
import { splitClaimed } from "../../core/plan/claimed-tasks.ts";
import { plannedTask } from "../../core/plan/planned-task.ts";
import { previewPlan } from "../../core/plan/preview-plan.ts";
import { isIn } from "../../core/tasks/task.ts";
import { Agents } from "../../run/attempt/agents.ts";
import { offeringOf } from "../../run/conduct/fleet/fleet.ts";
import { prepareAgents } from "../../run/conduct/prepare-agents.ts";
import { tasksOfPlan } from "../../run/conduct/tasks-of-plan.ts";
import type { IntegrationContext } from "../../run/landing/integration.ts";
import type { LoadedPlan } from "../../workspace/plan/load-plan.ts";
import { readSessionLimits } from "../../workspace/plan/session-limits.ts";
import { exitOf } from "../output/exit-of.ts";
import { style } from "../output/style.ts";
import { counted, printable, table } from "../output/table.ts";
import { choosePlan, chosenPlanText } from "./chosen-plan.ts";
import { vagueTasks } from "./vague-tasks.ts";

interface PreviewRequest {
  readonly file: string;
  readonly plan: LoadedPlan;
  readonly again: boolean;
  /** Limits from the options of this run. */
  readonly ends: Ends;
}

/**
 * `run --dry-run`: the order of the tasks, their agents and what they wait for, if every task succeeds. It is refused like
 * the run if an agent cannot be used.
 */
export async function previewRun(context: IntegrationContext, request: PreviewRequest) {
  const { planned, ...document } = await readPreview(context, request);
  const offering = offeringOf(context);
  const agents = new Agents(context.config, context.repository, offering?.labels);
  const refused = await prepareAgents(agents, context.config, planned, offering !== undefined);
  return {
    exit: refused === undefined ? 0 : exitOf(refused.code),
    text: previewText(document),
    refusals: refused === undefined ? [] : [{ refused }],
    document: { ...document, refused: refused ?? null },
  };
}

async function readPreview(
  { engine, config, repository }: IntegrationContext,
  { file, plan: written, again, ends }: PreviewRequest,
) {
  const chosen = await choosePlan(engine, repository.root, { file, again });
  const { session } = chosen;
  const stored = session === null ? [] : await engine.ledger.tasks({ session });
  const known = new Map(stored.map((task) => [task.id, task]));
  const { tasks: open, claimed } = splitClaimed(written.tasks, (id) => known.has(id));
  const plan = { ...written, tasks: [...open] };
  const isMerged = (id: string) => {
    const task = known.get(id);
    return task !== undefined && isIn(task);
  };
  const tasks = tasksOfPlan(config, plan, session ?? "").filter(({ plan: { id } }) => !isMerged(id));
  const kept = session === null ? {} : readSessionLimits(join(repository.root, sessionsFolder, session));
  const limits = withEnds(limitsOf(config), { ...kept, ...ends });
  const { batches, overlaps } = previewPlan(
    tasks.map((task) => plannedTask(task.plan, engine.world)),
    {
      ...{ maxParallel: limits.max_parallel, maxReview: limits.max_review, maxActive: limits.max_active },
      resources: engine.limits.resources,
    },
  );
  return {
    planned: tasks,
    dry_run: true,
    ...{ ...chosen, base: repository.base, limits },
    merged: plan.tasks.length - tasks.length,
    claimed,
    tasks: tasks.map(({ agent, plan: { id, title, depends_on, lock_scope, uses } }) => ({
      ...{ id, title, agent, state: known.get(id)?.state ?? "PENDING" },
      ...{ batch: batches.findIndex((batch) => batch.includes(id)) + 1 },
      ...{ depends_on, scope: lock_scope, uses },
    })),
    batches,
    overlaps,
    warnings: vagueTasks(plan),
  };
}

function limitsOf({ limits }: Config) {
  const { max_parallel, max_review, max_active, batching, tokens, minutes, cost_usd } = limits;
  return { max_parallel, max_review, max_active, batching, tokens, minutes, cost_usd };
}

type Preview = Omit<Awaited<ReturnType<typeof readPreview>>, "planned">;

function previewText(preview: Preview): string {
  const { tasks, batches, overlaps, merged, claimed, limits, base, warnings } = preview;
  const done = merged === 0 ? "" : `; ${counted(merged, "task")} already merged`;
  const before = claimed.length === 0 ? done : `${done}; marked completed in the plan: ${claimed.join(", ")}`;
  const inBatches = batches.length === 1 ? "1 batch" : `${batches.length} batches`;
  const head = `${style.bold(counted(tasks.length, "task"))} in ${inBatches} into ${base}${before}`;
  const waits = Map.groupBy(overlaps, ({ task }) => task);
  const rows = tasks
    .toSorted((one, other) => one.batch - other.batch)
    .map(({ id, batch, agent, scope, depends_on }) => [
      ...[String(batch), id, agent, scope.join(", ")],
      [
        ...(depends_on.length === 0 ? [] : [`after ${depends_on.join(", ")}`]),
        ...(waits.get(id) ?? []).map(({ waits_for, lock }) => `${waits_for} holds ${lock}`),
      ].join("; ") || "-",
    ]);
  const most = `at most ${limits.max_parallel} tasks in parallel (${limits.batching})`;
  const tokens = limits.tokens.halt === null ? "no token limit" : `${limits.tokens.halt} tokens per task`;
  const minutes =
    limits.minutes.halt === null ? "no time limit" : `${limits.minutes.halt} minutes per attempt`;
  return [
    `${printable(chosenPlanText(preview))}\n${head}\n`,
    rows.length === 0 ? "" : table(["BATCH", "TASK", "AGENT", "SCOPE", "WAITS"], rows),
    `\n${printable(`${most}; ${tokens}, ${minutes}`)}\n`,
    ...warnings.map((line) => `warning: ${printable(line)}\n`),
    "nothing was started\n",
  ].join("");
}
