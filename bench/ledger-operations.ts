import type { Details } from "../src/core/rules/verdict.ts";
import type { Call } from "../src/engine/change/engine.ts";
import { tokenOf } from "../src/engine/change/fence.ts";
import { type InputOf, operate } from "../src/engine/operate.ts";
import type { Ledger } from "../src/ledger/ledger.ts";
import { detailsOf, type Filled, filledEpoch, person } from "./fill-ledger.ts";
import { engineOf, type LedgerProject } from "./ledger-project.ts";
import { type BenchTask, packetOf, resultOf, taskOf, worklogOf } from "./ledger-tasks.ts";
import { nowMs } from "./statistics.ts";

interface Work {
  readonly task: BenchTask;
  readonly epoch: number;
}

type Measured = "dispatch" | "heartbeat" | "submit" | "complete" | "release" | "watchdog";

/**
 * The operations on one ledger, each timed alone. Each prepares the next one, and as many tasks start as end, so that
 * they can be repeated with a constant number of running tasks.
 */
export class LedgerOperations implements Disposable {
  readonly #home: LedgerProject;
  readonly #ledger: Ledger;
  /** The oldest first: each is used long after it has left all caches of an operation. */
  readonly #running: Work[];
  readonly #inReview: BenchTask[] = [];
  #next: number;

  constructor(home: LedgerProject, ledger: Ledger, { running, next }: Filled) {
    this.#home = home;
    this.#ledger = ledger;
    this.#running = running.map((task) => ({ task, epoch: filledEpoch }));
    this.#next = next;
  }

  /** From now on two tasks are in review, so that none is completed right after its submission. */
  async reviewAhead(): Promise<void> {
    for (let ahead = 0; ahead < 2; ahead += 1) {
      await this.submit();
      await this.dispatch();
    }
  }

  async dispatch(): Promise<number> {
    const task = taskOf(this.#next);
    this.#next += 1;
    const { spentMs, details } = await this.#time("dispatch", { packet: packetOf(task) }, person);
    this.#running.push({ task, epoch: details.epoch as number });
    return spentMs;
  }

  async heartbeat(tokens = 0): Promise<number> {
    const work = this.#takeRunning();
    this.#running.push(work);
    const { spentMs } = await this.#time("heartbeat", { task: work.task.key, tokens }, this.#agentOf(work));
    return spentMs;
  }

  async submit(): Promise<number> {
    const work = this.#takeRunning();
    const { task } = work;
    this.#inReview.push(task);
    this.#home.writeWorklog(worklogOf(task));
    const input = { task: task.key, document: resultOf(task) };
    const { spentMs } = await this.#time("submit", input, this.#agentOf(work));
    return spentMs;
  }

  async complete(): Promise<number> {
    const task = this.#inReview.shift();
    if (task === undefined) throw new Error("no task is in review");
    const { spentMs } = await this.#time("complete", { task: task.key }, person);
    return spentMs;
  }

  /** The next task starts in its place, and is not timed. */
  async release(): Promise<number> {
    const { spentMs } = await this.#time("release", { task: this.#takeRunning().task.key }, person);
    await this.dispatch();
    return spentMs;
  }

  async watchdog(): Promise<number> {
    const { spentMs } = await this.#time("watchdog", {}, person);
    return spentMs;
  }

  [Symbol.dispose](): void {
    this.#ledger.close();
  }

  #agentOf({ task: { key }, epoch }: Work): Call {
    return { role: "attempt", task: key, epoch, token: tokenOf(this.#ledger, key, epoch) };
  }

  #takeRunning(): Work {
    const work = this.#running.shift();
    if (work === undefined) throw new Error("no task is running");
    return work;
  }

  async #time<Name extends Measured>(
    name: Name,
    input: InputOf<Name>,
    call: Call,
  ): Promise<{ readonly spentMs: number; readonly details: Details }> {
    const engine = engineOf(this.#home.project, this.#ledger);
    const start = nowMs();
    const verdict = await operate(engine, name, input, call);
    const spentMs = nowMs() - start;
    return { spentMs, details: detailsOf(verdict) };
  }
}
