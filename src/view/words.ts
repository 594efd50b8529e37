export { shortNumber } from "../core/text/amounts.ts";

export function sumOf(values: readonly number[]): number {
  return values.reduce((sum, one) => sum + one, 0);
}

/** `IN_PROGRESS` → `in progress`. */
export function stateWord(state: string): string {
  return state === "REVIEW" ? "in review" : state.toLowerCase().replaceAll("_", " ");
}

/** Why a person stopped all work, and how it continues. */
export function breakerText({
  mode,
  reason,
}: {
  readonly mode: string;
  readonly reason: string | null;
}): string {
  const why = reason === null ? "" : `: ${reason}`;
  return `${mode === "PAUSE" ? "paused" : "stopped"}${why}; \`lockstep clear\` resumes work`;
}

/** `sandbox on, scope check on`. The guard is optional, so it is only named when it is on. */
export function isolationWords(walls: Readonly<Record<string, boolean>>): string {
  return Object.entries(walls)
    .filter(([kind, isOn]) => isOn || kind !== "guard")
    .map(([kind, isOn]) => `${kind === "diff" ? "scope check" : kind} ${isOn ? "on" : "off"}`)
    .join(", ");
}
