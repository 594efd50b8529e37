import {
  closeSync,
  constants,
  existsSync,
  fchmodSync,
  fsyncSync,
  mkdirSync,
  openSync,
  renameSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import type { Saved, Snapshot } from "../core/points/ports.ts";
import type { Project } from "./find-project.ts";
import { maskDocument } from "./mask-document.ts";

const attemptsMax = 1000;
const nameLengthMax = 80;

/** Writes a snapshot where `git clean` does not reach it. Nothing is ever overwritten. */
export async function saveSnapshot(
  project: Project,
  { session, snapshot, at }: { session: string | undefined; snapshot: Snapshot; at: Date },
): Promise<Saved> {
  try {
    const document = await maskDocument({
      session: session ?? null,
      taken_at: at.toISOString(),
      ...snapshot,
    });
    const time = at.toISOString().replace(/[-:]|\.\d+/g, "");
    return {
      path: writeNew(openFolder(project), `${fileName(document.session)}-${time}`, JSON.stringify(document)),
    };
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
}

function fileName(session: unknown): string {
  const name = typeof session === "string" ? session : "no-session";
  return name.replace(/[^A-Za-z0-9._-]/g, "_").slice(0, nameLengthMax);
}

/** Creates what is missing, and refuses a link in place of any folder of ours. */
function openFolder({ place, commonFolder }: Project): string {
  const steps = commonFolder === undefined ? [".lockstep", "state", "snapshots"] : ["lockstep", "snapshots"];
  let folder = commonFolder ?? place.root;
  if (!existsSync(folder)) throw new Error(`the git folder ${folder} does not exist`);
  for (const step of steps) {
    folder = join(folder, step);
    if (!existsSync(folder)) mkdirSync(folder, { recursive: true, mode: 0o700 });
    withFolder(folder, (descriptor) => {
      if (step === "snapshots") fchmodSync(descriptor, 0o700);
    });
  }
  return folder;
}

function withFolder(folder: string, use: (descriptor: number) => void): void {
  const descriptor = openRealFolder(folder);
  try {
    use(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function openRealFolder(folder: string): number {
  const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = constants;
  try {
    return openSync(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code !== "ENOTDIR" && code !== "ELOOP") throw cause;
    throw new Error(`\`${folder}\` is a link or a file where a folder of lockstep's belongs`, { cause });
  }
}

/** Who creates the temporary file owns the number: it is free if the file of that number is not there then. */
function writeNew(folder: string, name: string, text: string): string {
  for (let number = 1; number <= attemptsMax; number += 1) {
    const path = join(folder, `${name}-${number}.json`);
    const temporary = `${path}.tmp`;
    const descriptor = openNew(temporary);
    if (descriptor === undefined) continue;
    try {
      if (existsSync(path)) continue;
      writeFileSync(descriptor, text);
      fsyncSync(descriptor);
      renameSync(temporary, path);
    } finally {
      closeSync(descriptor);
      if (existsSync(temporary)) unlinkSync(temporary);
    }
    withFolder(folder, fsyncSync);
    return path;
  }
  throw new Error(`\`${folder}\` already has ${attemptsMax} snapshots of that second`);
}

function openNew(path: string): number | undefined {
  try {
    return openSync(path, "wx", 0o600);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return undefined;
    throw error;
  }
}
