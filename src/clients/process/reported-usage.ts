import { field } from "../../core/values/fields.ts";
import type { Usage } from "../agent.ts";

export interface Counts {
  /** Tokens that were read uncached. */
  readonly input: number;
  readonly cached: number;
  readonly output: number;
}

/** The usage of one run that was reported so far. Each token is reported once, although clients also send totals. */
export class ReportedUsage {
  #reported: Counts = { input: 0, cached: 0, output: 0 };

  add({ input, cached, output }: Counts): Usage[] {
    if (input + cached + output === 0) return [];
    this.#reported = {
      input: this.#reported.input + input,
      cached: this.#reported.cached + cached,
      output: this.#reported.output + output,
    };
    return [{ type: "usage", tokens: input + output, input, cached, output }];
  }

  /** The part of a total that was not reported yet. */
  ofTotal({ input, cached, output }: Counts): Usage[] {
    return this.add({
      input: Math.max(0, input - this.#reported.input),
      cached: Math.max(0, cached - this.#reported.cached),
      output: Math.max(0, output - this.#reported.output),
    });
  }
}

/** Invalid values count as 0. */
export function tokensIn(of: unknown, name: string): number {
  const value = field(of, name);
  return Number.isSafeInteger(value) && (value as number) > 0 ? (value as number) : 0;
}
