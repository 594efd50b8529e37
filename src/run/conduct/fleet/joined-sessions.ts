import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { ProcessIdentity } from "../../../core/leases/process-identity.ts";
import { replaceFile } from "../../../workspace/files/replace-file.ts";
import { identityOf, isAlive } from "../../../workspace/process/process-identity.ts";

/** A session that another process hands over to the current run. */
export interface JoinedSession {
  readonly session: string;
  /** The session's copy of the plan. */
  readonly file: string;
}

/** A session with the file that announced it: two processes can hand over the same session. */
export interface FoundSession extends JoinedSession {
  readonly by: string;
}

/** Hands a session over, until it is disposed of or this process ends. */
export function joinSession(stateFolder: string, { session, file }: JoinedSession): Disposable {
  const folder = join(stateFolder, "joined");
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const name = join(folder, `${session}.${process.pid}.json`);
  const self = identityOf(process.pid) ?? { pid: process.pid, startedAt: "", boot: "" };
  replaceFile(name, JSON.stringify({ session, file, ...self }));
  return { [Symbol.dispose]: () => rmSync(name, { force: true }) };
}

/** The sessions of processes that are still waiting. Removes the files of processes that have ended. */
export function joinedSessions(stateFolder: string): readonly FoundSession[] {
  const folder = join(stateFolder, "joined");
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => name.endsWith(".json"))
    .flatMap((name) => {
      const record = readRecord(join(folder, name));
      if (record !== undefined && isAlive(record))
        return [{ session: record.session, file: record.file, by: name }];
      rmSync(join(folder, name), { force: true });
      return [];
    });
}

function readRecord(path: string): (JoinedSession & ProcessIdentity) | undefined {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    // The file was removed meanwhile, or is incomplete after a power failure.
    if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}
