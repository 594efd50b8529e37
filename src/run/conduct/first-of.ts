/** When the first of them ends, or after so many milliseconds. */
export async function firstOf(running: Iterable<Promise<void>>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<void>((resolve) => (timer = setTimeout(resolve, ms)));
  await Promise.race([...running, over]);
  clearTimeout(timer);
}
