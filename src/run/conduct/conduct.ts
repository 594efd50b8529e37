import { setTimeout as sleep } from "node:timers/promises";
import { isHere } from "../../core/leases/lease.ts";
import { agentOfKey, taskKey } from "../../core/names/task-name.ts";
import { nextTasks } from "../../core/plan/next-tasks.ts";
import { fleetLimits } from "../../core/plan/placement.ts";
import { type PlanLimits, type PlannedTask, plannedTask } from "../../core/plan/planned-task.ts";
import { Standing } from "../../core/plan/standing.ts";
import type { TaskState } from "../../core/tasks/states.ts";
import type { Task } from "../../core/tasks/task.ts";
import { isTaken } from "../../engine/attempts/take-task.ts";
import { isAskedAbout } from "../../engine/decisions/open-decisions.ts";
import { operate } from "../../engine/operate.ts";
import { dataOf } from "../../ledger/event-data.ts";
import type { Attempt, LedgerEvent } from "../../ledger/ledger.ts";
import { RemoteFault, type RemoteTrouble } from "../../workspace/git/remote.ts";
import type { RunContext, RunTask } from "../attempt/run-context.ts";
import { Batch } from "./batch.ts";
import { firstOf } from "./first-of.ts";
import { LedgerFollower } from "./fleet/follow-ledger.ts";
import type { TakenIn } from "./open-run.ts";
import { type BroughtIn, bringIn, memberText } from "./task/bring-in.ts";
import { declareOwners } from "./task/declare-owners.ts";
import { haltStalled } from "./task/halt-stalled.ts";
import { passPoint } from "./task/lifecycle.ts";
import { passReview } from "./task/pass-review.ts";
import { rememberEvent } from "./task/remember-event.ts";
import { rememberHalts, tellLoop } from "./task/tell-loops.ts";
import { type AttemptEnd, endText, workOnTask } from "./task/work-on-task.ts";
import { logStop } from "./task/worklog.ts";

/** After the first Ctrl-C nothing new starts. The second one stops the agents; all their work is kept. */
export interface Stops {
  readonly gently: AbortSignal;
  readonly atOnce: AbortSignal;
  /** Told which tasks are being merged: a stop lets that end. */
  onLanding?(tasks: readonly string[]): void;
}

/** A task with the context of its session. */
export interface Part {
  readonly context: RunContext;
  readonly task: RunTask;
}

/** What a task waits for: a person unless an agent is named. */
interface Waits {
  readonly agent: string | null;
  /** No event ends it. */
  readonly lasts?: boolean;
  /** It ends by itself at this time of `performance.now()`. */
  readonly untilMs?: number;
  /** A run stays for it. */
  readonly stays?: boolean;
}

/** A remote that failed or refused is asked again after this time, which doubles each time. */
const remoteMs = 15_000;
const remoteMsMax = 600_000;

const tickMs = 1000;
/** Between two turns, however many hints come. */
const restMs = 50;
/** How long tasks that are ready wait for the next one, in a fleet, and for all that follow. */
const gatherMs = { next: 500, all: 2000 };
const startable: readonly TaskState[] = ["PENDING", "REJECTED", "BLOCKED"];
/** The key of the one job that does not belong to a single task. */
const integration = "integration";
/** The key of the job that runs checks for other machines. */
const helping = "helping";

