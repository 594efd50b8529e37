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

/** `IN_PROGRESS` → `in progress`. */
export function stateWord(state: string): string {
  return state === "REVIEW" ? "in review" : state.toLowerCase().replaceAll("_", " ");
}

/** `sandbox on, scope check on`. The guard is optional, so it is only named when it is on. */
export function isolationWords(walls: Readonly<Record<string, boolean>>): string {
  return Object.entries(walls)
    .filter(([kind, isOn]) => isOn || kind !== "guard")
    .map(([kind, isOn]) => `${kind === "diff" ? "scope check" : kind} ${isOn ? "on" : "off"}`)
    .join(", ");
}
