import { isAlive } from "../workspace/process/process-identity.ts";
import { readHostRecord } from "./host-record.ts";

/** True while a run holds its host open. The server alone needs no guarding. */
export function isRunAlive(folder: string): boolean {
  const record = readHostRecord(folder, "host");
  return record !== undefined && isAlive(record);
}
