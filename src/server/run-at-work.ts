import { isAlive } from "../workspace/process/process-identity.ts";
import { type HostRecord, readHostRecord } from "./host-record.ts";

/** The process that is running tasks of this repository, if any. */
export function runAtWork(stateFolder: string): HostRecord | undefined {
  const record = readHostRecord(stateFolder);
  return record?.walls !== undefined && isAlive(record) ? record : undefined;
}
