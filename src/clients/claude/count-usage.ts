import { field, isObject } from "../../core/values/fields.ts";
import type { Usage } from "../agent.ts";

interface Counts {
  readonly input: number;
  readonly cached: number;
  readonly output: number;
}

const none: Counts = { input: 0, cached: 0, output: 0 };

/**
 * Counts each token once. The client reports a message's usage several times with growing numbers, and at the end a total
 * that also includes side questions and subagents.
 */
export class CountedUsage {
  readonly #messages = new Map<string, Counts>();
  #sinceResult = none;
  #costUsd = 0;

  /** The new part of a message's usage. */
  ofMessage(id: string, usage: unknown): Usage[] {
    const before = this.#messages.get(id) ?? none;
    const now = largest(before, {
      input: count(usage, "input_tokens") + count(usage, "cache_creation_input_tokens"),
      cached: count(usage, "cache_read_input_tokens"),
      output: count(usage, "output_tokens"),
    });
    this.#messages.set(id, now);
    return this.#report(difference(now, before));
  }

  /** The usage that was not reported before the result. Totals include earlier results; older clients have only totals. */
  ofResult(result: unknown): Usage[] {
    const since = field(result, "model_usage_since_last_result");
    const models = Object.values(since ?? field(result, "modelUsage") ?? {}).filter(isObject);
    const whole = models.map(
      (model): Counts => ({
        input: count(model, "inputTokens") + count(model, "cacheCreationInputTokens"),
        cached: count(model, "cacheReadInputTokens"),
        output: count(model, "outputTokens"),
      }),
    );
    const rest = difference(largest(whole.reduce(sum, none), this.#sinceResult), this.#sinceResult);
    const costUsd = models.map((model) => count(model, "costUSD")).reduce((one, other) => one + other, 0);
    const reported = this.#report(rest, Math.max(0, costUsd - this.#costUsd));
    if (since === undefined) this.#costUsd = costUsd;
    else this.#sinceResult = none;
    return reported;
  }

  #report(counts: Counts, costUsd = 0): Usage[] {
    this.#sinceResult = sum(this.#sinceResult, counts);
    const { input, cached, output } = counts;
    if (input + cached + output + costUsd === 0) return [];
    return [{ type: "usage", tokens: input + output, ...counts, ...(costUsd > 0 && { costUsd }) }];
  }
}

function count(of: unknown, name: string): number {
  const value = field(of, name);
  return typeof value === "number" && Number.isFinite(value) && value > 0 ? value : 0;
}

const sum = (one: Counts, other: Counts): Counts => each(one, other, (a, b) => a + b);
const largest = (one: Counts, other: Counts): Counts => each(one, other, Math.max);
const difference = (one: Counts, other: Counts): Counts => each(one, other, (a, b) => a - b);

function each(one: Counts, other: Counts, by: (a: number, b: number) => number): Counts {
  return {
    input: by(one.input, other.input),
    cached: by(one.cached, other.cached),
    output: by(one.output, other.output),
  };
}
