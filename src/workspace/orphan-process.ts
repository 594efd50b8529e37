import type { SeenProcess } from "./process-ancestors.ts";

/**
 * Of a process that its parent has left behind without a terminal, the oldest that was left with it; undefined where
 * somebody is above it. Services and what they start have a program of their own at the top.
 */
export function orphanTop(lineage: readonly SeenProcess[]): SeenProcess | undefined {
  const [self] = lineage;
  if (self?.hasTerminal !== false) return undefined;
  const top = lineage[lineage.findIndex(isReaper) - 1];
  return top === self || looseEnds.test(top?.words[0] ?? "") ? top : undefined;
}

/** Takes in processes whose parent has ended. */
function isReaper({ pid, words }: SeenProcess): boolean {
  return pid === 1 || /(?:^|\/)(?:systemd|init)$/.test(words[0] ?? "");
}

/** What a shell leaves behind. */
const looseEnds = /(?:^|\/)-?(?:(?:ba|da|z|fi|k|a)?sh|env|setsid|nohup|timeout)$/;
