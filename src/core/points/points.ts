import type { Rule } from "../rules/rule.ts";
import type { Details } from "../rules/verdict.ts";
import type { Ports } from "./ports.ts";

/** The eight hook points. Names are case-sensitive. */
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

/** The exports of each point's module. The rules are in order of precedence. */
export interface Point<Facts> {
  readonly rules: readonly Rule<Facts>[];
  factsOf(payload: unknown, ports: Ports): Facts;
  /** The details of an allow. */
  allowDetails?(facts: Facts): Details | Promise<Details>;
}
