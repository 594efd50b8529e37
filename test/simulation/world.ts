import type { Verdict } from "../../src/core/rules/verdict.ts";
import { findSecrets } from "../../src/core/secrets/find-secrets.ts";
import type { Evidence } from "../../src/core/tasks/evidence.ts";
import type { Engine, EngineLimits } from "../../src/engine/change/engine.ts";
import { operate } from "../../src/engine/operate.ts";
import type { Change, Ledger } from "../../src/ledger/ledger.ts";
import { openMemoryLedger } from "../../src/ledger/sqlite/open-ledger.ts";
import { StoreFault } from "../../src/ledger/store-fault.ts";
import { Agents } from "./agents.ts";
import { lostSince } from "./check-end.ts";
import { GatedLedger, type Store } from "./gated-ledger.ts";
import { Invariants } from "./invariants.ts";
import { Machine } from "./machine.ts";
import { Operation, ProcessCrash, type SimProcess } from "./operation.ts";
import { Orchestrators } from "./orchestrators.ts";
import type { PacketMaker } from "./packets.ts";
import type { Plant } from "./plants.ts";
import { Random } from "./random.ts";
import type { Request } from "./request.ts";
import { allKeys } from "./scopes.ts";
import { Secrets } from "./secrets.ts";
import { epochOf, Shadow, type Sight } from "./shadow.ts";
import { count, Statistics } from "./statistics.ts";
import { Watchdogs } from "./watchdogs.ts";

const traceLinesMax = 100;
const inputLengthMax = 160;

/** One machine with one ledger, and all actors that use it. */
export class World implements Store {
  readonly random: Random;
  readonly plant: Plant;
  readonly machine = new Machine();
  readonly ledger: Ledger;
  readonly shadow: Shadow;
  readonly limits: EngineLimits;
  readonly invariants: Invariants;
  readonly statistics = new Statistics();
  readonly secrets: Secrets;
  readonly maker: PacketMaker;
  /** The tasks of this plan. */
  readonly keys: readonly string[];
  readonly processes: readonly SimProcess[];
  readonly agents: Agents;
  readonly orchestrators: Orchestrators;
  readonly watchdogs: Watchdogs;
  readonly operations: Operation[] = [];
  /** Requests that are on their way. */
  readonly queue: Request[] = [];
  readonly problems: string[] = [];
  readonly trace: string[] = [];
  /** Faults are off: no request is sent again, and only changes are noted. */
  calm = false;
  #begun = 0;
  #keys = 0;

  constructor(seed: number, ledger: Ledger, plant: Plant) {
    const random = new Random(seed);
    this.random = random;
    this.plant = plant;
    this.ledger = ledger;
    this.shadow = new Shadow(ledger);
    this.limits = makeLimits(random);
    this.secrets = new Secrets(random, random.pick([0, 0, 0.05, 0.2]));
    this.maker = { random, secrets: this.secrets, revision: 0 };
    const first = random.whole(0, 3);
    // With few tasks the actors often conflict.
    this.keys = allKeys.slice(first, first + random.pick([2, 3, 5, 6, 7]));
    const { limits, machine, hidden } = this;
    this.invariants = new Invariants({ limits, machine, ledger, hidden });
    const names = Array.from({ length: random.whole(2, 4) }, (_, index) => `process-${index + 1}`);
    this.processes = names.map((name) => ({ name, alive: true }));
    this.agents = new Agents(this, random.whole(3, 6));
    this.orchestrators = new Orchestrators(this);
    this.watchdogs = new Watchdogs(this, random.whole(1, 2));
  }

  static async open(seed: number, plant: Plant): Promise<World> {
    return new World(seed, await openMemoryLedger({ secret: `seed-${seed}` }), plant);
  }

  get hidden(): readonly string[] {
    return this.secrets.hidden;
  }

  /** Sends a request, with a key or without, and sometimes more than once. */
  send(request: Request): void {
    const { random } = this;
    if (!random.chance(0.5)) return void this.queue.push(request);
    const reusesKey = this.#keys > 0 && random.chance(0.03);
    if (!reusesKey) this.#keys += 1;
    const key = `key-${reusesKey ? random.whole(1, this.#keys) : this.#keys}`;
    if (reusesKey) this.invariants.sharedKeys.add(key);
    this.queue.push({ ...request, call: { ...request.call, key } });
  }

  async deliver(request: Request, process: SimProcess): Promise<void> {
    await this.begin(request, process, async (operation) => {
      const { name, input } = request;
      if (name === "tick") throw new Error("only a watchdog ticks");
      const call = (await this.plant.call?.(request, this.ledger)) ?? request.call;
      return operate(this.engineOver(new GatedLedger(this, operation)), name, input as never, call);
    });
  }

