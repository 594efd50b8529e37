const wordLengthMax = 64;

/** The name closest to a mistyped word, if any is close enough. */
export function nearestName(word: string, names: readonly string[]): string | undefined {
  if (word.length > wordLengthMax) return undefined;
  let nearest: { name: string; steps: number } | undefined;
  for (const name of names) {
    const steps = editSteps(plain(word), plain(name));
    if (steps <= name.length / 3 && steps < (nearest?.steps ?? Infinity)) nearest = { name, steps };
  }
  return nearest?.name;
}

/** `pre-dispatch`, `pre_dispatch` and `preDispatch` compare equal. */
function plain(word: string): string {
  return word.toLowerCase().replace(/[-_\s]/g, "");
}

/** Edit distance (Damerau-Levenshtein): insert, delete, replace or swap neighbouring characters. */
function editSteps(from: string, to: string): number {
  let before: readonly number[] = [];
  let row: readonly number[] = Array.from({ length: to.length + 1 }, (_, at) => at);
  for (let i = 1; i <= from.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= to.length; j += 1) {
      const replaced = (row[j - 1] ?? 0) + (from[i - 1] === to[j - 1] ? 0 : 1);
      const isSwap = i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1];
      const swapped = isSwap ? (before[j - 2] ?? 0) + 1 : Infinity;
      next.push(Math.min(replaced, swapped, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    before = row;
    row = next;
  }
  return row[to.length] ?? 0;
}
