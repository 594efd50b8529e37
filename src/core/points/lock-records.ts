import { type Entry, isGlob, readEntry } from "../paths/entry.ts";
import { quoted } from "../text/quoted.ts";
import { field, isObject, isText } from "../values/fields.ts";
import type { Ports } from "./ports.ts";

type WorldPorts = Pick<Ports, "place" | "disk">;

export interface Lock {
  readonly taskId: string;
  readonly entry: Entry;
  readonly active: boolean;
}

export type LocksReading =
  | { readonly locks: readonly Lock[] }
  | { readonly error: string; readonly index?: number };

/** Globs are compared pairwise; more than this would take longer than a hook may. */
const globLocksMax = 1000;

/** Reads a whole lock table. `name` is its name in error messages. */
export function readLocks(value: unknown, name: string, world: WorldPorts): LocksReading {
  if (!Array.isArray(value)) return { error: `\`${name}\` is not a list of lock records` };
  const locks: Lock[] = [];
  let globs = 0;
  for (const [index, record] of value.entries()) {
    const lock = readLock(record, world);
    if (typeof lock === "string") return { error: `record ${index} of \`${name}\` ${lock}`, index };
    locks.push(lock);
    if (lock.active && isGlob(lock.entry)) globs += 1;
    if (globs > globLocksMax)
      return { error: `\`${name}\` has more than ${globLocksMax} active globs`, index };
  }
  return { locks };
}

function readLock(record: unknown, { place, disk }: WorldPorts): Lock | string {
  if (!isObject(record)) return "is not an object";
  const taskId = field(record, "task_id");
  const resource = field(record, "resource");
  const active = field(record, "active");
  if (!isText(taskId)) return "has no usable `task_id`: it must be a non-blank string";
  if (typeof resource !== "string") return "has no usable `resource`: it must be a path";
  const read = readEntry(resource, place, disk);
  if ("error" in read) return `has the resource ${quoted(resource)}: ${read.error}`;
  if (typeof active !== "boolean") return "has no usable `active`: it must be true or false, not a string";
  return { taskId, entry: read.entry, active };
}
