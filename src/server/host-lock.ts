import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Connection } from "../ledger/sqlite/connection.ts";
import { StoreFault } from "../ledger/store-fault.ts";
import type { HostRole } from "./host-record.ts";

const pauseMs = 20;

/**
 * One host per role for a state folder, whatever path leads to it. The kernel holds the lock and releases it with the
 * process. Unlike a pid file it needs no guess whether the owner is dead, and it also works between containers.
 */
export function takeHostLock(folder: string, role: HostRole): Disposable | undefined {
  return takeLock(join(folder, `${role}.lock`));
}

/**
 * Only one process at a time opens a plan. Otherwise two processes that find no session for it would both create one.
 */
export function waitForPlanLock(folder: string): Promise<Disposable> {
  return waitFor(join(folder, "plan.lock"));
}

/** Only one process at a time publishes a session's status. Otherwise an older view could replace a newer one. */
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
