import { copyFileSync, existsSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { copyName, sessionsFolder } from "./session-folder.ts";

const files = [copyName, "source.json"];

/** The plan of a session, where `git clean` does not reach it. */
export function backUpSession(stateFolder: string, root: string, session: string): void {
  const to = join(stateFolder, "sessions", session);
  mkdirSync(to, { recursive: true, mode: 0o700 });
  copyAll(join(root, sessionsFolder, session), to);
}

/** Puts back the plans of sessions whose folder somebody has removed: the ledger goes on with them. */
export function restoreSessions(stateFolder: string, root: string): void {
  const kept = join(stateFolder, "sessions");
  for (const session of existsSync(kept) ? readdirSync(kept) : []) {
    const folder = join(root, sessionsFolder, session);
    if (existsSync(join(folder, copyName))) continue;
    mkdirSync(folder, { recursive: true });
    copyAll(join(kept, session), folder);
  }
}

function copyAll(from: string, to: string): void {
  for (const name of files) if (existsSync(join(from, name))) copyFileSync(join(from, name), join(to, name));
}
