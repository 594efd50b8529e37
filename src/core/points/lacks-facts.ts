import { isObject } from "../values/fields.ts";
import type { PointName } from "./points.ts";

/** The facts that a ledger can give where a payload leaves them out. What the payload says counts alone. */
const factOf: Readonly<Partial<Record<PointName, string>>> = {
  PreDispatch: "active_locks",
  PreExecution: "active_locks",
  OnLockUpdate: "locks",
  WatchdogTick: "tasks",
  PreCompact: "snapshot",
};

export function lacksFacts(point: PointName, document: unknown): boolean {
  const name = factOf[point];
  return name !== undefined && isObject(document) && !Object.hasOwn(document, name);
}
