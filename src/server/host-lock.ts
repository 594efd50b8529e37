import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Connection } from "../ledger/sqlite/connection.ts";
import { StoreFault } from "../ledger/store-fault.ts";
import type { HostRole } from "./host-record.ts";

const pauseMs = 20;

/**
 * One host of a kind for a state folder, by whatever path it is reached. The kernel holds the lock and drops it with
 * the process: unlike a pid it needs no guess about who is dead, and it also holds between containers.
 */
export function takeHostLock(folder: string, role: HostRole): Disposable | undefined {
  return takeLock(join(folder, `${role}.lock`));
}

/** One process at a time opens a plan: of two that find no session for it, both would make one. */
export function waitForPlanLock(folder: string): Promise<Disposable> {
  return waitFor(join(folder, "plan.lock"));
}

/** One process at a time shows how a session stands: else an older view could take the place of a newer one. */
export function waitForStatusLock(folder: string): Promise<Disposable> {
  return waitFor(join(folder, "status.lock"));
}

async function waitFor(file: string): Promise<Disposable> {
  for (;;) {
    const lock = takeLock(file);
    if (lock !== undefined) return lock;
    await sleep(pauseMs);
  }
}

function takeLock(file: string): Disposable | undefined {
  const connection = new Connection(file);
  try {
    connection.execute("BEGIN EXCLUSIVE");
    return { [Symbol.dispose]: () => connection.close() };
  } catch (error) {
    connection.close();
    if (error instanceof StoreFault && error.kind === "busy") return undefined;
    throw error;
  }
}
