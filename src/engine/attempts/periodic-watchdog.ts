import type { Moment } from "../../core/leases/clock.ts";
import { sleptBetween } from "../../core/leases/sleep-detector.ts";
import type { Verdict } from "../../core/rules/verdict.ts";
import type { Engine } from "../change/engine.ts";
import { runWatchdog } from "./run-watchdog.ts";

/**
 * The watchdog of a long-lived process. While the process or the machine slept, no heartbeat could arrive. After
 * such a pause, every attempt has one full lease before it can be reclaimed.
 */
export class PeriodicWatchdog {
  readonly #engine: Engine;
  readonly #periodMs: number;
  #last: Moment;
  #notBeforeMs: number | undefined;

  constructor(engine: Engine, periodMs: number) {
    this.#engine = engine;
    this.#periodMs = periodMs;
    this.#last = engine.clock.now();
  }

  async tick(): Promise<{ readonly verdict: Verdict; readonly slept: boolean }> {
    const now = this.#engine.clock.now();
    const slept = sleptBetween(this.#last, now, this.#periodMs);
    if (slept) this.#notBeforeMs = now.monoMs;
    this.#last = now;
    return { verdict: await runWatchdog(this.#engine, { notBeforeMs: this.#notBeforeMs }), slept };
  }
}
