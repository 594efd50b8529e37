import type { AgentEvent, Usage } from "../../clients/agent.ts";
import { SelfFence } from "../../core/leases/self-fence.ts";
import type { Signal } from "../../core/loops/signal.ts";
import { type Deny, deny } from "../../core/rules/verdict.ts";
import { haltTask, warnTask } from "../../engine/attempts/halt-task.ts";
import { type HeartbeatInput, isConversation } from "../../engine/attempts/heartbeat.ts";
import { recordUsage } from "../../engine/attempts/record-usage.ts";
import type { Call } from "../../engine/change/engine.ts";
import { operate } from "../../engine/operate.ts";
import { isUnreachable } from "../../ledger/store-fault.ts";
import { bootTimeMs } from "../../workspace/process/machine-clock.ts";
import { LoopGuard } from "./loop-guard.ts";
import type { RunContext } from "./run-context.ts";
import { amount, type Watch } from "./watch.ts";

const everyMs = 1000;

interface Followed {
  readonly task: string;
  /** For a ledger that other machines share: how long the lease lasts without a heartbeat. */
  readonly leaseMs?: number;
  readonly call: Call;
  readonly stop: AbortSignal;
}

/**
 * Reports the heartbeats, usage and loop signals of one attempt to the ledger, at most once a second. Stops the agent
 * when the ledger ends the attempt: because of its time, budgets, lease, a loop, or a person.
 */
export class Heartbeats implements Watch {
  readonly #context: Pick<RunContext, "engine">;
  readonly #of: Followed;
  readonly #guard: LoopGuard;
  #alive = false;
  #tokens = 0;
  #usage: Required<NonNullable<HeartbeatInput["usage"]>> | undefined;
  #priced = false;
  #conversation: string | undefined;
  readonly #warnings: Signal[] = [];
  #halt: Signal | undefined;
  #reporting: Promise<void> | undefined;
  readonly #fence: SelfFence | undefined;
  /** When the report that has no answer yet was sent, on this machine's clock. */
  #askedMs: number | undefined;
  turns = 0;
  lost: Deny | undefined;
  /** The ledger failed, so it is unknown whether the attempt still counts. */
  fault: unknown;

  constructor(context: Pick<RunContext, "engine">, of: Followed) {
    this.#context = context;
    this.#of = of;
    this.#guard = new LoopGuard(context.engine.limits);
    this.#fence = of.leaseMs === undefined ? undefined : new SelfFence(bootTimeMs(), of.leaseMs);
  }

  see(event: AgentEvent): void {
    this.#alive = true;
    if (event.type === "tool") this.turns += 1;
    if (event.type === "usage") this.#spend(event);
    if (event.type === "conversation" && isConversation(event.id)) this.#conversation = event.id;
    const signal = this.#guard.see(event);
    if (signal?.level === "warn") this.#warnings.push(signal);
    if (signal?.level === "halt") this.#halt ??= signal;
  }

  follow(end: () => void): Disposable {
    this.turns += 1;
    return this.watch(end);
  }

