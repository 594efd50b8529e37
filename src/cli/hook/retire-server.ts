import { existsSync, readdirSync, rmdirSync, rmSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { boardFolder } from "../../board/access/links.ts";
import { hookFile, launchFile } from "../../guard/transport/launch-file.ts";
import { isStoreFault } from "../../ledger/store-fault.ts";
import { readHostRecord } from "../../server/host-record.ts";
import type { Project } from "../../workspace/files/find-project.ts";
import { isAlive } from "../../workspace/process/process-identity.ts";
import { isShownActive } from "../../workspace/state/active-file.ts";
import { httpAccessFile } from "../../workspace/state/http-access.ts";
import { stateFolder } from "../../workspace/state/state-folder.ts";
import { tidyActiveOf } from "../open/open-engine.ts";

const endMsMax = 3000;
const pauseMs = 20;

/**
 * Stops the hook server of a repository whose hooks were removed, and deletes the files that only hooks need. While
 * anything is active, everything is kept, because a running client continues to call its hooks. Returns what was kept.
 */
export async function retireServer(project: Project): Promise<readonly string[]> {
  const folder = stateFolder(project);
  if (!existsSync(folder)) return [];
  const again = "call `lockstep init --remove` again when `lockstep status` shows no work";
  const needed = await whyNeeded(project, folder);
  if (needed !== undefined) return [`${needed}, so the server keeps running for active clients: ${again}`];
  const server = readHostRecord(folder, "serve");
  if (server !== undefined && isAlive(server)) {
    process.kill(server.pid, "SIGTERM");
    const deadline = performance.now() + endMsMax;
    while (isAlive(server) && performance.now() < deadline) await sleep(pauseMs);
    if (isAlive(server)) return [`the server does not stop: end PID ${server.pid}, then ${again}`];
  }
  for (const file of [hookFile(folder), launchFile(folder), httpAccessFile(folder)])
    rmSync(file, { force: true });
  rmSync(boardFolder(folder), { recursive: true, force: true });
  if (readdirSync(folder).length === 0) rmdirSync(folder);
  return [];
}

async function whyNeeded(project: Project, folder: string): Promise<string | undefined> {
  if (!isShownActive(folder)) return undefined;
  try {
    await tidyActiveOf(project);
  } catch (error) {
    if (!isStoreFault(error)) throw error;
    return `Lockstep cannot tell whether work is active here (${error.message})`;
  }
  return isShownActive(folder) ? "work is active here" : undefined;
}
