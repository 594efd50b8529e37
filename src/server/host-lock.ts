import { join } from "node:path";
import { Connection } from "../ledger/sqlite/connection.ts";
import { StoreFault } from "../ledger/store-fault.ts";

/**
 * One host for a state folder, by whatever path it is reached. The kernel holds the lock and drops it with the
 * process: unlike a pid it needs no guess about who is dead, and it also holds between containers.
 */
export function takeHostLock(folder: string): Disposable | undefined {
  const connection = new Connection(join(folder, "host.lock"));
  try {
    connection.execute("BEGIN EXCLUSIVE");
    return { [Symbol.dispose]: () => connection.close() };
  } catch (error) {
    connection.close();
    if (error instanceof StoreFault && error.kind === "busy") return undefined;
    throw error;
  }
}
