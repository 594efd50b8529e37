import { readdirSync } from "node:fs";
import { join } from "node:path";
import { isAbsence } from "./appended-lines.ts";

/** The paths in a folder whose names are wanted; none if the folder does not exist. */
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
