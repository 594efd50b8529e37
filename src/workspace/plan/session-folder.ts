import { mkdirSync, readdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { latinWords } from "../../core/names/latin-words.ts";

export const sessionsFolder = ".agents-work";
export const copyName = "tasks.yaml";

const sessionForm = /^\d{4}-\d{2}-\d{2}_[a-z0-9][a-z0-9-]*$/;
const slugLengthMax = 40;
const sessionsPerNameMax = 1000;

/** The session whose copy of a plan a file is, by its path. */
export function sessionOfCopy(file: string): string | undefined {
  const session = basename(dirname(file));
  const isCopy = basename(file) === copyName && basename(dirname(dirname(file))) === sessionsFolder;
  return isCopy && sessionForm.test(session) ? session : undefined;
}

/** The sessions of a project, the newest day first; of one day and name, the highest number first. */
export function sessionsAt(root: string): readonly string[] {
  const byNumber = new Intl.Collator("en", { numeric: true }).compare;
  return namesIn(join(root, sessionsFolder))
    .filter((name) => sessionForm.test(name))
    .sort((one, other) => byNumber(other, one));
}

/** Makes the folder of a new session: the day and what it is about, with a number where that is taken. */
export function makeSessionFolder(
  root: string,
  { about, now, taken }: { about: string; now: Date; taken: ReadonlySet<string> },
): string {
  const name = `${now.toISOString().slice(0, 10)}_${slugOf(about)}`;
  mkdirSync(join(root, sessionsFolder), { recursive: true });
  for (let number = 1; number <= sessionsPerNameMax; number += 1) {
    const session = number === 1 ? name : `${name}-${number}`;
    if (!taken.has(session) && makeNew(join(root, sessionsFolder, session))) return session;
  }
  throw new Error(`there are ${sessionsPerNameMax} sessions called \`${name}\`: name the project otherwise`);
}

function slugOf(about: string): string {
  return latinWords(about).join("-").slice(0, slugLengthMax).replace(/-$/, "") || "plan";
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
