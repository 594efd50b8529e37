import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { projectFile, replaceFile } from "../files/replace-file.ts";

const sourceName = "source.json";

/** Where a session's plan came from, how it read when it was taken in, and when the session was opened. */
export interface PlanSource {
  readonly path: string;
  readonly digest: string;
  readonly opened_at: string;
}

export function digestOf(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** Undefined where a session was started in another way. */
export function readPlanSource(folder: string): PlanSource | undefined {
  const file = join(folder, sourceName);
  if (!existsSync(file)) return undefined;
  try {
    const { path, digest, opened_at } = JSON.parse(readFileSync(file, "utf8"));
    return { path, digest, opened_at };
  } catch (cause) {
    throw new Error(`\`${file}\` cannot be read: delete it, and nothing goes on with its session`, { cause });
  }
}

export function writePlanSource(folder: string, source: PlanSource): void {
  replaceFile(join(folder, sourceName), `${JSON.stringify(source, null, 2)}\n`, projectFile);
}
