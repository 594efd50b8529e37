import { isObject } from "../values/fields.ts";
import type { PointName } from "./points.ts";

/** The field that the ledger fills in if a payload omits it. A value in the payload takes precedence. */
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
