import type { SeenProcess } from "./process-ancestors.ts";

/**
 * The topmost process of an orphaned process tree without a terminal; undefined if the process is not orphaned. Below
 * services and the processes that they start, the topmost process is not a shell.
 */
export function orphanTop(lineage: readonly SeenProcess[]): SeenProcess | undefined {
  const [self] = lineage;
  if (self?.hasTerminal !== false) return undefined;
  const top = lineage[lineage.findIndex(isReaper) - 1];
  return top === self || (top !== undefined && shells.test(programOf(top))) ? top : undefined;
}

/** True for a process that adopts orphans. In a container, pid 1 may also be the script that the user runs. */
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
