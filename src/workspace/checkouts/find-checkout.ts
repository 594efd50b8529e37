import { existsSync } from "node:fs";
import type { AttemptName } from "../../core/names/ref-names.ts";
import { type Checkout, readRecord, slotOf } from "./checkout.ts";

/** A task's existing checkout, without opening it; undefined if there is none. */
export function findCheckout(commonFolder: string, name: AttemptName): Checkout | undefined {
  const record = readRecord(commonFolder, slotOf(commonFolder, name));
  return record === undefined || !existsSync(record.folder) ? undefined : { ...record, ...name };
}
