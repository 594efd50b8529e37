const small = new Set(
  "a an and as at be by for from in into is it of on or our so that the this to we with".split(" "),
);
const wordsMax = 4;

/** Two to four words that tell a session from others. */
export function sessionSlug(goal: string): string {
  const plain = goal.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
  const words = plain.match(/[a-z0-9]+/g) ?? [];
  const telling = words.filter((word) => !small.has(word));
  return (telling.length >= 2 ? telling : words).slice(0, wordsMax).join("-") || "goal";
}
