import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { sessionsFolder } from "../../core/names/session-paths.ts";
import { type Deny, deny } from "../../core/rules/verdict.ts";
import { judgeStatusDocument } from "../../core/session/judge-status.ts";
import { statusDocument } from "../../core/session/status-document.ts";
import { readJson } from "../../core/text/read-json.ts";
import { system } from "../../engine/change/door.ts";
import type { Engine } from "../../engine/change/engine.ts";
import { sessionDecisions } from "../../engine/decisions/session-decisions.ts";
import { moveSession, unknownSession } from "../../engine/sessions/move-session.ts";
import { waitForStatusLock } from "../../server/host-lock.ts";
import { findProject } from "../../workspace/files/find-project.ts";
import { makePlainFolder } from "../../workspace/files/plain-folder.ts";
import { projectFile, replaceFile } from "../../workspace/files/replace-file.ts";
import { restoreFiles } from "../../workspace/plan/session-backup.ts";
import { appendToMemory } from "../../workspace/state/append-to-memory.ts";
import { openStateFolder } from "../../workspace/state/state-folder.ts";

/** Retries after the first write (A4-2). */
const retriesMax = 3;
const pauseMs = 50;

const statusName = "status.json";
const historyName = "approve-design-history.jsonl";

interface Publishing {
  readonly root: string;
  readonly session: string;
  /** Writes the file. */
  readonly write?: typeof replaceFile;
}

/**
 * Writes the state of a session from the ledger to its status.json. One process at a time, so that the newest
 * state is written last. If the file cannot be written, the session is blocked at once (S4-110), by any process.
 */
export async function publishStatus(
  engine: Engine,
  { root, session: name, write = replaceFile }: Publishing,
): Promise<Deny | undefined> {
  using _alone = await waitForStatusLock(openStateFolder(findProject(root)));
  const session = await engine.ledger.session(name);
  if (session === undefined) return unknownSession(name);
  const document = statusDocument(session, await sessionDecisions(engine, name));
  const text = `${JSON.stringify(document, null, 2)}\n`;
  const folder = join(sessionsFolder, name);
  let problem = "";
  for (let attempt = 0; attempt <= retriesMax; attempt += 1) {
    if (attempt > 0) await sleep(pauseMs);
    try {
      const file = join(makePlainFolder(root, folder), statusName);
      write(file, text, projectFile);
      const found = whyWrong(readFileSync(file, "utf8"), text);
      if (found === undefined) return undefined;
      problem = found;
    } catch (error) {
      problem = (error as Error).message;
    }
  }
  return blockUnwritable(engine, name, { problem, attempts: 1 + retriesMax });
}

/** Records the block in the ledger. A session that is already blocked keeps its first reason. */
async function blockUnwritable(
  engine: Engine,
  session: string,
  { problem, attempts }: { readonly problem: string; readonly attempts: number },
): Promise<Deny> {
  const file = join(sessionsFolder, session, statusName);
  const reason = `${file} cannot be written: ${problem}`;
  const recovery = `fix it, then \`lockstep resume ${session}\``;
  const blocker = { code: "persistence_failure", reason, recovery };
  await moveSession(engine, { session, event: { type: "block", blocker } }, system);
  return deny("E-STORE", `${reason}; ${recovery}`, { file, attempts });
}

/** S4-108: checks what was actually written, not what should have been. */
function whyWrong(found: string, text: string): string | undefined {
  const [fault] = judgeStatusDocument(readJson(found));
  if (fault !== undefined) return fault;
  return found === text ? undefined : "its content differs from what was written";
}

/**
 * Publishes every session that is not done, because an answer may appear in several. Returns the failures. A session whose
 * files are on another machine is published there.
 */
export async function publishOpen(
  engine: Engine,
  { root, stateFolder }: { readonly root: string; readonly stateFolder: string },
): Promise<readonly Deny[]> {
  const refused: (Deny | undefined)[] = [];
  for (const { name, state } of await engine.ledger.sessions()) {
    if (state === "DONE") continue;
    const problem = whyNotRestored(stateFolder, root, name);
    if (engine.machine !== undefined && !existsSync(join(root, sessionsFolder, name))) continue;
    refused.push(
      problem === undefined
        ? await publishStatus(engine, { root, session: name })
        : await blockUnwritable(engine, name, { problem, attempts: 1 }),
    );
  }
  return refused.filter((one) => one !== undefined);
}

/** Restores deleted session files; otherwise status.json would be the only file. */
function whyNotRestored(stateFolder: string, root: string, session: string): string | undefined {
  try {
    restoreFiles(stateFolder, root, session);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

export interface HistoryLine {
  readonly at: string | null;
  readonly decision_id: string;
  readonly answer: string;
  readonly state_context: string;
}

/**
 * Records a person's change request before the question is asked again (S4-087, S4-103). The same line is not
 * added twice.
 */
export function appendHistory(root: string, session: string, line: HistoryLine): Deny | undefined {
  const file = join(sessionsFolder, session, historyName);
  const text = JSON.stringify(line);
  try {
    makePlainFolder(root, join(sessionsFolder, session));
    const before = readHistory(join(root, file));
    if (before.split("\n").includes(text)) return undefined;
    // A process that was killed while writing may have left half a line.
    const start = before === "" || before.endsWith("\n") ? "" : "\n";
    appendToMemory(root, file, `${start}${text}\n`, { durable: true });
    return undefined;
  } catch (error) {
    const { message } = error as Error;
    return deny(
      "E-STORE",
      `${file} cannot be written: ${message}; fix it, then \`lockstep resume ${session}\``,
      {
        file,
      },
    );
  }
}

function readHistory(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return "";
    throw error;
  }
}
