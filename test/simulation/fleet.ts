import type { Liveness, ProcessIdentity } from "../../src/core/leases/process-identity.ts";
import { SelfFence } from "../../src/core/leases/self-fence.ts";
import type { Engine } from "../../src/engine/change/engine.ts";
import { expectRole, type HeldRole, renewRole, takeRole } from "../../src/engine/change/hold-role.ts";
import { operate } from "../../src/engine/operate.ts";
import type { Attempt, Change, Ledger, Machine } from "../../src/ledger/ledger.ts";
import { LedgerClock } from "../../src/ledger/postgres/ledger-clock.ts";
import { openMemoryLedger } from "../../src/ledger/sqlite/open-ledger.ts";
import { isUnreachable, StoreFault } from "../../src/ledger/store-fault.ts";
import { memoryEngine, packet, person } from "../support/memory-engine.ts";
import { Random } from "./random.ts";

/** A deliberate bug that the invariants have to detect. */
const fleetPlants = [
  "none",
  /** An agent continues although its lease cannot be renewed. */
  "no-self-fence",
  /** Leases use the clock of each machine. */
  "own-wall-clock",
  /** An agent continues although its machine has not reached the ledger for long, as long as its own lease is valid. */
  "only-own-lease",
  /** A process of another machine counts as dead. */
  "elsewhere-is-dead",
  /** A restart of the server extends no lease. */
  "no-grace",
  /** The ledger does not check the epoch of a role. */
  "no-role-epoch",
] as const;

export type FleetPlant = (typeof fleetPlants)[number];

const hourMs = 3_600_000;
/** With the longer one, only its silence shows that a machine is gone. */
const leases = [20, 3600] as const;
/** The interval at which a machine checks its agents. */
const tickMs = 1000;
/** Longer than any simulation, so that the lease of a silent agent does not expire by itself. */
const silentSecondsMin = 1800;
const folders = ["src", "docs", "lib"];
const integrator = "integrator shared main";

interface Agent {
  readonly task: string;
  readonly folder: string;
  readonly epoch: number;
  readonly pid: number;
  readonly fence: SelfFence;
  /** It is silent, so its lease is not renewed. */
  readonly isSilent: boolean;
}

/** The server of the ledger: its clock may be set back, and it loses heartbeats that were not on disk. */
class Server {
  readonly ledger: Ledger;
  readonly unsaved = new Map<string, Attempt>();
  readonly #beats = new Map<string, number>();
  #skewMs = 0;
  #lastMs = 0;
  graceMs = 0;
  trueMs = Date.parse("2026-02-14T20:00:00Z");

  constructor(ledger: Ledger) {
    this.ledger = ledger;
  }

  get ms(): number {
    this.#lastMs = Math.max(this.#lastMs, this.trueMs + this.#skewMs);
    return this.#lastMs;
  }

