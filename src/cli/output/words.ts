/** 950, 1.2k, 35k, 1.2M. */
export function shortNumber(value: number): string {
  if (value < 1000) return String(value);
  const [unit, word] = value >= 999_500 ? [1_000_000, "M"] : [1000, "k"];
  const count = value / unit;
  return `${count < 9.95 ? count.toFixed(1).replace(/\.0$/, "") : Math.round(count)}${word}`;
}

export function sumOf(values: readonly number[]): number {
  return values.reduce((sum, one) => sum + one, 0);
}

/** `IN_PROGRESS` for people. */
export function stateWord(state: string): string {
  return state === "REVIEW" ? "in review" : state.toLowerCase().replaceAll("_", " ");
}

/** `sandbox ✓ diff ✓`; a guard that nobody has put up is not missed. */
export function wallWords(walls: Readonly<Record<string, boolean>>): string {
  return Object.entries(walls)
    .filter(([wall, stands]) => stands || wall !== "guard")
    .map(([wall, stands]) => `${wall} ${stands ? "✓" : "✗"}`)
    .join(" ");
}
