import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { ProcessIdentity } from "../../core/leases/process-identity.ts";
import { replaceFile } from "../../workspace/files/replace-file.ts";
import { identityOf, isAlive } from "../../workspace/process/process-identity.ts";

/** A session that another process wants done by the run that goes on. */
export interface JoinedSession {
  readonly session: string;
  /** Its copy of the plan. */
  readonly file: string;
}

/** As it is found: two processes may want the same session, each having read its plan anew. */
export interface FoundSession extends JoinedSession {
  readonly by: string;
}

/** As long as it is not disposed of, and its process lives, the session counts as joined. */
export function joinSession(stateFolder: string, { session, file }: JoinedSession): Disposable {
  const folder = join(stateFolder, "joined");
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const name = join(folder, `${session}.${process.pid}.json`);
  const self = identityOf(process.pid) ?? { pid: process.pid, startedAt: "", boot: "" };
  replaceFile(name, JSON.stringify({ session, file, ...self }));
  return { [Symbol.dispose]: () => rmSync(name, { force: true }) };
}

/** Those whose process still waits for them; what dead ones left is removed. */
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
    // Its process has left meanwhile, or a disk that lost power holds half of it.
    if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}
