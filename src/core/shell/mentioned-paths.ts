import { locate } from "../paths/locate.ts";
import type { Place } from "../paths/place.ts";
import type { Mention } from "./types.ts";

const candidatesMax = 2000;
/** Runs of characters that paths are made of; quotes, commas, brackets, `=` and the like end them. */
const pathLike = /[\p{L}\p{N}_.~@+%/\\$-]+/gu;

/** Absolute paths that a piece of code or an operand could be naming. */
export function mentionedPaths(mention: Mention, place: Place): readonly string[] {
  const found = new Set<string>();
  for (const candidate of candidatesIn(mention)) {
    for (const cwd of [...mention.from, place.root]) {
      const located = locate(candidate, { ...place, cwd: cwd ?? place.root });
      if (located.where !== "invalid" && located.absolute !== undefined) found.add(located.absolute);
    }
  }
  return [...found];
}

function candidatesIn({ text, operand }: Mention): Iterable<string> {
  const candidates = new Set<string>();
  if (operand) candidates.add(text);
  for (const match of text.matchAll(pathLike)) {
    const run = match[0].replace(/\.+$/, "");
    if (run.includes("/") || run.includes(".")) candidates.add(run);
    // `-osrc/b/x` and `>src/b/x` are read without what stands before the path.
    const glued = /^-{1,2}[A-Za-z](?=[\w.]+\/)/.exec(run);
    if (glued !== null) candidates.add(run.slice(glued[0].length));
    if (candidates.size > candidatesMax) break;
  }
  return candidates;
}
