import type { Rule } from "../rules/rule.ts";
import type { Details } from "../rules/verdict.ts";
import type { Ports } from "./ports.ts";

/** The eight hook points; names are exact. */
export const pointNames = [
  "PreDispatch",
  "PreExecution",
  "PreWrite",
  "PostExecution",
  "PreComplete",
  "OnLockUpdate",
  "WatchdogTick",
  "PreCompact",
] as const;

export type PointName = (typeof pointNames)[number];

export function isPointName(name: string): name is PointName {
  return (pointNames as readonly string[]).includes(name);
}

/** What each point's file exports: how its payload is read, and its rules in order of precedence. */
export interface Point<Facts> {
  readonly rules: readonly Rule<Facts>[];
  factsOf(payload: unknown, ports: Ports): Facts;
  /** What an allow says beyond the fixed words. */
  allowDetails?(facts: Facts): Details | Promise<Details>;
}
