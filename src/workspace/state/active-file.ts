import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { replaceFile } from "../files/replace-file.ts";

export const activeFileName = "active";

const sessionMs = 12 * 3600 * 1000;
/** An orchestrator makes many calls. Its end time is rewritten at most once in this period. */
const renewalMs = 10 * 60 * 1000;

/**
 * Creates the file that tells hooks without a warm process that a task or orchestrator is active. The file may exist
 * while nothing is active, which is safe: hooks then refuse more. It is never missing while something is active.
 */
export function showActive(folder: string): void {
  if (!isShownActive(folder)) write(folder, 0);
}

/** Records that an orchestrating agent's session was used. It counts as active for 12 hours. */
export function showOrchestrator(folder: string, nowMs: number): void {
  if (sessionEndMs(folder) < nowMs + sessionMs - renewalMs) write(folder, nowMs + sessionMs);
}

/** Records that the session has ended or was cleared. `tidyActive` removes the file later. */
export function forgetOrchestrator(folder: string): void {
  if (isShownActive(folder)) write(folder, 0);
}

export function isShownActive(folder: string): boolean {
  return existsSync(activeFile(folder));
}

/**
 * Removes the file if nothing is active. A process that becomes active creates the file before and after it writes to
 * the ledger, and this function checks the ledger again after the removal. So one of two concurrent processes always
 * creates the file again.
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

/** The text explains the file to a person who finds it. */
function write(folder: string, untilMs: number): void {
  const session = untilMs === 0 ? "" : `orchestrator until ${new Date(untilMs).toISOString()}\n`;
  const text = `While this file exists, Lockstep's hooks refuse writes when they cannot reach the Lockstep server.
\`lockstep status\` removes it if nothing is active.
${session}`;
  replaceFile(activeFile(folder), text);
}

function activeFile(folder: string): string {
  return join(folder, activeFileName);
}
