import { mkdirSync, readdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { copyName, sessionsFolder } from "../../core/names/session-paths.ts";
import { sessionName } from "../../core/names/slugs.ts";
import { isSessionName } from "../../core/names/task-name.ts";
import { compareNames } from "../../core/text/compare-names.ts";

const sessionsPerNameMax = 1000;

/** The session of a plan copy, from its path; undefined if the file is not a session's copy. */
export function sessionOfCopy(file: string): string | undefined {
  const session = basename(dirname(file));
  const isCopy = basename(file) === copyName && basename(dirname(dirname(file))) === sessionsFolder;
  return isCopy && isSessionName(session) ? session : undefined;
}

/** The sessions of a project, the newest day first; for the same day and name, the highest number first. */
export function sessionsAt(root: string): readonly string[] {
  return namesIn(join(root, sessionsFolder))
    .filter(isSessionName)
    .sort((one, other) => compareNames(other, one));
}

/** Creates the folder of a new session. Its name is the day and the subject, plus a number if that name is taken. */
export function makeSessionFolder(
  root: string,
  { about, now, taken }: { about: string; now: Date; taken: ReadonlySet<string> },
): string {
  mkdirSync(join(root, sessionsFolder), { recursive: true });
  for (let number = 1; number <= sessionsPerNameMax; number += 1) {
    const session = sessionName(now, about, number);
    if (!taken.has(session) && makeNew(join(root, sessionsFolder, session))) return session;
  }
  const name = sessionName(now, about, 1);
  throw new Error(
    `there are already ${sessionsPerNameMax} sessions called \`${name}\`: give the project another name`,
  );
}

function makeNew(folder: string): boolean {
  try {
    mkdirSync(folder);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}
