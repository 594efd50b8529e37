import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Ends } from "../../core/loops/budgets.ts";
import { projectFile, replaceFile } from "../files/replace-file.ts";

export const limitsName = "limits.json";

/** The limits that the user set for a session with `--tokens` and `--minutes`. */
export function readSessionLimits(folder: string): Ends {
  const file = join(folder, limitsName);
  if (!existsSync(file)) return {};
  try {
    const { tokens, minutes } = JSON.parse(readFileSync(file, "utf8"));
    return { ...(isAmount(tokens) ? { tokens } : {}), ...(isAmount(minutes) ? { minutes } : {}) };
  } catch (cause) {
    throw new Error(`\`${file}\` cannot be read: delete it to use the configured limits again`, { cause });
  }
}

/** Keeps the limits for all later runs of the session, until new ones are given. */
export function keepSessionLimits(folder: string, given: Ends): void {
  if (given.tokens === undefined && given.minutes === undefined) return;
  const kept = { ...readSessionLimits(folder), ...given };
  replaceFile(join(folder, limitsName), `${JSON.stringify(kept, null, 2)}\n`, projectFile);
}

function isAmount(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value) && value > 0;
}
