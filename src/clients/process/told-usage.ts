import { field } from "../../core/values/fields.ts";
import type { Usage } from "../agent.ts";

export interface Counts {
  /** Read uncached. */
  readonly input: number;
  readonly cached: number;
  readonly output: number;
}

/** What was told of one run so far: each token is told once, though a client tells it one by one and as a total. */
export class ToldUsage {
  #told: Counts = { input: 0, cached: 0, output: 0 };

  add({ input, cached, output }: Counts): Usage[] {
    if (input + cached + output === 0) return [];
    this.#told = {
      input: this.#told.input + input,
      cached: this.#told.cached + cached,
      output: this.#told.output + output,
    };
    return [{ type: "usage", tokens: input + output, input, cached, output }];
  }

  /** What a total has that was not told yet. */
  ofTotal({ input, cached, output }: Counts): Usage[] {
    return this.add({
      input: Math.max(0, input - this.#told.input),
      cached: Math.max(0, cached - this.#told.cached),
      output: Math.max(0, output - this.#told.output),
    });
  }
}

/** A client that tells nonsense has told nothing. */
export function tokensIn(of: unknown, name: string): number {
  const value = field(of, name);
  return Number.isSafeInteger(value) && (value as number) > 0 ? (value as number) : 0;
}
