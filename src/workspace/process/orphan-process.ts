import type { SeenProcess } from "./process-ancestors.ts";

/**
 * Of a process that its parent has left behind without a terminal, the oldest that was left with it; undefined where
 * somebody is above it. Services, and what they start, have a program of their own at the top.
 */
export function orphanTop(lineage: readonly SeenProcess[]): SeenProcess | undefined {
  const [self] = lineage;
  if (self?.hasTerminal !== false) return undefined;
  const top = lineage[lineage.findIndex(isReaper) - 1];
  return top === self || (top !== undefined && shells.test(programOf(top))) ? top : undefined;
}

/** Takes in processes whose parent has ended. In a container the first one may be the script that a person runs. */
function isReaper(seen: SeenProcess): boolean {
  const program = programOf(seen);
  if (/^(?:systemd|init)$/.test(program)) return true;
  return seen.pid === 1 && !shells.test(program) && !interpreters.test(program);
}

function programOf({ words: [program = ""] }: SeenProcess): string {
  return program.slice(program.lastIndexOf("/") + 1);
}

const shells = /^-?(?:(?:ba|da|z|fi|k|a)?sh|env|setsid|nohup|timeout)$/;
const interpreters = /^(?:node|bun|deno|python[\d.]*|ruby|perl)$/;