/** Schedules, runs, reviews and integrates tasks until nothing can start and nothing runs. Resumes interrupted runs. */
export class Conductor {
  readonly #main: RunContext;
  readonly #stops: Stops;
  readonly #parts = new Map<string, Part>();
  readonly #plans = new Map<string, PlannedTask>();
  #standing = new Standing<PlannedTask>([]);
  /** The tasks as last read from the ledger. */
  readonly #facts = new Map<string, Task>();
  /** The last attempts of tasks that run or were rejected. */
  readonly #lasts = new Map<string, Attempt | undefined>();
  readonly #running = new Map<string, Promise<void>>();
  /** Tasks whose review is done: only the proof is missing. */
  readonly #reviewed = new Set<string>();
  /** When the first and the last of them were ready. */
  #readyMs = { first: 0, last: 0 };
  /** Tasks that wait for a person, a paused reviewer or a remote: this run can do nothing for them now. */
  readonly #waiting = new Map<string, Waits>();
  readonly #follower: LedgerFollower;
  /** The circuit breaker. */
  #halt = new AbortController();
  readonly #batch = new Batch(Date.now());
  /** When to ask a remote again that failed or refused, and how long that was. */
  #remotePause: { readonly untilMs: number; readonly ms: number } | undefined;
  /** Ends at the next hint of another process. */
  #hint: Promise<void> | undefined;
  /** The first error of a job. */
  #fault: { readonly error: unknown } | undefined;

  private constructor(main: RunContext, stops: Stops, follower: LedgerFollower) {
    this.#main = main;
    this.#stops = stops;
    this.#follower = follower;
  }

  static async open(main: RunContext, stops: Stops): Promise<Conductor> {
    return new Conductor(main, stops, await LedgerFollower.open(main.engine.ledger));
  }

