import { locate } from "../paths/locate.ts";
import type { Place } from "../paths/place.ts";
import type { Mention } from "./types.ts";

const candidatesMax = 2000;
/** Runs of characters that form paths. Quotes, commas, brackets, `=` and similar characters end them. */
const pathLike = /[\p{L}\p{N}_.~@+%/\\$-]+/gu;

/** Absolute paths that a piece of code or an operand may name. */
export function mentionedPaths(mention: Mention, place: Place): readonly string[] | "too many" {
  const found = new Set<string>();
  const candidates = candidatesIn(mention);
  if (candidates.size > candidatesMax) return "too many";
  for (const candidate of candidates) {
    for (const cwd of [...mention.from, place.root]) {
      const located = locate(candidate, { ...place, cwd: cwd ?? place.root });
      if (located.where !== "invalid" && located.absolute !== undefined) found.add(located.absolute);
    }
  }
  return [...found];
}

function candidatesIn({ text, operand }: Mention): Set<string> {
  const candidates = new Set<string>();
  if (operand) candidates.add(text);
  for (const match of text.matchAll(pathLike)) {
    const run = match[0].replace(/\.+$/, "");
    if (run.includes("/") || run.includes(".")) candidates.add(run);
    // `-osrc/b/x`, `-xzfsrc/b/x` and `@src/b/x` are also read without the characters before the path.
    const before = run.includes("/") ? (/^(?:-{1,2}[A-Za-z]{0,6}|[@+%])/.exec(run)?.[0].length ?? 0) : 0;
    for (let cut = 1; cut <= before; cut += 1) candidates.add(run.slice(cut));
  }
  return candidates;
}
