/** The value that a given share of the samples does not exceed. */
export function quantile(samples: readonly number[], share: number): number {
  const sorted = [...samples].sort((a, b) => a - b);
  const index = Math.min(sorted.length - 1, Math.max(0, Math.ceil(share * sorted.length) - 1));
  const value = sorted[index];
  if (value === undefined) throw new Error("there is nothing to measure: no samples");
  return value;
}

export function median(samples: readonly number[]): number {
  return quantile(samples, 0.5);
}

export function nowMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

export type Candidate = () => number | Promise<number>;

/**
 * Takes one sample of every candidate per round, in rotating order, so that other work on the machine affects all of
 * them equally.
 */
export async function interleave(
  candidates: Readonly<Record<string, Candidate>>,
  rounds: number,
): Promise<Record<string, number[]>> {
  const order = Object.entries(candidates);
  const samples = Object.fromEntries(order.map(([name]) => [name, [] as number[]]));
  for (let round = 0; round < rounds; round += 1)
    for (let step = 0; step < order.length; step += 1) {
      const [name, sample] = order[(round + step) % order.length] as [string, Candidate];
      samples[name]?.push(await sample());
    }
  return samples;
}

/** Time of one call in ms, measured over enough calls to fill `batchMs`. */
export async function timeOne(call: () => unknown, batchMs: number): Promise<number> {
  const start = nowMs();
  let calls = 0;
  let spent = 0;
  do {
    const result = call();
    if (result instanceof Promise) await result;
    calls += 1;
    spent = nowMs() - start;
  } while (spent < batchMs);
  return spent / calls;
}
