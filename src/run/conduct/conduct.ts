import { setTimeout as sleep } from "node:timers/promises";
import { declarationYaml, declareBatch } from "../../core/plan/batch-declaration.ts";
import { nextTasks } from "../../core/plan/next-tasks.ts";
import { plannedTask, type TaskNow } from "../../core/plan/planned-task.ts";
import { operate } from "../../engine/operate.ts";
import { readRef } from "../../workspace/git/refs.ts";
import { integrate } from "../integrate.ts";
import { type AttemptTask, runAttempt } from "./attempt.ts";
import type { RunContext } from "./run-context.ts";

/** Ctrl-C once: nothing new starts. Twice: agents are stopped, and everything is kept. */
export interface Stops {
  readonly gently: AbortSignal;
  readonly atOnce: AbortSignal;
}

interface Standing extends TaskNow {
  readonly key: string;
}

const tickMs = 1000;

/** Schedules, runs, integrates, until nothing may start and nothing runs. Where it was interrupted, it goes on. */
export async function conduct(
  context: RunContext,
  tasks: readonly AttemptTask[],
  { gently, atOnce }: Stops,
): Promise<void> {
  const running = new Map<string, Promise<void>>();
  /** Waits for a person: nothing that this run could do again would change it. */
  const waiting = new Set<string>();
  for (;;) {
    await operate(context.engine, "watchdog", {}, context.call);
    const now = await readStanding(context, tasks);
    context.onStates(new Map(now.map(({ id, state }) => [id, state])));
    const reviewed = now.filter(({ key, state }) => state === "REVIEW" && !waiting.has(key));
    const isBatch = context.config.limits.batching === "batch";
    if (reviewed.length > 0 && !atOnce.aborted && (running.size === 0 || !isBatch)) {
      for (const key of await bringIn(context, reviewed)) waiting.add(key);
      continue;
    }
    const next = gently.aborted ? [] : startable(context, now, running);
    if (next.length > 0) context.remember("activeContext.md", declared(context, tasks, next));
    for (const { key } of next) {
      const task = tasks.find((one) => one.key === key) as AttemptTask;
      const done = tryTask(context, task, atOnce).finally(() => running.delete(key));
      running.set(key, done);
    }
    if (running.size === 0) return;
    await Promise.race([...running.values(), sleep(tickMs)]);
  }
}

async function readStanding(
  { engine }: RunContext,
  tasks: readonly AttemptTask[],
): Promise<readonly Standing[]> {
  return Promise.all(
    tasks.map(async ({ key, plan }) => {
      const found = await engine.ledger.task(key);
      const revertedBy = found?.revertedBy ?? null;
      return { ...plannedTask(plan, engine.world), key, state: found?.state ?? "PENDING", revertedBy };
    }),
  );
}

function startable(
  { config, engine }: RunContext,
  now: readonly Standing[],
  running: ReadonlyMap<string, unknown>,
): readonly Standing[] {
  const { max_parallel: maxParallel, max_review: maxReview, max_active: maxActive, batching } = config.limits;
  const limits = { maxParallel, maxReview, maxActive, resources: engine.limits.resources };
  return nextTasks(now, { mode: batching, limits }).filter(({ key }) => !running.has(key));
}

/** S1: who owns what is written down before a batch begins. */
function declared({ engine }: RunContext, tasks: readonly AttemptTask[], next: readonly Standing[]): string {
  const id = `BATCH-${new Date(engine.clock.now().wallMs).toISOString().replace(/[-:.]/g, "")}`;
  const members = next.flatMap(({ key }) => tasks.filter((task) => task.key === key));
  return `\`\`\`yaml\n${declarationYaml(
    declareBatch(
      id,
      members.map(({ agent, plan }) => ({ agent, lockScope: plan.lock_scope })),
    ),
  )}\`\`\``;
}

async function tryTask(context: RunContext, task: AttemptTask, atOnce: AbortSignal): Promise<void> {
  context.onTask(task.key, { type: "said", text: `started by ${task.agent}` });
  const end = await runAttempt(context, task, atOnce);
  const told = end.how === "refused" ? `${end.verdict.code}: ${end.verdict.reason}` : end.how;
  context.onTask(task.key, { type: "said", text: told });
  context.remember("progress.md", `${task.key}: ${told}`);
}

/** The tasks that wait for a person afterwards. */
async function bringIn(context: RunContext, reviewed: readonly Standing[]): Promise<readonly string[]> {
  const base = await context.atBase();
  const wishes = await Promise.all(
    reviewed.map(async ({ id, key }) => ({
      branch: `lockstep/${id}`,
      task: key,
      commit: await handedIn(context, { id, key }, base.repository.baseCommit),
      ...{ scope: null, checks: [], proves: [] },
    })),
  );
  const { branches } = await integrate(base, wishes);
  for (const { branch, task, outcome, refused } of branches) {
    const told = refused === null ? outcome : `${outcome}, ${refused.code}: ${refused.reason}`;
    const key = task ?? reviewed.find(({ id }) => `lockstep/${id}` === branch)?.key ?? branch;
    context.onTask(key, { type: "said", text: told });
    context.remember("progress.md", `${key}: ${told}`);
  }
  const settled = new Set(branches.filter(({ outcome }) => outcome !== "merged" && outcome !== "refused"));
  return [...settled].map(
    ({ branch, task }) => task ?? reviewed.find(({ id }) => `lockstep/${id}` === branch)?.key ?? branch,
  );
}

/** The work of the attempt that is in review; nothing at all where it changed nothing. */
async function handedIn(
  { engine, repository, session }: RunContext,
  { id, key }: Pick<Standing, "id" | "key">,
  nothing: string,
): Promise<string> {
  const attempts = (await engine.ledger.task(key))?.attempts ?? 0;
  return (await readRef(repository.root, `refs/lockstep/${session}/${id}/${attempts}`)) ?? nothing;
}
