import type { Decision } from "../ledger/ledger.ts";

/** `UD-1`, `UD-2` … */
export function nextDecisionId(all: readonly Decision[]): string {
  return `UD-${1 + Math.max(0, ...all.map(({ id }) => Number(/^UD-(\d+)$/.exec(id)?.[1] ?? 0)))}`;
}
