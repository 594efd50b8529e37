import { join } from "node:path";
import { sessionPath } from "../../../core/names/session-paths.ts";
import { sessionOfKey } from "../../../core/names/task-name.ts";
import { isDown } from "../../../core/tasks/states.ts";
import { isIn } from "../../../core/tasks/task.ts";
import { withoutUnapproved } from "../../../engine/decisions/test-consent.ts";
import { type Shared, sharedIn, sharedSessions } from "../../../engine/machines/share-session.ts";
import { faultLine } from "../../../workspace/config/config-fault.ts";
import { type LoadedPlan, loadPlan } from "../../../workspace/plan/load-plan.ts";
import type { Agents } from "../../attempt/agents.ts";
import type { RunContext } from "../../attempt/run-context.ts";
import type { IntegrationContext } from "../../landing/integration.ts";
import { reviewersNeeded } from "../../review/choose-reviewers.ts";
import type { Member, TakenIn } from "../open-run.ts";
import { redoneTasks, tasksOfPlan } from "../tasks-of-plan.ts";
import { LedgerFollower } from "./follow-ledger.ts";
import { exchangeFiles } from "./shared-session.ts";

/** After a failure, a session is tried again after this time. */
const againMs = 5_000;

/** How the tasks of a session of `start` differ from those of a plan. */
export interface SessionWays {
  planOf(plan: LoadedPlan, session: string, root: string): LoadedPlan;
  contextOf(context: RunContext): RunContext;
}

interface Source {
  readonly context: IntegrationContext;
  readonly member: Member;
  readonly agents: Agents;
  readonly ways: SessionWays;
}

/** Finds the sessions of other machines, with their plans. */
export class SessionFinder {
  readonly #source: Source;
  readonly #follower: LedgerFollower;
  readonly #shared = new Map<string, Shared>();
  readonly #known = new Set<string>();
  /** Sessions to look at, and from when on. */
  readonly #due = new Map<string, number>();

  private constructor(source: Source, follower: LedgerFollower) {
    this.#source = source;
    this.#follower = follower;
  }

  static async open(source: Source): Promise<SessionFinder> {
    const { ledger } = source.context.engine;
    const finder = new SessionFinder(source, await LedgerFollower.open(ledger));
    for (const shared of (await sharedSessions({ ledger })).values()) finder.#see(shared);
    return finder;
  }

  /** The sessions that are new or whose plan has changed since the last call. */
  async news(): Promise<readonly TakenIn[]> {
    for (const event of await this.#follower.news()) {
      const shared = sharedIn(event);
      if (shared !== undefined) this.#see(shared);
      const of = event.task === null || this.#known.has(event.task) ? null : sessionOfKey(event.task);
      const known = this.#shared.get(of ?? "");
      if (known !== undefined && !this.#due.has(known.session)) this.#see(known);
    }
    const taken: TakenIn[] = [];
    for (const [session, fromMs] of this.#due) {
      if (performance.now() < fromMs) continue;
      const found = await this.#take(session);
      if (found === "later") this.#due.set(session, performance.now() + againMs);
      else this.#due.delete(session);
      if (typeof found === "object") taken.push(found);
    }
    return taken;
  }

  #see(shared: Shared): void {
    this.#shared.set(shared.session, shared);
    this.#due.set(shared.session, -Infinity);
  }

  async #take(session: string): Promise<TakenIn | "later" | undefined> {
    const { context, member, ways } = this.#source;
    const { engine, repository, onProgress } = context;
    const stored = await engine.ledger.tasks({ session });
    if (stored.every((task) => isIn(task) || isDown(task.state))) return undefined;
    const { base, includes } = this.#shared.get(session) ?? {};
    if (base !== repository.base) {
      onProgress(`${session} is merged into \`${base}\`, and this machine works on \`${repository.base}\``);
      return undefined;
    }
    await member.context.atBase(); // its configuration may have changed
    const exchanged = await exchangeFiles(context, session, false);
    if (exchanged !== "exchanged") {
      const why = exchanged === "unknown" ? "they are not at the remote" : exchanged.why;
      onProgress(`the files of ${session} cannot be read, trying again: ${why}`);
      return "later";
    }
    const file = join(repository.root, sessionPath(session, "tasks.yaml"));
    const state = (await engine.ledger.session(session))?.state;
    const ofPlan = member.contextOf({ session, file });
    const isOfStart = state !== undefined && state !== "DONE";
    const run = isOfStart ? ways.contextOf(ofPlan) : ofPlan;
    const tasks = await this.#tasksIn(run, file, {
      stored: new Set(stored.map(({ key }) => key)),
      isOfStart,
    });
    if (tasks.length === 0) return undefined;
    for (const { key } of tasks) this.#known.add(key);
    member.fleet?.need(session, includes ?? []);
    return { context: run, tasks };
  }

  async #tasksIn(
    { config, session }: RunContext,
    file: string,
    { stored, isOfStart }: { readonly stored: ReadonlySet<string>; readonly isOfStart: boolean },
  ): Promise<TakenIn["tasks"]> {
    const { context, agents, member, ways } = this.#source;
    const { repository, engine, onProgress } = context;
    const { root } = repository;
    const loaded = loadPlan(file, root, { agents: config.agents, taskTypes: config.task_types });
    if ("faults" in loaded) {
      onProgress(`this machine cannot take part in ${session}: ${loaded.faults.map(faultLine).join("; ")}`);
      return [];
    }
    const allowed = await withoutUnapproved(engine, session, loaded.plan.tasks);
    const plan = { ...loaded.plan, tasks: allowed };
    const planned = tasksOfPlan(config, isOfStart ? ways.planOf(plan, session, root) : plan, session);
    const tasks = planned.filter(({ key }) => stored.has(key));
    await agents.prepare(tasks.map(({ agent }) => agent));
    // Only the process that a person started conducts a session of `start`.
    if (isOfStart) return [...tasks, ...(await redoneTasks(context, tasks, session))];
    const reviewers = reviewersNeeded(config, tasks);
    const names = "allow" in reviewers ? [] : reviewers.names;
    const unfit = "allow" in reviewers ? reviewers : await agents.prepare(names);
    if (unfit !== undefined) {
      member.fleet?.leave(session);
      onProgress(`this machine does not review ${session}: ${unfit.reason}`);
    }
    return [...tasks, ...(await redoneTasks(context, tasks, session))];
  }
}
