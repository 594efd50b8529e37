import type { Objection } from "../../../src/core/shell/judge-command.ts";
import type { ShellAnalysis } from "../../../src/core/shell/types.ts";

/** A command, the judgement of the guard, and its changes. */
export interface Executed {
  readonly command: string;
  readonly analysis: ShellAnalysis;
  readonly objections: readonly Objection[];
  /** The changes outside the lock; undefined for an opaque command, which is not executed. */
  readonly changed?: readonly string[];
  readonly tookTooLong: boolean;
}

export function isLetThrough({ objections, changed }: Executed): boolean {
  return objections.length === 0 && changed !== undefined;
}

/** Allowed, and changed something outside the lock. */
export function isViolation(executed: Executed): boolean {
  return isLetThrough(executed) && (executed.changed ?? []).length > 0;
}

/** Refused without a forbidden change: perhaps by chance, perhaps refused without need. */
export function isWithoutEffect({ objections, changed, tookTooLong }: Executed): boolean {
  return objections.length > 0 && changed?.length === 0 && !tookTooLong;
}
