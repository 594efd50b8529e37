import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Ends } from "../../core/loops/budgets.ts";
import { projectFile, replaceFile } from "../files/replace-file.ts";

export const limitsName = "limits.json";

/** What a person gave the tasks of a session with `--tokens` and `--minutes`; nothing where they gave none. */
export function readSessionLimits(folder: string): Ends {
  const file = join(folder, limitsName);
  if (!existsSync(file)) return {};
  try {
    const { tokens, minutes } = JSON.parse(readFileSync(file, "utf8"));
    return { ...(isAmount(tokens) ? { tokens } : {}), ...(isAmount(minutes) ? { minutes } : {}) };
  } catch (cause) {
    throw new Error(`\`${file}\` cannot be read: delete it, and the configured limits hold again`, { cause });
  }
}

/** They hold in every later run of the session too, until others are given. */
export function keepSessionLimits(folder: string, given: Ends): void {
  if (given.tokens === undefined && given.minutes === undefined) return;
  const kept = { ...readSessionLimits(folder), ...given };
  replaceFile(join(folder, limitsName), `${JSON.stringify(kept, null, 2)}\n`, projectFile);
}

function isAmount(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value) && value > 0;
}