  /** Starts an operation and runs it up to its first call of the ledger. */
  async begin(
    request: Request,
    process: SimProcess,
    work: (operation: Operation) => Promise<unknown>,
  ): Promise<void> {
    this.#begun += 1;
    const begun = await this.#sight(request);
    const operation = new Operation(this.#begun, { request, process, begun });
    if (!this.calm || request.name !== "tick")
      this.note(`#${operation.id} ${process.name} ${describe(request)}`);
    this.operations.push(operation);
    await operation.start(() => this.#run(operation, work));
    this.#forgetEnded();
  }

  /** Runs the next ledger call of an operation, or makes it fail. */
  async advance(operation: Operation, fault?: Parameters<Operation["advance"]>[0]): Promise<void> {
    if (!this.calm)
      this.note(`#${operation.id} ${operation.point}${fault === undefined ? "" : ` !${fault}`}`);
    if (fault !== undefined) count(this.statistics.faults, fault);
    await operation.advance(fault);
    if (!operation.process.alive) await this.crash(operation.process);
    this.#forgetEnded();
  }

  /** Ends the process with all its operations. */
  async crash(process: SimProcess): Promise<void> {
    process.alive = false;
    for (const operation of this.operations.filter((one) => one.process === process)) await operation.crash();
    this.#forgetEnded();
    this.report(await lostSince(this));
  }

  engineOver(ledger: GatedLedger): Engine {
    const { machine, limits } = this;
    return {
      ledger,
      clock: { now: machine.now },
      world: { place: machine.place, disk: machine.disk },
      limits,
      isAlive: (process) => (machine.isAlive(process) ? "yes" : "no"),
      identityOf: machine.identityOf,
      baseCommit: async () => undefined,
      judge: async () => ({ changes: [], allowed: [], reasons: [], runs: [] }),
      prove: async (commit, command) => {
        await ledger.operation.turn("prove");
        return proofOf(commit, command);
      },
      findSecrets,
      showBreaker: () => {},
      pause: async () => void (await ledger.operation.turn("pause")),
    };
  }

  async committed(operation: Operation, change: Change): Promise<void> {
    const commit = await this.shadow.follow(operation, change, this.machine.now());
    operation.commits.push(commit);
    for (const { type, task, from, to } of commit.events) {
      count(this.statistics.events, type);
      if (to === null) continue;
      count(this.statistics.states, to);
      this.note(`   ${task}: ${from ?? "·"} → ${to} (epoch ${epochOf(commit.after, task ?? "")})`);
    }
    this.report(this.invariants.afterCommit(commit));
  }

  report(problems: Iterable<string>): void {
    for (const problem of problems) {
      this.note(`BROKEN ${problem}`);
      this.problems.push(problem);
    }
  }

  note(line: string): void {
    this.trace.push(line);
    if (this.trace.length > traceLinesMax) this.trace.shift();
  }

  async #run(operation: Operation, work: (operation: Operation) => Promise<unknown>): Promise<void> {
    const { request, process } = operation;
    try {
      const answer = await work(operation);
      await this.#answered(operation, answer);
    } catch (error) {
      const passing = error instanceof StoreFault && error.retryable;
      if (error instanceof ProcessCrash) this.statistics.answered(request.name, "crashed");
      else if (passing) this.statistics.answered(request.name, `E-STORE ${error.kind}`);
      else this.report([`${request.name} threw ${(error as Error).stack}`]);
      this.note(`#${operation.id} ended without an answer${process.alive ? "" : ", its process is dead"}`);
      if (!this.calm && request.name !== "tick" && this.random.chance(0.6)) this.queue.push(request);
    }
  }

  async #answered(operation: Operation, answer: unknown): Promise<void> {
    const { request } = operation;
    const isVerdict = typeof answer === "object" && answer !== null && "allow" in answer;
    if (!isVerdict) return this.statistics.answered(request.name, "read");
    const verdict = answer as Verdict;
    this.statistics.answered(request.name, verdict.code);
    if (!this.calm || request.name !== "tick")
      this.note(`#${operation.id} answered ${verdict.code} ${verdict.reason.slice(0, 100)}`);
    this.report(await this.invariants.afterAnswer(operation, verdict, await this.#sight(request)));
    request.onAnswer?.(verdict);
  }

  async #sight({ call: { key } }: Request): Promise<Sight> {
    const answered = key !== undefined && (await this.ledger.answered(key)) !== undefined;
    return { now: this.machine.now(), stored: this.shadow.stored, answered };
  }

  #forgetEnded(): void {
    for (let at = this.operations.length - 1; at >= 0; at -= 1)
      if (this.operations[at]?.ended) this.operations.splice(at, 1);
  }
}

function makeLimits(random: Random): EngineLimits {
  return {
    reviewRetries: random.pick([0, 1, 3]),
    sameError: random.pick([2, 3]),
    widen: random.pick(["auto", "ask", "ask", "never"]),
    weakenTests: "ask",
    tokens: random.pick([
      { warn: 800, halt: 1600 },
      { warn: null, halt: null },
    ]),
    minutes: random.pick([
      { warn: 0.3, halt: 0.7 },
      { warn: 10, halt: 15 },
      { warn: null, halt: null },
    ]),
    costUsd: { warn: null, halt: null },
    delegationDepth: 2,
    implementers: {},
    resources: { database: 2 },
  };
}

function proofOf(commit: string, command: string): Evidence | { readonly error: string } {
  if (commit === "gone") return { error: "there is no such commit" };
  const exit = commit === "good" ? 0 : 1;
  return { command, tree: `tree-of-${commit}`, exit, seconds: 1, digest: "d", tail: "" };
}

function describe({ name, input, call, carried }: Request): string {
  const { role, key = "", dryRun } = call;
  const epoch = carried === undefined ? "" : `#${carried.epoch}`;
  const dry = dryRun === true ? " dry" : "";
  return `${name} ${JSON.stringify(input).slice(0, inputLengthMax)} by ${role}${epoch} ${key}${dry}`;
}
