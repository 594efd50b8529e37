import { readdirSync } from "node:fs";
import { join } from "node:path";
import { isAbsence } from "./appended-lines.ts";

/** What lies in a folder under a name that is wanted; nothing where there is no such folder. */
export function pathsIn(folder: string, isWanted: (name: string) => boolean): readonly string[] {
  try {
    return readdirSync(folder)
      .filter(isWanted)
      .map((name) => join(folder, name));
  } catch (error) {
    if (isAbsence(error)) return [];
    throw error;
  }
}
