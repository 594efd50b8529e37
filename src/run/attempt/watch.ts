import type { AgentEvent } from "../../clients/agent.ts";
import { addCost, amountOf, findBreaches } from "../../core/loops/budgets.ts";
import { type Deny, deny } from "../../core/rules/verdict.ts";
import type { EngineLimits } from "../../engine/change/engine.ts";
import { LoopGuard } from "./loop-guard.ts";

/** Follows an agent while it works, and ends it at its limits. */
export interface Watch {
  see(event: AgentEvent): void;
  /** The agent was started; `end` stops it. */
  follow(end: () => void): Disposable;
  /** Calls `end` once, when the attempt is over or the run is stopped. */
  watch(end: () => void): Disposable;
  /** The agent has ended: records its last events. */
  finish(): Promise<void>;
  /** The number of turns: one for each prompt and for each tool result. */
  readonly turns: number;
  /** Why the agent was ended. */
  readonly lost: Deny | undefined;
  /** The error if the ledger failed. */
  readonly fault: unknown;
}

export interface OwnLimitsOptions {
  /** The agent, for messages. */
  readonly name: string;
  readonly limits: EngineLimits;
  readonly stop: AbortSignal;
  warn(text: string): void;
}

/**
 * The limits of an agent without an attempt of its own, such as a reviewer: the same limits for tokens, cost and loops as
 * for a task, counted for this agent alone. Its usage is not added to the task that it reviews.
 */
export class OwnLimits implements Watch {
  readonly #of: OwnLimitsOptions;
  readonly #guard: LoopGuard;
  #spent = { tokens: 0, cost_usd: null as number | null };
  #end = () => {};
  turns = 0;
  lost: Deny | undefined;
  readonly fault = undefined;

  constructor(of: OwnLimitsOptions) {
    this.#of = of;
    this.#guard = new LoopGuard(of.limits);
  }

  see(event: AgentEvent): void {
    const { name, limits, warn } = this.#of;
    if (event.type === "tool") this.turns += 1;
    if (event.type === "usage") {
      const { tokens, cost_usd: cost } = this.#spent;
      this.#spent = { tokens: tokens + amount(event.tokens), cost_usd: addCost(cost, event.costUsd) };
      const { halted } = findBreaches(this.#spent, { tokens: limits.tokens, cost_usd: limits.costUsd });
      if (halted !== undefined) {
        const shown = halted.signal === "tokens" ? halted.halt : `$${halted.halt}`;
        this.#lose(`\`${name}\` has spent ${amountOf(halted)}; its limit is ${shown}`);
      }
    }
    const signal = this.#guard.see(event);
    if (signal?.level === "warn") warn(`warning: ${signal.reason}`);
    if (signal?.level === "halt") this.#lose(`\`${name}\` is in a loop: ${signal.reason}`);
  }

  follow(end: () => void): Disposable {
    this.turns += 1;
    return this.watch(end);
  }

  watch(end: () => void): Disposable {
    const { stop } = this.#of;
    this.#end = end;
    if (stop.aborted || this.lost !== undefined) end();
    stop.addEventListener("abort", end);
    return { [Symbol.dispose]: () => stop.removeEventListener("abort", end) };
  }

  async finish(): Promise<void> {}

  #lose(reason: string): void {
    if (this.lost !== undefined) return;
    this.lost = deny("R-BG-001", reason);
    this.#end();
  }
}

/** A number that a client reported; 0 if it makes no sense. */
export function amount(reported: number | undefined): number {
  return reported !== undefined && Number.isFinite(reported) && reported > 0 ? reported : 0;
}
