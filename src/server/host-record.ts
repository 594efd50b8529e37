import { readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import type { ProcessIdentity } from "../core/leases/process-identity.ts";
import { readJson } from "../core/text/read-json.ts";
import { field } from "../core/values/fields.ts";
import { replaceFile } from "../workspace/files/replace-file.ts";

/** `host`: a run, for its agents. `serve`: the server, for the hooks of people's clients. */
export type HostRole = "host" | "serve";

/** The record by which other processes find a host. */
export interface HostRecord extends ProcessIdentity {
  /** Its socket, which is in another folder if the state folder's path is too long for a socket. */
  readonly socket: string;
  /** The isolation of a run's agents; absent for the server. */
  readonly walls?: { readonly sandbox: boolean };
  /** The port on which it answers HTTP, if it does. */
  readonly port?: number;
}

/** Undefined if it is missing, or if it was copied together with the folder and belongs to another one. */
export function readHostRecord(folder: string, role: HostRole = "host"): HostRecord | undefined {
  const document = readJson(readIfThere(fileIn(folder, role)));
  if (document === undefined || field(document, "folder") !== keyOf(folder)) return undefined;
  const [pid, startedAt, boot, socket] = ["pid", "startedAt", "boot", "socket"].map((name) =>
    field(document, name),
  );
  if (typeof pid !== "number" || typeof startedAt !== "string") return undefined;
  if (typeof boot !== "string" || typeof socket !== "string") return undefined;
  const sandbox = field(field(document, "walls"), "sandbox");
  const port = field(document, "port");
  return {
    ...{ pid, startedAt, boot, socket },
    ...(typeof sandbox === "boolean" ? { walls: { sandbox } } : {}),
    ...(typeof port === "number" ? { port } : {}),
  };
}

/** Written atomically, because other processes read it at any time. */
export function writeHostRecord(folder: string, role: HostRole, record: HostRecord): void {
  replaceFile(fileIn(folder, role), `${JSON.stringify({ ...record, folder: keyOf(folder) })}\n`);
}

export function removeHostRecord(folder: string, role: HostRole): void {
  rmSync(fileIn(folder, role), { force: true });
}

function fileIn(folder: string, role: HostRole): string {
  return join(folder, `${role}.json`);
}

function keyOf(folder: string): string {
  const { dev, ino } = statSync(folder, { bigint: true });
  return `${dev} ${ino}`;
}

function readIfThere(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return "";
    throw error;
  }
}
