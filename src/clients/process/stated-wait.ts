const units: readonly (readonly [unit: RegExp, ms: number])[] = [
  [/^(?:ms|millisecond)/, 1],
  [/^s/, 1000],
  [/^m/, 60_000],
  [/^h/, 3_600_000],
  [/^d/, 86_400_000],
];
const span =
  /(\d+(?:\.\d+)?)\s*(ms|milliseconds?|s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?)(?![a-z])/;
const stated = new RegExp(
  `\\b(?:re-?try|try again|resets?|available)\\b[^\\d\\n]{0,40}?\\b(?:in|after)\\s+((?:${span.source}[\\s,]*(?:and\\s+)?)+)`,
  "i",
);

/** The waiting time in a text, in milliseconds: `retry in 34.07s`, `will reset after 3h17m5s`, `in 2 hours 5 minutes`. */
export function statedWait(text: string): number | undefined {
  const said = stated.exec(text)?.[1];
  if (said === undefined) return undefined;
  return [...said.toLowerCase().matchAll(new RegExp(span, "g"))].reduce(
    (sum, [, count = "0", name = ""]) => sum + Math.ceil(Number(count) * msOf(name)),
    0,
  );
}

function msOf(name: string): number {
  return units.find(([unit]) => unit.test(name))?.[1] ?? 0;
}
