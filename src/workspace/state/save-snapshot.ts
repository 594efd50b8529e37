import { closeSync, existsSync, fsyncSync, openSync, renameSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Saved, Snapshot } from "../../core/points/ports.ts";
import { maskDocument } from "../../core/secrets/mask-document.ts";
import type { Project } from "../files/find-project.ts";
import { syncFolder } from "../files/replace-file.ts";
import { openStateSubfolder } from "./state-folder.ts";

const attemptsMax = 1000;
const nameLengthMax = 80;

/** Writes a snapshot to the state folder, which `git clean` does not touch. Never overwrites a file. */
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
      path: writeNew(
        openStateSubfolder(project, "snapshots"),
        `${fileName(document.session)}-${time}`,
        JSON.stringify(document),
      ),
    };
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
}

function fileName(session: unknown): string {
  const name = typeof session === "string" ? session : "no-session";
  return name.replace(/[^A-Za-z0-9._-]/g, "_").slice(0, nameLengthMax);
}

/** The process that creates the temporary file owns the number. The number is free if its file does not exist then. */
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
    syncFolder(folder);
    return path;
  }
  throw new Error(`\`${folder}\` already has ${attemptsMax} snapshots from this second: try again`);
}

function openNew(path: string): number | undefined {
  try {
    return openSync(path, "wx", 0o600);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return undefined;
    throw error;
  }
}
