import { isAlive } from "../workspace/process/process-identity.ts";
import { readHostRecord } from "./host-record.ts";

/** A run or a start holds its host open; the warm process alone is nothing that has to be guarded. */
export function isRunAlive(folder: string): boolean {
  const record = readHostRecord(folder, "host");
  return record !== undefined && isAlive(record);
}