  recordContact(machine: string): void {
    if (this.ms - (this.#beats.get(machine) ?? -Infinity) >= tickMs) this.#beats.set(machine, this.ms);
  }

  machines(): readonly Machine[] {
    return [...this.#beats].map(([id, beatMs]) => ({ id, name: id, lockstep: "0", beatMs }));
  }

  async commit(change: Change) {
    const before = await Promise.all((change.attempts ?? []).map(({ task }) => this.ledger.attempt(task)));
    const done = await this.ledger.commit(change);
    if (!("ok" in done)) return done;
    for (const attempt of before) {
      if (attempt === undefined) continue;
      if (change.durable === false) this.unsaved.set(attempt.task, this.unsaved.get(attempt.task) ?? attempt);
      else this.unsaved.delete(attempt.task);
    }
    return done;
  }

  async restart(skewMs: number, hasGrace: boolean): Promise<void> {
    for (const { task, lease } of this.unsaved.values()) {
      const now = await this.ledger.attempt(task);
      if (now !== undefined && now.leaseState === "running")
        await this.ledger.commit({ attempts: [{ ...now, lease }] });
    }
    this.unsaved.clear();
    this.#beats.clear();
    this.#skewMs += skewMs;
    if (hasGrace) this.graceMs = this.ms;
  }
}

/** One computer with its own clocks, its agents, and a network that can be cut. */
class FleetMachine {
  readonly id: string;
  readonly #server: Server;
  readonly #plant: FleetPlant;
  readonly #random: Random;
  readonly #leaseSeconds: number;
  readonly #drift: number;
  readonly #offsetMs: number;
  wallSkewMs: number;
  isCut = false;
  isFrozen = false;
  /** It has checked its agents since it woke up. */
  hasLooked = true;
  losesAnswer = false;
  readonly agents: Agent[] = [];
  readonly clock: LedgerClock;
  engine: Engine | undefined;
  held: HeldRole | undefined;
  #pids = 0;
  #lastTickMs = 0;
  readonly living = new Set<number>();

  constructor(
    id: string,
    server: Server,
    { random, plant, leaseSeconds }: { random: Random; plant: FleetPlant; leaseSeconds: number },
  ) {
    this.id = id;
    this.#server = server;
    this.#plant = plant;
    this.#random = random;
    this.#leaseSeconds = leaseSeconds;
    this.#drift = 1 + (random.whole(0, 200) - 100) / 1e6;
    this.#offsetMs = random.whole(0, 1e9);
    this.wallSkewMs = random.whole(-3, 3) * hourMs;
    this.clock = new LedgerClock(() => this.localMs);
  }

  get localMs(): number {
    return (this.#server.trueMs - Date.parse("2026-02-14T20:00:00Z")) * this.#drift + this.#offsetMs;
  }

  async open(): Promise<void> {
    const ledger = this.#ledger();
    const ownWall = { now: () => ({ ...this.clock.now(), monoMs: this.#server.trueMs + this.wallSkewMs }) };
    this.engine = {
      ...(await memoryEngine({ ledger })),
      machine: this.id,
      clock: this.#plant === "own-wall-clock" ? ownWall : this.clock,
      isAlive: (process) => this.#isAlive(process),
      identityOf: (pid) => ({ pid, startedAt: "1", boot: this.id, machine: this.id }),
    };
    await ledger.fence();
  }

  #isAlive({ machine, pid }: ProcessIdentity): Liveness {
    if (machine !== this.id) return this.#plant === "elsewhere-is-dead" ? "no" : "elsewhere";
    return this.living.has(pid) ? "yes" : "no";
  }

  /** The ledger as this machine reaches it, with a fresh clock like the real one. */
  #ledger(): Ledger {
    const server = this.#server;
    const reach = () => {
      if (!this.isCut) return;
      this.clock.distrust();
      throw new StoreFault("unreachable", "the network is cut");
    };
    const call = async (work: () => Promise<unknown>) => {
      reach();
      if (!this.clock.isFresh) {
        this.clock.set({ ms: server.ms, graceMs: server.graceMs });
        server.recordContact(this.id);
      }
      return work();
    };
    return new Proxy(server.ledger, {
      get: (target, name: keyof Ledger) => {
        if (name === "secret" || name === "version") return () => (target[name] as () => string)();
        if (name === "clock" || name === "turn") return undefined;
        if (name === "machines") return () => call(async () => server.machines());
        if (name !== "commit")
          return (...given: never[]) =>
            call(() => (target[name] as (...all: never[]) => Promise<unknown>)(...given));
        return (change: Change) =>
          call(async () => {
            const { expect, ...rest } = change;
            const { roles: _roles, ...expected } = expect ?? {};
            const done = await server.commit(
              this.#plant === "no-role-epoch" ? { ...rest, expect: expected } : change,
            );
            if (!this.losesAnswer) return done;
            this.losesAnswer = false;
            throw new StoreFault("unreachable", "the answer was lost");
          });
      },
    });
  }

  async dispatch(task: string, folder: string): Promise<boolean> {
    this.#pids += 1;
    const pid = this.#pids;
    this.living.add(pid);
    const sentMs = this.localMs;
    const assignment = { timeout_seconds: this.#leaseSeconds, heartbeat_interval_seconds: 5 };
    const document = packet(task, [folder], { assignment });
    const engine = this.engine as Engine;
    const started = await operate(engine, "dispatch", { packet: document, runnerPid: pid }, person);
    if (!started.allow) {
      this.living.delete(pid);
      return false;
    }
    const fence = new SelfFence(sentMs, this.#leaseSeconds * 1000);
    const isSilent = this.#leaseSeconds > silentSecondsMin && this.#random.chance(0.3);
    this.agents.push({ task, folder, epoch: started.details.epoch, pid, fence, isSilent });
    return true;
  }

  isDue(): boolean {
    return !this.isFrozen && this.localMs - this.#lastTickMs >= tickMs;
  }

  /** Renews the leases of its agents, and stops those that have lost theirs. */
  async tick(): Promise<void> {
    this.#lastTickMs = this.localMs;
    this.hasLooked = true;
    for (const agent of [...this.agents]) if (!(await this.#renews(agent))) this.stop(agent);
  }

  async #renews({ task, epoch, fence, isSilent }: Agent): Promise<boolean> {
    const sentMs = this.localMs;
    try {
      if (isSilent) {
        const found = await this.engine?.ledger.task(task);
        fence.heard(sentMs);
        return found?.state === "IN_PROGRESS" && found.epoch === epoch;
      }
      const beaten = await operate(this.engine as Engine, "heartbeat", { task }, { ...person, epoch });
      if (beaten.allow) fence.renewed(sentMs);
      return beaten.allow;
    } catch (error) {
      if (!isUnreachable(error)) throw error;
      if (this.#plant === "only-own-lease") fence.heard(this.localMs);
      return this.#plant === "no-self-fence" || !fence.mustStop(this.localMs);
    }
  }

  stop(agent: Agent): void {
    this.agents.splice(this.agents.indexOf(agent), 1);
    this.living.delete(agent.pid);
  }
}

/** Several machines over one ledger, with skewed clocks, cut networks, freezes and restarts of the server. */
export async function simulateFleet(
  seed: number,
  plant: FleetPlant = "none",
  steps = 250,
): Promise<FleetOutcome> {
  const random = new Random(seed);
  const server = new Server(await openMemoryLedger({ secret: `seed-${seed}` }));
  const names = Array.from({ length: random.whole(2, 4) }, (_, index) => `machine-${index + 1}`);
  const leaseSeconds = random.pick(leases);
  const machines = names.map((name) => new FleetMachine(name, server, { random, plant, leaseSeconds }));
  for (const machine of machines) await machine.open();
  const fleet = new Fleet(server, machines, random, plant);
  for (let step = 0; step < steps && fleet.problem === undefined; step += 1) await fleet.step(step);
  fleet.problem ??= (await server.ledger.verify()).problems[0]?.problem;
  server.ledger.close();
  return { seed, problem: fleet.problem, met: fleet.met, trace: fleet.trace.slice(-60) };
}

interface FleetOutcome {
  readonly seed: number;
  readonly problem: string | undefined;
  /** How often each thing happened. */
  readonly met: ReadonlyMap<string, number>;
  readonly trace: readonly string[];
}

class Fleet {
  readonly #server: Server;
  readonly #machines: readonly FleetMachine[];
  readonly #random: Random;
  readonly #plant: FleetPlant;
  #tasks = 0;
  #landed = 0;
  problem: string | undefined;
  readonly met = new Map<string, number>();
  readonly trace: string[] = [];

  constructor(server: Server, machines: readonly FleetMachine[], random: Random, plant: FleetPlant) {
    this.#server = server;
    this.#machines = machines;
    this.#random = random;
    this.#plant = plant;
  }

  async step(step: number): Promise<void> {
    const random = this.#random;
    const machine = random.pick(this.#machines);
    const what = random.weighted([
      [30, "pass"],
      [12, "dispatch"],
      [5, "watchdog"],
      [4, "finish"],
      [6, "land"],
      [3, machine.isCut ? "join" : "cut"],
      [2, machine.isFrozen ? "wake" : "freeze"],
      [2, "lose answer"],
      [1, "jump"],
      [1, "restart"],
    ] as const);
    const passMs = random.whole(1, what === "pass" ? 60 : 8) * 100;
    this.note(`${step} ${machine.id} ${what}`, what);
    if (what === "cut" || what === "join") machine.isCut = what === "cut";
    else if (what === "freeze" || what === "wake") this.#freeze(machine, what === "freeze");
    else if (what === "lose answer") machine.losesAnswer = true;
    else if (what === "jump") machine.wallSkewMs = random.whole(-5, 5) * hourMs;
    else if (what === "restart") await this.#restart();
    else if (what !== "pass" && !machine.isFrozen) await this.#act(machine, what);
    await this.#pass(passMs);
    this.#check();
  }

  note(line: string, what: string): void {
    this.trace.push(line);
    this.met.set(what, (this.met.get(what) ?? 0) + 1);
  }

  #freeze(machine: FleetMachine, isFrozen: boolean): void {
    machine.isFrozen = isFrozen;
    machine.hasLooked = false;
  }

  /** The clock of the new server may be behind. All connections are lost. */
  async #restart(): Promise<void> {
    await this.#server.restart(this.#random.pick([0, 0, -5000, 30_000]), this.#plant !== "no-grace");
    for (const machine of this.#machines) machine.clock.distrust();
  }

  async #act(machine: FleetMachine, what: "dispatch" | "watchdog" | "finish" | "land"): Promise<void> {
    try {
      if (what === "dispatch") await this.#dispatch(machine);
      else if (what === "watchdog") await this.#watch(machine);
      else if (what === "finish") await this.#finish(machine);
      else await this.#land(machine);
    } catch (error) {
      if (!isUnreachable(error)) throw error;
      this.note("  unreachable", "unreachable");
    }
  }

  async #dispatch(machine: FleetMachine): Promise<void> {
    this.#tasks += 1;
    const before = await this.#running();
    const folder = this.#random.pick(folders);
    if (await machine.dispatch(`T-${this.#tasks}`, folder)) this.note(`  holds ${folder}`, "started");
    await this.#endedTooEarly(before);
  }

  async #watch(machine: FleetMachine): Promise<void> {
    const before = await this.#running();
    await operate(machine.engine as Engine, "watchdog", {}, person);
    await this.#endedTooEarly(before);
  }

  async #finish(machine: FleetMachine): Promise<void> {
    const [agent] = machine.agents;
    if (agent === undefined) return;
    const { task, epoch } = agent;
    const released = await operate(machine.engine as Engine, "release", { task }, { ...person, epoch });
    if (released.allow) machine.stop(agent);
  }

  /** Takes the role, or uses it: after any events in between, only its current holder lands. */
  async #land(machine: FleetMachine): Promise<void> {
    const engine = machine.engine as Engine;
    if (machine.held === undefined) {
      const taken = await takeRole(engine, integrator, person);
      if ("epoch" in taken) machine.held = taken;
      return;
    }
    const held = machine.held;
    const isOver = this.#random.chance(0.5);
    if (!isOver && !(await renewRole(engine, held, person))) machine.held = undefined;
    if (!isOver) return;
    machine.held = undefined;
    const done = await engine.ledger.commit({ settings: { breaker: held.epoch }, ...expectRole(held) });
    if (!("ok" in done)) return this.note("  replaced", "replaced");
    if (held.epoch < this.#landed) this.problem = `epoch ${held.epoch} landed after epoch ${this.#landed}`;
    const current = (await this.#server.ledger.role(integrator))?.epoch;
    if (current !== held.epoch)
      this.problem = `epoch ${held.epoch} landed while epoch ${current} holds the role`;
    this.#landed = held.epoch;
    this.note("  landed", "landed");
  }

  async #running(): Promise<readonly Attempt[]> {
    return this.#server.ledger.runningAttempts();
  }

  /** A working agent whose machine is neither cut off nor frozen keeps its lease. */
  async #endedTooEarly(before: readonly Attempt[]): Promise<void> {
    const now = new Set((await this.#running()).map(({ task }) => task));
    for (const { task } of before.filter((one) => !now.has(one.task))) {
      this.note(`  ${task} ended`, "ended");
      const owner = this.#machines.find(({ agents }) => agents.some((agent) => agent.task === task));
      const agent = owner?.agents.find((one) => one.task === task);
      if (owner === undefined || agent === undefined || owner.isCut || owner.isFrozen || !owner.hasLooked)
        continue;
      if (!agent.fence.mustStop(owner.localMs))
        this.problem = `${task} was ended while ${owner.id} renewed it in time`;
    }
  }

  async #pass(ms: number): Promise<void> {
    for (let left = ms; left > 0; left -= 200) {
      this.#server.trueMs += Math.min(left, 200);
      for (const machine of this.#machines) if (machine.isDue()) await machine.tick();
      this.#check();
    }
  }

  /** INV-1 across machines: no two working agents share a folder. */
  #check(): void {
    const working = this.#machines
      .filter(({ isFrozen, hasLooked }) => !isFrozen && hasLooked)
      .flatMap(({ id, agents }) => agents.map(({ folder, task }) => ({ id, folder, task })));
    for (const [at, one] of working.entries()) {
      const other = working.slice(at + 1).find(({ folder }) => folder === one.folder);
      if (other !== undefined && this.problem === undefined)
        this.problem = `INV-1: ${one.task} on ${one.id} and ${other.task} on ${other.id} both work in ${one.folder}`;
    }
  }
}
