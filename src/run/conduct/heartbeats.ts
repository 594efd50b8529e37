import type { Deny } from "../../core/rules/verdict.ts";
import type { Call } from "../../engine/engine.ts";
import { operate } from "../../engine/operate.ts";
import type { RunContext } from "./run-context.ts";

const everyMs = 1000;

/**
 * Signs of life of one agent, told to the ledger at most once a second. When the ledger says that the attempt is
 * over (its time, its tokens, its lease, a person), the agent is stopped.
 */
export class Heartbeats {
  readonly #context: RunContext;
  readonly #of: { readonly task: string; readonly call: Call; readonly stop: AbortSignal };
  #tokens = 0;
  #alive = false;
  #busy = false;
  lost: Deny | undefined;
  /** The ledger could not be asked: nobody knows whether the attempt still counts. */
  fault: unknown;

  constructor(
    context: RunContext,
    of: { readonly task: string; readonly call: Call; readonly stop: AbortSignal },
  ) {
    this.#context = context;
    this.#of = of;
  }

  beat(tokens: number): void {
    this.#tokens += tokens;
    this.#alive = true;
  }

  /** `end` is called once, when the attempt is over or everything is to stop. */
  follow(end: () => void): Disposable {
    const timer = setInterval(() => void this.#tell(end), everyMs);
    this.#of.stop.addEventListener("abort", end);
    return {
      [Symbol.dispose]: () => {
        clearInterval(timer);
        this.#of.stop.removeEventListener("abort", end);
      },
    };
  }

  async #tell(end: () => void): Promise<void> {
    if (this.#busy || this.lost !== undefined || this.fault !== undefined) return;
    this.#busy = true;
    try {
      const { task, call } = this.#of;
      const { engine } = this.#context;
      const tokens = this.#tokens;
      const quiet = !this.#alive;
      this.#alive = false;
      this.#tokens = 0;
      const state = quiet ? (await engine.ledger.task(task))?.state : undefined;
      if (quiet && state === "IN_PROGRESS") return;
      const verdict = await operate(engine, "heartbeat", { task, tokens }, call);
      if (verdict.allow) return;
      this.lost = verdict;
      end();
    } catch (error) {
      this.fault = error;
      end();
    } finally {
      this.#busy = false;
    }
  }
}