  watch(end: () => void): Disposable {
    const timer = setInterval(() => {
      if (this.#askedMs !== undefined && bootTimeMs() - this.#askedMs > everyMs) this.#stopInTime(end);
      this.#reporting ??= this.#reportTo(end).finally(() => {
        this.#reporting = undefined;
      });
    }, everyMs);
    const { stop } = this.#of;
    stop.addEventListener("abort", end);
    if (stop.aborted) end();
    return {
      [Symbol.dispose]: () => {
        clearInterval(timer);
        stop.removeEventListener("abort", end);
      },
    };
  }

  /** Reports the rest. Afterwards `lost` and `fault` are final. */
  async finish(): Promise<void> {
    await this.#reporting;
    await this.#reportTo(() => {});
    if (this.lost !== undefined) await this.#recordRest();
  }

  /** The attempt is over, but its usage until the agent was stopped counts for the task. */
  async #recordRest(): Promise<void> {
    const { conversation: _conversation, ...spent } = this.#take();
    if (spent.tokens === 0 && spent.usage === undefined) return;
    try {
      await recordUsage(this.#context.engine, spent, this.#of.call);
    } catch (error) {
      this.fault = error;
    }
  }

  #spend({ tokens, input, cached, output, costUsd }: Usage): void {
    this.#tokens += Math.round(amount(tokens));
    this.#priced ||= costUsd !== undefined;
    if ([input, cached, output, costUsd].every((one) => one === undefined)) return;
    const before = this.#usage ?? { input: 0, cached: 0, output: 0, cost_usd: 0 };
    this.#usage = {
      input: before.input + amount(input),
      cached: before.cached + amount(cached),
      output: before.output + amount(output),
      cost_usd: before.cost_usd + amount(costUsd),
    };
  }

  /** Reports, and calls `end` if the attempt is over. */
  async #reportTo(end: () => void): Promise<void> {
    if (this.lost !== undefined || this.fault !== undefined) return;
    this.#askedMs = bootTimeMs();
    try {
      this.lost ??= await this.#report(this.#askedMs);
    } catch (error) {
      // The next report tries again, as long as the lease lasts.
      if (this.#fence !== undefined && isUnreachable(error)) this.#stopInTime(end);
      else this.fault = error;
    }
    this.#askedMs = undefined;
    if (this.lost !== undefined || this.fault !== undefined) end();
  }

  /** The ledger does not answer: another machine may get the locks when the lease ends, so the agent stops before. */
  #stopInTime(end: () => void): void {
    if (this.#fence?.mustStop(bootTimeMs()) !== true || this.lost !== undefined) return;
    const reason = `the ledger could not be reached, so the lease of task \`${this.#of.task}\` could not be renewed and its agent was stopped: run it again when the ledger can be reached`;
    this.lost = deny("R-LS-001", reason, { task_id: this.#of.task });
    end();
  }

  /** Returns why the attempt is over, if it is. */
  async #report(sentMs: number): Promise<Deny | undefined> {
    const { task, call } = this.#of;
    const { engine } = this.#context;
    if (!this.#alive) {
      const counts = await this.#stillCounts();
      this.#fence?.heard(sentMs);
      if (counts) return undefined;
    }
    for (let warning = this.#warnings.shift(); warning !== undefined; warning = this.#warnings.shift()) {
      const { level: _level, ...about } = warning;
      const warned = await warnTask(engine, { task, warning: about }, call);
      if (!warned.allow) return warned;
    }
    const usage = this.#take();
    const verdict = await operate(engine, "heartbeat", usage, call).catch((error: unknown) => {
      if (isUnreachable(error)) this.#giveBack(usage);
      throw error;
    });
    if (verdict.allow) this.#fence?.renewed(sentMs);
    if (!verdict.allow) {
      // The refusal because of a budget has recorded the usage; other refusals have not.
      if (verdict.code !== "R-BG-001") this.#giveBack(usage);
      return verdict;
    }
    if (this.#halt === undefined) return undefined;
    const halted = await haltTask(engine, this.#guard.haltOf(task, this.#halt), call);
    return halted.allow ? undefined : halted;
  }

  /** A silent agent sends no heartbeat. This only checks whether its attempt was ended or taken over. */
  async #stillCounts(): Promise<boolean> {
    const { task, call } = this.#of;
    const found = await this.#context.engine.ledger.task(task);
    return found?.state === "IN_PROGRESS" && (call.epoch === undefined || found.epoch === call.epoch);
  }

  #giveBack({ tokens = 0, usage }: HeartbeatInput): void {
    const { cost_usd: costUsd, ...kinds } = usage ?? {};
    this.#spend({ type: "usage", tokens, ...kinds, ...(costUsd === undefined ? {} : { costUsd }) });
  }

  #take(): HeartbeatInput {
    const { cost_usd: cost, ...kinds } = this.#usage ?? { cost_usd: 0 };
    const priced = this.#priced ? { cost_usd: cost } : {};
    const input: HeartbeatInput = {
      task: this.#of.task,
      tokens: this.#tokens,
      ...(this.#usage === undefined ? {} : { usage: { ...kinds, ...priced } }),
      ...(this.#conversation === undefined ? {} : { conversation: this.#conversation }),
    };
    this.#alive = false;
    this.#tokens = 0;
    this.#usage = undefined;
    this.#priced = false;
    this.#conversation = undefined;
    return input;
  }
}
