import { readFileSync } from "node:fs";

const ancestorsMax = 1000;

/** The parent of a process, its parent and so on. Linux only: elsewhere nothing is known of them. */
export function ancestorsOf(pid: number): readonly number[] {
  const found: number[] = [];
  for (let at = parentOf(pid); at > 0 && found.length < ancestorsMax; at = parentOf(at)) found.push(at);
  return found;
}

/** 0 where there is none, or none that can be seen. */
function parentOf(pid: number): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name before it stands in parentheses, and anything can stand in it.
    return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1] ?? 0);
  } catch {
    return 0;
  }
}
