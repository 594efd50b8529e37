import { expiresAt, hasLapsed } from "../../core/leases/lease.ts";
import { addCost } from "../../core/loops/budgets.ts";
import { isMeta } from "../../core/names/task-name.ts";
import { nameOfWait, type WaitFacts, waitsOf } from "../../core/plan/waits.ts";
import type { Session } from "../../core/session/session.ts";
import { isGivenUp } from "../../core/session/session.ts";
import { reportedIn } from "../../core/tasks/result.ts";
import { isDown, stateWords } from "../../core/tasks/states.ts";
import type { Task } from "../../core/tasks/task.ts";
import type { Attempt, Decision, Survey } from "../../ledger/ledger.ts";
import { type Breaker, breakerIn } from "../change/breaker.ts";
import type { Engine } from "../change/engine.ts";
import { isSettled, sessionAskedAbout } from "../decisions/session-decisions.ts";
import { waitingLandings } from "../landing/waiting-landings.ts";
import { machinesIn } from "../machines/list-machines.ts";
import { currentOf } from "../sessions/current-session.ts";
import { waitFacts } from "./wait-facts.ts";

export interface StatusInput {
  readonly task?: string;
}

/**
 * The content of `status --json`, from which the table for people is also made. All data is read in one
 * transaction.
 */
export async function readStatus(engine: Engine, input: StatusInput = {}) {
  return statusIn(engine, await engine.ledger.survey(), input);
}

/** The same, of a survey that was read before. */
export function statusIn(engine: Engine, survey: Survey, { task }: StatusInput = {}) {
  const { known, asked, statusOf } = lookAt(engine, survey);
  const found = task === undefined ? survey.tasks : survey.tasks.filter(({ key }) => key === task);
  const all = found.map(statusOf);
  // The session's own task is not listed, but its cost counts.
  const tasks = task === undefined ? all.filter(({ key }) => !isMeta(key)) : all;
  const decisions = asked.map(({ id, kind, task: about, question, options, data, askedAt }) => ({
    id,
    kind,
    task: about,
    question,
    options,
    findings: data?.findings ?? [],
    asked_at: askedAt,
  }));
  const breaker: Breaker = breakerIn(survey.breaker);
  const machines = machinesIn(engine, survey);
  const workflow = workflowOf(currentOf(survey.sessions));
  return {
    session: workflow?.session ?? null,
    outcome: outcomeOf(tasks, decisions.length),
    tasks,
    batches: batchesOf(tasks),
    decisions,
    landings: task === undefined ? waitingLandings(survey.events, known) : [],
    cost_usd: totalCost(all),
    walls: { guard: false, sandbox: false, diff: false } as Record<"guard" | "sandbox" | "diff", boolean>,
    breaker,
    workflow,
    ...(machines.length === 0 ? {} : { machines }),
  };
}

/** A survey of the ledger: tasks by key, open questions, and the status of a task. */
export function lookAt(engine: Engine, survey: Survey) {
  const known = new Map(survey.tasks.map((one) => [one.key, one]));
  const attempts = new Map(survey.attempts.map((attempt) => [attempt.task, attempt]));
  const asked = openAmong(survey, known);
  const facts = waitFacts(engine, { ...survey, decisions: asked }, { known, attempts });
  const givenUp = new Set(survey.sessions.filter(isGivenUp).map(({ name }) => name));
  const machines = new Map(survey.machines.map(({ id, name }) => [id, name]));
  const statusOf = (task: Task) =>
    taskStatus(engine, task, { attempt: attempts.get(task.key), facts, givenUp, machines });
  return { known, asked, statusOf };
}

/** The decisions whose answer still matters. */
export function openAmong(
  { decisions, sessions }: Pick<Survey, "decisions" | "sessions">,
  tasks: ReadonlyMap<string, Task>,
): readonly Decision[] {
  const byName = new Map(sessions.map((session) => [session.name, session]));
  return decisions.filter((decision) => {
    const session = sessionAskedAbout(decision);
    return !isSettled(
      session === undefined
        ? { task: tasks.get(decision.task), kind: decision.kind }
        : { session: byName.get(session) },
    );
  });
}

/** The progress of a session from `start`. */
function workflowOf(session: Session | undefined) {
  if (session === undefined) return null;
  const { name, state, mode, dispatched, blocker } = session;
  const over = isGivenUp(session) ? ("abandoned" as const) : state === "DONE" ? ("done" as const) : null;
  if (blocker === null) return { session: name, state, mode, dispatched, blocker, over };
  const { code, reason, recovery, at, from } = blocker;
  return {
    session: name,
    state,
    mode,
    dispatched,
    blocker: { code, reason, recovery, at, from_state: from },
    over,
  };
}

