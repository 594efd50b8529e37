import { existsSync } from "node:fs";
import { readHostRecord } from "../../server/host-record.ts";
import { currentFolder, findProject } from "../../workspace/files/find-project.ts";
import { isAlive } from "../../workspace/process/process-identity.ts";
import { stateFolder } from "../../workspace/state/state-folder.ts";

export interface ServerStatus {
  readonly pid: number;
  /** Null if it answers only on its socket. */
  readonly port: number | null;
}

/** The hook server of this project, if it is running. Not visible inside the sandbox. */
export function serverStatus(): ServerStatus | null {
  if (process.env.LOCKSTEP_SOCKET) return null;
  const folder = stateFolder(findProject(currentFolder()));
  const record = existsSync(folder) ? readHostRecord(folder, "serve") : undefined;
  return record !== undefined && isAlive(record) ? { pid: record.pid, port: record.port ?? null } : null;
}

export function serverLine({ pid, port }: ServerStatus): string {
  return `the hook server is running: PID ${pid}${port === null ? ", without HTTP because its port is taken" : ""}`;
}
