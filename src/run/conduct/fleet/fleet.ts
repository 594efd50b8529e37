import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Config } from "../../../contract/config.ts";
import { isSameProcess } from "../../../core/leases/process-identity.ts";
import { sessionOfKey } from "../../../core/names/task-name.ts";
import { isLeftToMaker, readLabels, whyNotThere } from "../../../core/plan/placement.ts";
import type { Task } from "../../../core/tasks/task.ts";
import {
  endRole,
  type HeldRole,
  memberRole,
  renewRole,
  roleSeconds,
  takeRole,
} from "../../../engine/change/hold-role.ts";
import { type MachineStatus, machinesIn } from "../../../engine/machines/list-machines.ts";
import type { Attempt, Offer } from "../../../ledger/ledger.ts";
import { StoreFault } from "../../../ledger/store-fault.ts";
import { configIdAt } from "../../../workspace/config/config-at-commit.ts";
import { GitFault } from "../../../workspace/git/git-fault.ts";
import type { Agents } from "../../attempt/agents.ts";
import type { FleetMember, RunTask } from "../../attempt/run-context.ts";
import { openProofHelp, type ProofHelper } from "../../landing/evidence/help-prove.ts";
import type { IntegrationContext } from "../../landing/integration.ts";
import type { ConductorRoles } from "./hold-conductor.ts";
import { exchangeFiles } from "./shared-session.ts";

/** Whether other machines can work on the sessions of this project: they share its ledger, its commits and its base. */
export function isFleet({ engine, config }: Pick<IntegrationContext, "engine" | "config">): boolean {
  const isBaseShared = config.integrate !== "local" && config.integrate !== "none";
  return engine.machine !== undefined && config.remote !== null && isBaseShared;
}

export type Offering = Pick<Offer, "kind" | "slots" | "labels">;

/** What a run offers, if other machines work on its session too. */
export function offeringOf(context: Pick<IntegrationContext, "engine" | "config">): Offering | undefined {
  if (!isFleet(context)) return undefined;
  const labels = readLabels([], process.env.LOCKSTEP_LABELS);
  return { kind: "run", slots: context.config.limits.max_parallel, labels };
}

interface Source
  extends Pick<IntegrationContext, "engine" | "call" | "config" | "repository" | "onProgress"> {
  readonly agents: Agents;
  readonly roles: ConductorRoles;
}

const lookMs = 2_000;
const renewMs = (roleSeconds * 1000) / 4;

/** This process as a member of the fleet: what it offers, and what it knows of the other machines. */
export class Fleet implements FleetMember, AsyncDisposable {
  readonly #source: Source;
  readonly #offering: Offering;
  readonly #held: HeldRole;
  readonly #timer: NodeJS.Timeout;
  /** Why this machine does not do some tasks. */
  readonly #lacks = new Set<string>();
  /** The files of `workspace.include` that a session's agents need. */
  readonly #needed = new Map<string, readonly string[]>();
  readonly #left = new Set<string>();
  /** The last exchange of each session; the caller gets its error. */
  readonly #exchanges = new Map<string, Promise<void>>();
  /** Those that have not begun. */
  readonly #nextExchanges = new Map<string, Promise<void>>();
  readonly proofs: ProofHelper;
  #machines: readonly MachineStatus[] = [];
  #renewing: Promise<void> | undefined;
  #hasNewConfig = false;
  #staysListed = false;
  #lookedMs = -Infinity;

  static async open(source: Source, offering: Offering): Promise<Fleet> {
    const { engine, call, repository } = source;
    const name = memberRole(engine.machine ?? "", repository.commonFolder);
    const offer = { ...offering, lacks: [], draining: false };
    const taken = await takeRole(engine, { name, offer }, call);
    if ("epoch" in taken) return new Fleet(source, offering, taken);
    const { holder, epoch } = taken.heldBy;
    const self = engine.identityOf(process.pid);
    if (holder !== null && self !== undefined && isSameProcess(holder, self)) {
      const fleet = new Fleet(source, offering, { name, epoch }); // see `stayListed`
      await fleet.#renew();
      return fleet;
    }
    throw new StoreFault(
      "busy",
      `process ${taken.heldBy.holder?.pid ?? "unknown"} already offers the slots of this folder: stop it, or try again in ${roleSeconds} s`,
    );
  }

