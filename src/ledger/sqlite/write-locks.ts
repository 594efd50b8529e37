import { InvariantBroken } from "../invariant-broken.ts";
import type { Change } from "../ledger.ts";
import { prefixesOf } from "../lock-prefixes.ts";
import { assertStorable } from "../storable.ts";
import type { Connection } from "./connection.ts";
import { readMeta, writeMeta } from "./meta.ts";
import { readLocks, type StoredLock } from "./read-locks.ts";
import { insertSealed, nextKey, updateSealed } from "./sealed-rows.ts";

export function releaseLocks(connection: Connection, { tasks, at }: NonNullable<Change["release"]>): void {
  for (const { id, ...lock } of tasks.flatMap((task) => readLocks(connection, { task, active: true }))) {
    const released: StoredLock = { ...lock, active: false, releasedAt: at };
    updateSealed(connection, "locks", { key: id, body: JSON.stringify(released) });
    for (const prefix of prefixesOf(lock))
      connection.run("DELETE FROM lock_prefixes WHERE prefix = ? AND lock = ?", prefix, id);
  }
}

/** INV-1: the caller found no overlap at `expect.fence`, so no lock may have been taken since. */
export function takeLocks(connection: Connection, { take = [], expect }: Change): void {
  if (take.length === 0) return;
  if (expect?.fence === undefined)
    throw new InvariantBroken("INV-1: locks are taken without the fence at which their overlap was checked");
  const first = nextKey(connection, "locks");
  take.forEach((lock, index) => {
    if (lock.kind === "resource") assertStorable(lock.resource);
    const key = first + index;
    const taken: StoredLock = { ...lock, active: true, releasedAt: null };
    insertSealed(connection, "locks", { key, body: JSON.stringify(taken) });
    for (const prefix of prefixesOf(lock))
      connection.run("INSERT INTO lock_prefixes (prefix, lock) VALUES (?, ?)", prefix, key);
  });
  writeMeta(connection, "fence", readMeta(connection, "fence") + 1);
}
