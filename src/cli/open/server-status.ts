import { existsSync } from "node:fs";
import { readHostRecord } from "../../server/host-record.ts";
import { currentFolder, findProject } from "../../workspace/files/find-project.ts";
import { isAlive } from "../../workspace/process/process-identity.ts";
import { stateFolder } from "../../workspace/state/state-folder.ts";

export interface ServerStatus {
  readonly pid: number;
  /** Null where it answers on its socket alone. */
  readonly port: number | null;
}

/** The warm process of this project, if it runs. Inside the sandbox nobody can see it. */
export function serverStatus(): ServerStatus | null {
  if (process.env.LOCKSTEP_SOCKET) return null;
  const folder = stateFolder(findProject(currentFolder()));
  const record = existsSync(folder) ? readHostRecord(folder, "serve") : undefined;
  return record !== undefined && isAlive(record) ? { pid: record.pid, port: record.port ?? null } : null;
}

export function serverLine({ pid, port }: ServerStatus): string {
  return `the server answers hooks: pid ${pid}${port === null ? ", not over HTTP: its port is taken" : ""}`;
}
