import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { projectFile, replaceFile } from "../files/replace-file.ts";

const sourceName = "source.json";

/** The file that a session's plan was copied from, its digest at that time, and when the session was opened. */
export interface PlanSource {
  readonly path: string;
  readonly digest: string;
  readonly opened_at: string;
}

export function digestOf(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** Undefined if the session was not started from a plan. */
export function readPlanSource(folder: string): PlanSource | undefined {
  const file = join(folder, sourceName);
  if (!existsSync(file)) return undefined;
  try {
    const { path, digest, opened_at } = JSON.parse(readFileSync(file, "utf8"));
    return { path, digest, opened_at };
  } catch (cause) {
    throw new Error(`\`${file}\` cannot be read: delete it to give up its session`, { cause });
  }
}

export function writePlanSource(folder: string, source: PlanSource): void {
  replaceFile(join(folder, sourceName), `${JSON.stringify(source, null, 2)}\n`, projectFile);
}
