import { expiresAt, hasLapsed } from "../core/leases/lease.ts";
import { addCost } from "../core/loops/budgets.ts";
import { field, isStringList } from "../core/points/fields.ts";
import { isMeta } from "../core/session/meta-key.ts";
import type { Session } from "../core/session/session.ts";
import { isDown, stateWords } from "../core/tasks/states.ts";
import { isIn, type Task } from "../core/tasks/task.ts";
import type { Attempt } from "../ledger/ledger.ts";
import { type Breaker, readBreaker } from "./breaker.ts";
import { currentSession } from "./current-session.ts";
import type { Engine } from "./engine.ts";
import { openDecisions } from "./open-decisions.ts";
import { waitingLandings } from "./waiting-landings.ts";

export interface StatusInput {
  readonly task?: string;
}

/** What `status --json` prints, and what the table for people is made from. */
export async function readStatus(engine: Engine, { task }: StatusInput = {}) {
  const found = task === undefined ? await engine.ledger.tasks() : [await engine.ledger.task(task)];
  const all = await Promise.all(
    found.filter((one) => one !== undefined).map((one) => taskStatus(engine, one)),
  );
  // What a session does as a whole is no task for people; what it costs is theirs.
  const tasks = task === undefined ? all.filter(({ id }) => !isMeta(id)) : all;
  const decisions = (await openDecisions(engine)).map(
    ({ id, kind, task: asked, question, options, data, askedAt }) => ({
      id,
      kind,
      task: asked,
      question,
      options,
      findings: findingsIn(data),
      asked_at: askedAt,
    }),
  );
  const breaker: Breaker = await readBreaker(engine);
  const workflow = workflowOf(await currentSession(engine));
  return {
    session: workflow?.session ?? null,
    outcome: outcomeOf(
      tasks.map(({ state }) => state),
      decisions.length,
    ),
    tasks,
    batches: new Set(tasks.flatMap(({ batch }) => batch ?? [])).size,
    decisions,
    landings: task === undefined ? await waitingLandings(engine) : [],
    cost_usd: totalCost(all),
    walls: { guard: false, sandbox: false, diff: false } as Record<"guard" | "sandbox" | "diff", boolean>,
    breaker,
    workflow,
  };
}

function findingsIn(data: unknown): readonly string[] {
  const findings = field(data, "findings");
  return isStringList(findings) ? findings : [];
}

/** Where the session that `start` began is on its way. */
function workflowOf(session: Session | undefined) {
  if (session === undefined) return null;
  const { name, state, mode, dispatched, blocker } = session;
  if (blocker === null) return { session: name, state, mode, dispatched, blocker };
  const { code, reason, recovery, at, from } = blocker;
  return {
    session: name,
    state,
    mode,
    dispatched,
    blocker: { code, reason, recovery, at, from_state: from },
  };
}

export type Status = Awaited<ReturnType<typeof readStatus>>;
export type TaskStatus = Status["tasks"][number];

async function taskStatus(engine: Engine, task: Task) {
  const attempt = task.attempts > 0 ? await engine.ledger.attempt(task.key) : undefined;
  const { refusal } = task;
  return {
    id: task.key,
    title: task.title,
    state: task.state,
    status: stateWords[task.state].plan,
    owner: stateWords[task.state].owner,
    attempts: task.attempts,
    epoch: task.epoch,
    code: refusal?.code ?? null,
    reason: refusal?.reason ?? null,
    details: refusal?.details ?? {},
    agent: task.agent,
    model: task.model,
    branch: null,
    base: null,
    commit: task.commit,
    batch: task.batch ?? null,
    reverted_by: task.revertedBy ?? null,
    proof: task.proof,
    type: task.type ?? null,
    pr_url: task.hookContext?.pr_url ?? null,
    created_at: task.createdAt,
    started_at: attempt?.startedAt ?? null,
    elapsed_seconds: attempt === undefined ? null : elapsed(engine, attempt),
    usage: usageOf(task),
    scope: scopeOf(task),
    depends_on: task.dependsOn,
    waiting_for: await waitingFor(engine, task),
    retries: task.counters,
    fix_delta: task.fixDelta,
    resolution: task.resolution,
    alive: attempt === undefined ? null : aliveness(engine, attempt),
    evidence: task.evidence,
    weakened: task.weakened ?? [],
    unproven_claims: unprovenOf(task),
  };
}

/** What its agent says that it did, and its work does not show. */
export function unprovenOf({ result }: Pick<Task, "result">): readonly string[] {
  const listed = field(result, "unproven_claims");
  return isStringList(listed) ? listed : [];
}

interface TaskUsageStatus {
  readonly tokens: number;
  readonly input: number | null;
  readonly cached: number | null;
  readonly output: number | null;
  readonly cost_usd: number | null;
}

/** Null where nobody told. A client that tells nothing but a price has no word on the kinds of tokens. */
function usageOf({ tokens, usage }: Task): TaskUsageStatus {
  const { input = 0, cached = 0, output = 0, costUsd = null } = usage ?? {};
  const kinds =
    input + cached + output > 0 ? { input, cached, output } : { input: null, cached: null, output: null };
  return { tokens, ...kinds, cost_usd: costUsd };
}

/** Null where nobody told what anything cost. */
function totalCost(tasks: readonly { readonly usage: TaskUsageStatus }[]): number | null {
  return tasks.reduce<number | null>((sum, { usage }) => addCost(sum, usage.cost_usd ?? undefined), null);
}

function aliveness(engine: Engine, attempt: Attempt) {
  const now = engine.clock.now();
  const running = attempt.leaseState === "running";
  return {
    lease: running && hasLapsed(attempt.lease, now) ? "lapsed" : attempt.leaseState,
    last_heartbeat_at: attempt.beatAt,
    lease_expires_at: running ? expiresAt(attempt.lease, now) : null,
    runner: attempt.runner?.pid ?? null,
    runner_alive: attempt.runner === null ? null : engine.isAlive(attempt.runner),
  };
}

function elapsed(engine: Engine, { startedAt, endedAt }: Attempt): number {
  const end = endedAt === null ? engine.clock.now().wallMs : Date.parse(endedAt);
  return Math.max(0, Math.round((end - Date.parse(startedAt)) / 1000));
}

function scopeOf(task: Task): readonly string[] {
  const scope = field(task.assignment, "lock_scope");
  return isStringList(scope) ? scope : [];
}

async function waitingFor(engine: Engine, task: Task): Promise<readonly string[]> {
  if (task.hold?.by != null) return [task.hold.by];
  if (task.state !== "PENDING") return [];
  const waiting: string[] = [];
  for (const key of task.dependsOn) {
    const dependency = await engine.ledger.task(key);
    if (dependency === undefined || !isIn(dependency)) waiting.push(key);
  }
  return waiting;
}

/** Null where there is nothing to tell of. */
function outcomeOf(states: readonly Task["state"][], questions: number) {
  if (states.length === 0) return null;
  if (questions > 0 || states.includes("ESCALATED")) return "waiting";
  if (states.some((state) => state !== "MERGED" && !isDown(state))) return "running";
  return states.includes("FAILED") ? "failed" : "merged";
}
