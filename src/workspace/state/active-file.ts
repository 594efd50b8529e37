import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { replaceFile } from "../files/replace-file.ts";

export const activeFileName = "active";

const sessionMs = 12 * 3600 * 1000;
/** An orchestrator's calls are many; the time is written anew only so often. */
const renewalMs = 10 * 60 * 1000;

/**
 * Says to hooks that cannot ask the warm process that something is active. It may be there though nothing is, which
 * errs on the closed side; it is never missing while something is.
 */
export function showActive(folder: string): void {
  if (!isShownActive(folder)) write(folder, 0);
}

/** An orchestrating agent's session was used: it counts as active for 12 hours. */
export function showOrchestrator(folder: string, nowMs: number): void {
  if (sessionEndMs(folder) < nowMs + sessionMs - renewalMs) write(folder, nowMs + sessionMs);
}

/** The session has ended, or was cleared; the file goes with the next tidying. */
export function forgetOrchestrator(folder: string): void {
  if (isShownActive(folder)) write(folder, 0);
}

export function isShownActive(folder: string): boolean {
  return existsSync(activeFile(folder));
}

/**
 * Takes the file away where nothing is active. Whoever becomes active shows it before and after it says so in the
 * ledger; here it is looked at once more after the removal. So of two that meet, one always puts it back.
 */
export async function tidyActive(
  folder: string,
  { nowMs, isActive }: { readonly nowMs: number; isActive(): Promise<boolean> },
): Promise<void> {
  if (!isShownActive(folder) || sessionEndMs(folder) > nowMs || (await isActive())) return;
  rmSync(activeFile(folder), { force: true });
  if (await isActive()) showActive(folder);
}

function sessionEndMs(folder: string): number {
  try {
    const [, time = ""] = /^orchestrator until (\S+)$/m.exec(readFileSync(activeFile(folder), "utf8")) ?? [];
    return Date.parse(time) || 0;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return 0;
    throw error;
  }
}

/** The words are for a person who finds it. */
function write(folder: string, untilMs: number): void {
  const session = untilMs === 0 ? "" : `orchestrator until ${new Date(untilMs).toISOString()}\n`;
  const text = `While this file is here, Lockstep's hooks refuse writes that they cannot ask about.
\`lockstep status\` removes it where nothing is active.
${session}`;
  replaceFile(activeFile(folder), text);
}

function activeFile(folder: string): string {
  return join(folder, activeFileName);
}