  /** Adds tasks, also during the run. */
  async add(context: RunContext, tasks: readonly RunTask[]): Promise<void> {
    for (const task of tasks) {
      this.#parts.set(task.key, { context, task });
      const { dependsOn, ...planned } = plannedTask(task.plan, context.engine.world);
      const stored = await context.engine.ledger.task(task.key);
      const needs = stored?.dependsOn ?? dependsOn.map((id) => taskKey(context.session, id));
      this.#plans.set(task.key, { ...planned, id: task.key, dependsOn: needs });
    }
    this.#standing = new Standing([...this.#plans.values()]);
    for (const key of this.#parts.keys()) await this.#read(key);
    await rememberHalts(context);
  }

  /** `newcomers` returns the sessions that other processes have added since its last call. */
  async run(newcomers: () => Promise<readonly TakenIn[]> = async () => []): Promise<void> {
    const { engine, call } = this.#main;
    const { fleet } = this.#main;
    using _waits = engine.ledger.waitWhile?.(() => this.#maySurvive());
    for (;;) {
      const hinted = this.#nextHint();
      this.#stopIfReplaced();
      await operate(engine, "watchdog", {}, call);
      for (const { context, tasks } of await newcomers()) await this.add(context, tasks);
      await fleet?.look(this.#sessions());
      await this.#endWaits();
      await this.#look();
      this.#integrate();
      this.#review();
      const rests = this.#start() || [...this.#waiting.values()].some(({ agent }) => agent !== null);
      await this.#help();
      if (this.#fault !== undefined) throw this.#fault.error;
      const isWaking = rests && this.#main.agents.nextWakeMs(Date.now()) !== undefined;
      const waits = isWaking || this.#waitsForOthers() || this.#waitsForRemote();
      const isWaiting = waits && !this.#isStopping();
      if (this.#running.size === 0 && !isWaiting) return;
      await firstOf([...this.#running.values(), ...hinted], tickMs);
    }
  }

  /** Ends when another process has told, from now on, that there is something to do. */
  #nextHint(): readonly Promise<void>[] {
    const { hints } = this.#main.engine.ledger;
    if (hints === undefined) return [];
    this.#hint ??= hints.after(hints.count).finally(() => {
      this.#hint = undefined;
    });
    const hint = this.#hint;
    return [sleep(restMs, undefined, { ref: false }).then(() => hint)];
  }

  /** Tells the other machines that something has changed that they may wait for. */
  #giveHint(): void {
    this.#main.engine.ledger.hints?.give();
  }

  #sessions(): ReadonlySet<string> {
    return new Set([...this.#parts.values()].map(({ context }) => context.session));
  }

  /** The agents are worth waiting for a ledger that does not answer. They stop by themselves before their leases end. */
  #maySurvive(): boolean {
    const { gently, atOnce } = this.#stops;
    return !atOnce.aborted && (!gently.aborted || this.#running.size > 0);
  }

  #isStopping(): boolean {
    return this.#stops.gently.aborted || this.#main.fleet?.isDraining === true;
  }

  /** Other machines work on these tasks, or can do those that this one cannot. */
  #waitsForOthers(): boolean {
    const { fleet } = this.#main;
    if (fleet === undefined || fleet.isWorker) return fleet !== undefined;
    if (fleet.size < 2) return this.#standing.held().some(({ isElsewhere }) => isElsewhere === true);
    const held = this.#standing.held().some(({ isWithPerson }) => isWithPerson !== true);
    return held || [...this.#standing.ready()].some(({ id }) => !this.#isWaiting(id));
  }

  /** A remote that fails now can work again without a person. */
  #waitsForRemote(): boolean {
    return [...this.#waiting.values()].some(({ stays }) => stays === true);
  }

  /** Whether this process reviews and lands the session. */
  #leads({ context }: Pick<Part, "context">): boolean {
    return this.#main.fleet?.conducts(context.session) ?? true;
  }

  /** Another process conducts these sessions now: this one must not start, review or merge anything. */
  #stopIfReplaced(): void {
    const error = this.#main.whyReplaced?.();
    if (error === undefined) return;
    this.#halt.abort();
    this.#fault ??= { error };
  }

  /** Reads the tasks that have changed in the ledger, by this process or another. */
  async #look(): Promise<void> {
    const changed = new Set<string>();
    // Handling an event can end a task, which is a new event.
    for (let news = await this.#follower.news(); news.length > 0; news = await this.#follower.news())
      for (const event of news) {
        await this.#see(event);
        if (event.task !== null && this.#parts.has(event.task)) changed.add(event.task);
      }
    for (const key of changed) await this.#read(key);
  }

  async #see(event: LedgerEvent): Promise<void> {
    const { task, type, to } = event;
    if (type === "breaker.set") this.#obey(dataOf(event, "breaker.set")?.mode);
    const isAnswer = type === "decision.answered" || type === "decision.cancelled";
    const asked = agentOfKey(task ?? "");
    if (isAnswer && asked !== undefined) this.#main.agents.wake(asked);
    const part = this.#parts.get(task ?? "");
    if (part === undefined) return;
    const { lasts = false } = this.#waiting.get(part.task.key) ?? {};
    if ((to !== null && !lasts) || isAnswer) this.#waiting.delete(part.task.key);
    if (!this.#leads(part)) return;
    tellLoop(part.context, event);
    rememberEvent(part.context, event);
    await part.context.onEvent?.(event);
    // If the task can still escalate to another agent, that comes first.
    const { agent = null } = this.#facts.get(part.task.key) ?? {};
    const hasOther = agent !== null && part.context.config.agents[agent]?.escalate_to != null;
    if (type === "task.rejected" && !hasOther) await haltStalled(part.context, part.task.key);
  }

  /** `STOP` stops all agents of the run (S1-104). */
  #obey(mode: unknown): void {
    if (mode === "STOP") this.#halt.abort();
    else if (this.#halt.signal.aborted) this.#halt = new AbortController();
    this.#waiting.clear();
  }

  async #read(key: string): Promise<void> {
    const part = this.#parts.get(key);
    const fact = await this.#main.engine.ledger.task(key);
    if (part === undefined || fact === undefined) return;
    const before = this.#facts.get(key);
    this.#facts.set(key, fact);
    if (this.#leads(part)) await logStop(part.context, part.task, { before, now: fact });
    const { state, revertedBy } = fact;
    if (state !== "REVIEW") this.#reviewed.delete(key);
    const { engine, fleet } = this.#main;
    const isNeeded = state === "IN_PROGRESS" || (state === "REJECTED" && fleet !== undefined);
    const attempt = isNeeded ? await engine.ledger.attempt(key) : undefined;
    const isWithPerson = this.#isWaiting(key) || isTaken(fact, attempt) || (await isAskedAbout(engine, fact));
    const isElsewhere = fleet !== undefined && attempt !== undefined && !isHere(attempt, engine.machine);
    this.#lasts.set(key, attempt);
    this.#standing.put(key, { state, revertedBy: revertedBy ?? null, isWithPerson, isElsewhere });
    part.context.onState(part.task.plan.id, state);
  }

  /** Merges ready tasks while others run: one integration at a time, with at most `max_parallel` tasks. */
  #integrate(): void {
    // Two checks at a time could answer for each other on the same port.
    if (this.#stops.atOnce.aborted || this.#running.has(integration) || this.#running.has(helping)) return;
    const ready = this.#inReview().filter(({ task }) => this.#reviewed.has(task.key));
    if (ready.length === 0) return;
    const { max_parallel, batching } = this.#main.config.limits;
    const others = this.#standing
      .held()
      .filter(({ id, isWithPerson }) => !isWithPerson && !this.#reviewed.has(id));
    const running = others.map(({ id }) => id);
    if (batching === "batch" && !this.#batch.closes(running, Date.now())) return;
    if (running.length > 0 && this.#isGathering()) return;
    // Tasks of two sessions can have the same name, and so the same branch: the second one waits for the next turn.
    const names = ready.map(({ task }) => task.plan.id);
    const tasks = ready.flatMap(({ task }, at) => (names.indexOf(task.plan.id) === at ? [task] : []));
    const together = tasks.slice(0, max_parallel);
    // A rejected task starts again only when the whole integration has ended.
    this.#run([integration, ...together.map(({ key }) => key)], () => this.#bringIn(together));
  }

  /** Several machines prove several merges in the time of one, so it pays to wait a moment for the next tasks. */
  #isGathering(): boolean {
    const { fleet } = this.#main;
    if (fleet === undefined || fleet.size < 2) return false;
    const nowMs = performance.now();
    return nowMs - this.#readyMs.last < gatherMs.next && nowMs - this.#readyMs.first < gatherMs.all;
  }

  async #bringIn(tasks: readonly RunTask[]): Promise<void> {
    this.#stops.onLanding?.(tasks.map(({ key }) => key));
    const brought = await this.#tryBringIn(tasks).finally(() => this.#stops.onLanding?.([]));
    for (const { key, member } of brought) {
      const { outcome } = member;
      this.#tell(key, memberText(member));
      if (outcome !== "merged" && outcome !== "refused")
        await this.#waitFor(key, this.#waitOf(member.trouble));
      if (outcome === "merged") this.#remotePause = undefined;
      if (outcome === "merged") this.#giveHint();
      if (outcome === "merged" && member.commit !== null) this.#afterMerge(key, member.commit);
      // Read first: a task that is still in REVIEW and not in `#reviewed` would be reviewed again.
      await this.#read(key);
      this.#reviewed.delete(key);
    }
  }

  /** In a fleet, a remote that fails is asked again later. */
  async #tryBringIn(tasks: readonly RunTask[]): Promise<readonly BroughtIn[]> {
    try {
      return await bringIn(this.#main, tasks);
    } catch (error) {
      if (this.#main.fleet === undefined || !(error instanceof RemoteFault)) throw error;
      this.#main.onProgress(`cannot merge now: ${error.message}`);
      for (const { key } of tasks) await this.#waitFor(key, this.#waitOf("fails"));
      return [];
    }
  }

  /** Sets a task aside until an event about it arrives; the other tasks continue. */
  async #waitFor(key: string, wait: Waits = { agent: null }): Promise<void> {
    this.#waiting.set(key, wait);
    await this.#read(key);
  }

  /** Tasks whose time is over can be tried again. */
  async #endWaits(): Promise<void> {
    for (const [key, { untilMs = Infinity }] of this.#waiting) {
      if (performance.now() < untilMs) continue;
      this.#waiting.delete(key);
      await this.#read(key);
    }
  }

  #isWaiting(key: string): boolean {
    const waits = this.#waiting.get(key);
    if (waits === undefined) return false;
    return waits.agent === null || this.#main.agents.isResting(waits.agent);
  }

  /** Runs the hooks after a merge. A failure is reported and undoes nothing. */
  #afterMerge(key: string, commit: string): void {
    const part = this.#parts.get(key);
    if (part === undefined) return;
    const { context, task } = part;
    const agent = this.#facts.get(key)?.agent ?? task.agent;
    const passing = { task, commit, agent, call: context.call, stop: this.#stops.atOnce };
    this.#run([`${key} after`], async () => void (await passPoint(context, passing, "after_merge")));
  }

  #inReview(): readonly Part[] {
    return this.#standing
      .held()
      .filter(({ id, state }) => state === "REVIEW" && !this.#isWaiting(id))
      .flatMap(({ id }) => this.#parts.get(id) ?? [])
      .filter((part) => this.#leads(part));
  }

  #review(): void {
    if (this.#stops.atOnce.aborted) return;
    for (const { context, task } of this.#inReview())
      if (!this.#reviewed.has(task.key) && !this.#running.has(task.key))
        this.#run([task.key], async () => {
          this.#waiting.delete(task.key);
          const reviewed = await passReview(context, task, this.#stops.atOnce);
          if (reviewed === "ready") {
            const last = performance.now();
            this.#readyMs = { first: this.#reviewed.size === 0 ? last : this.#readyMs.first, last };
            this.#reviewed.add(task.key);
            this.#batch.ready(Date.now());
          } else if (reviewed !== "stopped") {
            this.#tell(task.key, reviewed.told);
            if (reviewed.waiting) await this.#waitFor(task.key, { agent: reviewed.resting ?? null });
          }
        });
  }

  /** A free slot runs checks for the integrators of other machines. */
  async #help(): Promise<void> {
    const { fleet } = this.#main;
    if (fleet === undefined || this.#isStopping() || this.#running.size >= fleet.slots) return;
    if (this.#running.has(integration) || this.#running.has(helping)) return;
    if (!(await fleet.proofs.isAsked())) return;
    this.#run([helping], async () => {
      while (!this.#isStopping() && (await fleet.proofs.helpOnce(this.#stops.atOnce)));
    });
  }

  /** Starts tasks. True if some could not start only because their agents are paused. */
  #start(): boolean {
    if (this.#isStopping()) return false;
    const { batching: mode } = this.#main.config.limits;
    // A running task still takes a place, a waiting one does not.
    const mayStart = ({ id }: { readonly id: string }) => !this.#isWaiting(id) && this.#isForHere(id);
    const next = nextTasks(this.#standing, {
      ...{ mode, limits: this.#limits(), late: this.#batch.late, mayStart },
    }).filter(({ id }) => !this.#running.has(id));
    const retry = next.length === 0 && this.#running.size === 0 ? this.#retryable() : undefined;
    const keys = retry === undefined ? next.map(({ id }) => id) : [retry];
    const started = keys.filter((key) => this.#startOne(key, retry !== undefined));
    const begun = started.flatMap((key) => this.#parts.get(key) ?? []);
    if (begun.length > 0 && next.some(({ state }) => state === "PENDING")) this.#batch.begin(Date.now());
    const { fleet } = this.#main;
    for (const [context, parts] of Map.groupBy(begun, (part) => (fleet ? part.context : this.#main)))
      declareOwners(
        context,
        parts.map(({ task }) => task),
      );
    return started.length < keys.length;
  }

  #limits(): PlanLimits {
    const { config, engine, fleet } = this.#main;
    const { max_parallel, max_review, max_active } = config.limits;
    const limits = {
      ...{ maxParallel: max_parallel, maxReview: max_review, maxActive: max_active },
      resources: engine.limits.resources,
    };
    return fleet === undefined ? limits : fleetLimits(limits, { slots: fleet.slots, machines: fleet.size });
  }

  /** Whether this machine may do the task now. */
  #isForHere(key: string): boolean {
    const { fleet } = this.#main;
    const part = this.#parts.get(key);
    const fact = this.#facts.get(key);
    if (fleet === undefined || part === undefined || fact === undefined) return part !== undefined;
    return fleet.whyNotHere(part.task) === undefined && !fleet.isForOther(fact, this.#lasts.get(key));
  }

  /** A denied task is retried once, with another agent or alone. After that a person has to decide (S0). */
  #retryable(): string | undefined {
    for (const [key, { state, hold, counters }] of this.#facts)
      if (
        this.#isForHere(key) &&
        state === "BLOCKED" &&
        hold?.kind === "deny" &&
        counters.block_retries === 0
      )
        return key;
    return undefined;
  }

  #startOne(key: string, isRetry: boolean): boolean {
    const part = this.#parts.get(key);
    const fact = this.#facts.get(key);
    if (part === undefined) return false;
    const { context, task } = part;
    const failed = isRetry || (fact?.streak?.count ?? 0) >= 2;
    const agent = context.agents.choose(task.agent, { type: task.plan.type, as: "implementer", failed });
    if (agent === undefined) return false;
    const isFresh = failed && fact?.agent != null && fact.agent !== agent.name;
    const stop = AbortSignal.any([this.#stops.atOnce, this.#halt.signal]);
    this.#run([key], async () => {
      const end = await workOnTask(context, task, { agent, isRetry, isFresh, stop });
      await this.#settle(part, end);
    });
    return true;
  }

  async #settle({ context, task }: Part, end: AttemptEnd): Promise<void> {
    const { fleet, session } = context;
    const isRefused = end.how === "refused" && !end.started;
    if (isRefused && (await this.#isTakenElsewhere(task.key))) return;
    if (isRefused) await this.#waitFor(task.key);
    // The event of the end of this attempt is still to come.
    if (end.how === "unshared") await this.#waitFor(task.key, { ...this.#waitOf(end.trouble), lasts: true });
    this.#tell(task.key, endText(end));
    if (fleet === undefined || isRefused) return;
    this.#giveHint();
    this.#run([`${task.key} files`], () => fleet.exchange(session));
  }

  /**
   * Alone, a person has to run again; a member of a fleet asks the remote again. If the remote refuses, a run ends so that
   * its person sees it, and another member asks.
   */
  #waitOf(trouble: RemoteTrouble | undefined): Waits {
    if (trouble === undefined || this.#main.fleet === undefined) return { agent: null };
    const nowMs = performance.now();
    const { ms, untilMs } = this.#remotePause ?? { ms: remoteMs / 2, untilMs: nowMs };
    if (untilMs <= nowMs) {
      const nextMs = Math.min(2 * ms, remoteMsMax);
      this.#remotePause = { ms: nextMs, untilMs: nowMs + nextMs };
    }
    return { agent: null, untilMs: this.#remotePause?.untilMs ?? nowMs, stays: trouble === "fails" };
  }

  /** Another machine was faster. */
  async #isTakenElsewhere(key: string): Promise<boolean> {
    const { engine, fleet } = this.#main;
    if (fleet === undefined) return false;
    const task = await engine.ledger.task(key);
    const attempt = await engine.ledger.attempt(key);
    const isFree = task === undefined || startable.includes(task.state);
    if (isFree || attempt === undefined || isHere(attempt, engine.machine)) return false;
    await this.#read(key);
    return true;
  }

  #run(keys: readonly string[], job: () => Promise<void>): void {
    const ended = job()
      .catch((error: unknown) => {
        this.#fault ??= { error };
      })
      .finally(() => {
        for (const key of keys) this.#running.delete(key);
      });
    for (const key of keys) this.#running.set(key, ended);
  }

  #tell(key: string, text: string): void {
    const { context } = this.#parts.get(key) ?? { context: this.#main };
    context.onTask(key, { type: "said", text });
    context.remember("progress.md", `${key}: ${text}`);
  }
}