export type Status = ReturnType<typeof statusIn>;
export type TaskStatus = ReturnType<typeof taskStatus>;

interface Known {
  readonly attempt: Attempt | undefined;
  readonly facts: WaitFacts;
  /** Names of abandoned sessions. */
  readonly givenUp: ReadonlySet<string>;
  /** Names by id. */
  readonly machines: ReadonlyMap<string, string>;
}

function taskStatus(engine: Engine, task: Task, { attempt, facts, givenUp, machines }: Known) {
  const { refusal } = task;
  const archived = givenUp.has(task.session ?? "");
  const waits = archived ? [] : waitsOf(task, facts);
  return {
    id: task.id,
    key: task.key,
    archived,
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
    scope: task.assignment?.lock_scope ?? [],
    depends_on: task.dependsOn,
    waiting_for: waits.map(nameOfWait),
    waits,
    hold: task.hold,
    retries: task.counters,
    fix_delta: task.fixDelta,
    resolution: task.resolution,
    alive: attempt === undefined ? null : aliveness(engine, attempt, machines),
    evidence: task.evidence,
    weakened: task.weakened ?? [],
    ...reportedIn(task.result),
  };
}

interface TaskUsageStatus {
  readonly tokens: number;
  readonly input: number | null;
  readonly cached: number | null;
  readonly output: number | null;
  readonly cost_usd: number | null;
}

/** Null if not reported. A client that reports only a price has no figures for the kinds of tokens. */
function usageOf({ tokens, usage }: Task): TaskUsageStatus {
  const { input = 0, cached = 0, output = 0, costUsd = null } = usage ?? {};
  const kinds =
    input + cached + output > 0 ? { input, cached, output } : { input: null, cached: null, output: null };
  return { tokens, ...kinds, cost_usd: costUsd };
}

/** Null if no cost was reported. */
export function totalCost(tasks: readonly { readonly usage: TaskUsageStatus }[]): number | null {
  return tasks.reduce<number | null>((sum, { usage }) => addCost(sum, usage.cost_usd ?? undefined), null);
}

function aliveness(engine: Engine, attempt: Attempt, machines: Known["machines"]) {
  const now = engine.clock.now();
  const running = attempt.leaseState === "running";
  return {
    lease: running && hasLapsed(attempt.lease, now) ? "lapsed" : attempt.leaseState,
    last_heartbeat_at: attempt.beatAt,
    lease_expires_at: running ? expiresAt(attempt.lease, now) : null,
    runner: attempt.runner?.pid ?? null,
    runner_alive: runnerAlive(engine, attempt),
    ...(attempt.machine === undefined
      ? {}
      : { machine: attempt.machine, machine_name: machines.get(attempt.machine) ?? attempt.machine }),
  };
}

/** Null if that cannot be known here: then the lease decides. */
function runnerAlive(engine: Engine, { runner }: Attempt): boolean | null {
  const alive = runner === null ? "elsewhere" : engine.isAlive(runner);
  return alive === "elsewhere" ? null : alive === "yes";
}

function elapsed(engine: Engine, { startedAt, endedAt }: Attempt): number {
  const end = endedAt === null ? engine.clock.now().wallMs : Date.parse(endedAt);
  return Math.max(0, Math.round((end - Date.parse(startedAt)) / 1000));
}

/** The number of integrations that merged the tasks. */
export function batchesOf(tasks: readonly { readonly batch: string | null }[]): number {
  return new Set(tasks.flatMap(({ batch }) => batch ?? [])).size;
}

/** Null if there are no tasks. `stopped`: work is left, and no process works on it. */
export function outcomeOf(tasks: readonly TaskStatus[], questions: number) {
  if (tasks.length === 0) return null;
  if (questions > 0 || tasks.some(({ waits }) => waits.some(({ on }) => on === "person"))) return "waiting";
  if (tasks.some(({ state }) => state !== "MERGED" && !isDown(state)))
    return tasks.some(isAtWork) ? "running" : "stopped";
  return tasks.some(({ state }) => state === "FAILED") ? "failed" : "merged";
}

/**
 * Whether the run of the task is alive, which also does the other tasks of its session. If no process is known,
 * the lease decides.
 */
function isAtWork({ state, alive }: Pick<TaskStatus, "state" | "alive">): boolean {
  if (alive === null) return false;
  return alive.runner_alive ?? (state === "IN_PROGRESS" && alive.lease === "running");
}
