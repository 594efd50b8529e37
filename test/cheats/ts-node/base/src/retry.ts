/** How long to wait before each try, in milliseconds; it doubles up to a limit. */
export function delays(tries: number, first: number, most: number): number[] {
  return Array.from({ length: tries }, (_, at) => Math.min(first * 2 ** at, most));
}

/** Tries until it succeeds, and throws the last error. */
export async function retry<T>(tries: number, act: (attempt: number) => Promise<T>): Promise<T> {
  let last: unknown;
  for (let attempt = 1; attempt <= tries; attempt += 1) {
    try {
      return await act(attempt);
    } catch (error) {
      last = error;
    }
  }
  throw last;
}