  private constructor(source: Source, offering: Offering, held: HeldRole) {
    this.#source = source;
    this.#offering = offering;
    this.#held = held;
    this.proofs = openProofHelp(source, () => this.size);
    this.#timer = setInterval(() => {
      this.#renewing ??= this.#renew()
        .catch(() => {})
        .finally(() => {
          this.#renewing = undefined;
        });
    }, renewMs);
    this.#timer.unref();
  }

  get slots(): number {
    return this.#offering.slots;
  }

  /** It stays until it is stopped, also without any work. */
  get isWorker(): boolean {
    return this.#offering.kind === "worker";
  }

  /** Living machines that offer slots, this one included. */
  get size(): number {
    return Math.max(1, this.#machines.filter(({ gone, slots }) => !gone && slots > 0).length);
  }

  get isDraining(): boolean {
    return this.#isAskedToDrain || (this.isWorker && this.#hasNewConfig);
  }

  get #isAskedToDrain(): boolean {
    return this.#machines.some(({ is_this: isThis, draining }) => isThis && draining);
  }

  /** It ends only because the base's configuration is not the one that it has read. */
  get shouldStartAgain(): boolean {
    return this.#hasNewConfig && !this.#isAskedToDrain;
  }

  /** This process takes part again at once, so the others must not think that it is gone. */
  stayListed(): void {
    this.#staysListed = true;
  }

  /** Compares the configuration of the base, which another machine may have moved, with that at the start. */
  async seeBase(commit: string): Promise<void> {
    if (this.#hasNewConfig) return;
    const { repository, onProgress } = this.#source;
    const { root, base, baseCommit } = repository;
    if (commit === baseCommit || (await configIdAt(root, commit)) === (await configIdAt(root, baseCommit)))
      return;
    this.#hasNewConfig = true;
    const way = this.isWorker
      ? "this worker finishes its tasks and reads it again"
      : "this run continues with the old one; the next one reads it";
    onProgress(`the configuration of \`${base}\` has changed: ${way}`);
  }

  /** Files of `workspace.include` without which this machine does no task of the session. */
  need(session: string, files: readonly string[]): void {
    this.#needed.set(session, files);
  }

  /** Another machine has to conduct the session. */
  leave(session: string): void {
    this.#left.add(session);
  }

  /** Whether this process reviews and lands the session. */
  conducts(session: string): boolean {
    return this.#source.roles.holds(session);
  }

  /** Reads what the other machines do, and takes over sessions that no living process conducts. */
  async look(sessions: Iterable<string>): Promise<void> {
    const nowMs = performance.now();
    if (nowMs - this.#lookedMs < lookMs) return;
    this.#lookedMs = nowMs;
    const { engine, roles } = this.#source;
    const { ledger } = engine;
    const [machines, held, attempts] = await Promise.all([
      ledger.machines(),
      ledger.roles(),
      ledger.runningAttempts(),
    ]);
    const running = held.filter(({ leaseState }) => leaseState === "running");
    this.#machines = machinesIn(engine, { machines, roles: running, attempts, events: noEvents });
    if (this.isDraining) return;
    for (const session of new Set(sessions))
      if (!roles.holds(session) && (await this.#mayConduct(session))) await roles.tryTake(session);
  }

  /** The gates of a session of `start` are those of the process that started it. */
  async #mayConduct(session: string): Promise<boolean> {
    if (this.#left.has(session)) return false;
    const found = await this.#source.engine.ledger.session(session);
    return found === undefined || found.state === "DONE";
  }

  /** Why this machine cannot do a task. */
  whyNotHere({ key, agent, plan }: RunTask): string | undefined {
    const { root } = this.#source.repository;
    const needed = this.#needed.get(sessionOfKey(key) ?? "") ?? [];
    const why = whyNotThere(
      { label: plan.label, agent },
      {
        labels: this.#offering.labels,
        lacksFiles: needed.filter((path) => !existsSync(join(root, path))),
        folder: root,
        whyUnusable: (name) => this.#source.agents.whyUnusable(name),
      },
    );
    if (why !== undefined && !this.#lacks.has(why)) {
      this.#lacks.add(why);
      void this.#renew().catch(() => {});
    }
    return why;
  }

  /** Whether the work of an attempt was rejected and another machine should fix it. */
  isForOther(task: Task, attempt: Attempt | undefined): boolean {
    const { engine } = this.#source;
    if (task.state !== "REJECTED" || attempt?.machine === undefined) return false;
    const maker = this.#machines.find(
      ({ id, is_this: isThis, gone }) => id === attempt.machine && !isThis && !gone,
    );
    const waitsMs = engine.clock.now().wallMs - Date.parse(task.updatedAt);
    const offers = maker && { ...maker, running: maker.tasks.length };
    return isLeftToMaker({ waitsMs, maker: offers });
  }

  /**
   * One exchange at a time for each session; those that wait for it become one. A remote that cannot be reached now is
   * asked again later.
   */
  async exchange(session: string): Promise<void> {
    const waiting = this.#nextExchanges.get(session);
    if (waiting !== undefined) return waiting;
    const { roles, onProgress } = this.#source;
    const before = this.#exchanges.get(session) ?? Promise.resolve();
    const next = before.then(async () => {
      this.#nextExchanges.delete(session);
      const done = await exchangeFiles(this.#source, session, roles.holds(session)).catch(
        (error: unknown) => {
          if (error instanceof GitFault) return { why: error.message };
          throw error;
        },
      );
      if (typeof done === "object") onProgress(`the files of ${session} cannot be exchanged: ${done.why}`);
    });
    const settled = next.catch(() => {});
    this.#exchanges.set(session, settled);
    this.#nextExchanges.set(session, next);
    await next;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer);
    if (this.#staysListed) return;
    const { engine, call } = this.#source;
    await endRole(engine, this.#held, call);
  }

  async #renew(): Promise<void> {
    const { engine, call } = this.#source;
    const lacks = [...this.#lacks];
    await renewRole(engine, { ...this.#held, offer: { ...this.#offering, lacks, draining: false } }, call);
  }
}

const noEvents = { "land.refused": [], "task.merged": [], "agent.limited": [], "machine.forgotten": [] };

/** The files of `workspace.include` that exist in a folder. */
export function includedIn({ workspace }: Config, root: string): readonly string[] {
  return workspace.include.filter((path) => existsSync(join(root, path)));
}
