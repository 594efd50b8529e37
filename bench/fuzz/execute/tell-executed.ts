import type { Objection } from "../../../src/core/shell/judge-command.ts";
import type { ShellAnalysis } from "../../../src/core/shell/types.ts";

/** A command, what the guard says of it, and what it did. */
export interface Executed {
  readonly command: string;
  readonly analysis: ShellAnalysis;
  readonly objections: readonly Objection[];
  /** What changed outside of the lock; undefined for an opaque command, which is not run. */
  readonly changed?: readonly string[];
  readonly tookTooLong: boolean;
}

export function isLetThrough({ objections, changed }: Executed): boolean {
  return objections.length === 0 && changed !== undefined;
}

/** Let through, and changed something that the lock does not hold. */
export function isViolation(executed: Executed): boolean {
  return isLetThrough(executed) && (executed.changed ?? []).length > 0;
}

/** Refused, and changed nothing that it may not: perhaps by chance, perhaps refused for nothing. */
export function isWithoutEffect({ objections, changed, tookTooLong }: Executed): boolean {
  return objections.length > 0 && changed?.length === 0 && !tookTooLong;
}
