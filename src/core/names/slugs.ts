import { latinWords } from "./latin-words.ts";

const lengthMax = 40;
const small = new Set(
  "a an and as at be by for from in into is it of on or our so that the this to we with".split(" "),
);

/** The name of a session: its day and its subject, with a number if that name is taken. */
export function sessionName(day: Date, about: string, number: number): string {
  const slug = latinWords(about).join("-").slice(0, lengthMax).replace(/-$/, "") || "plan";
  const name = `${day.toISOString().slice(0, 10)}_${slug}`;
  return number === 1 ? name : `${name}-${number}`;
}

/** Two to four significant words of the goal. */
export function sessionSlug(goal: string): string {
  const words = latinWords(goal);
  const telling = words.filter((word) => !small.has(word));
  return (telling.length >= 2 ? telling : words).slice(0, 4).join("-") || "goal";
}

/** The first words of the goal. */
export function taskSlug(goal: string): string {
  return latinWords(goal).slice(0, 5).join("-") || "task";
}
