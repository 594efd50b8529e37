import { latinWords } from "../core/names/latin-words.ts";

const small = new Set(
  "a an and as at be by for from in into is it of on or our so that the this to we with".split(" "),
);
const wordsMax = 4;

/** Two to four words that tell a session from others. */
export function sessionSlug(goal: string): string {
  const words = latinWords(goal);
  const telling = words.filter((word) => !small.has(word));
  return (telling.length >= 2 ? telling : words).slice(0, wordsMax).join("-") || "goal";
}
