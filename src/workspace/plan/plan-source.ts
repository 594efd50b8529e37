import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { projectFile, replaceFile } from "../files/replace-file.ts";

const sourceName = "source.json";

/** The file that a session's plan was copied from, its digest at that time, and when and where the session was opened. */
export interface PlanSource {
  readonly path: string;
  readonly digest: string;
  readonly opened_at: string;
  /** The branch that its work is merged into; sessions of older versions do not name it. */
  readonly base?: string;
}

export function digestOf(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** Undefined if the session was not started from a plan. */
export function readPlanSource(folder: string): PlanSource | undefined {
  const file = join(folder, sourceName);
  if (!existsSync(file)) return undefined;
  try {
    const { path, digest, opened_at, base } = JSON.parse(readFileSync(file, "utf8"));
    return { path, digest, opened_at, ...(typeof base === "string" ? { base } : {}) };
  } catch (cause) {
    throw new Error(`\`${file}\` cannot be read: delete it to give up its session`, { cause });
  }
}

export function writePlanSource(folder: string, source: PlanSource): void {
  replaceFile(join(folder, sourceName), `${JSON.stringify(source, null, 2)}\n`, projectFile);
}
