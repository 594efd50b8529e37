import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { sessionsFolder } from "../core/names/session-paths.ts";
import { type Deny, deny } from "../core/rules/verdict.ts";
import { judgeStatusDocument } from "../core/session/judge-status.ts";
import { statusDocument } from "../core/session/status-document.ts";
import { readJson } from "../core/text/read-json.ts";
import type { Engine } from "../engine/change/engine.ts";
import { sessionDecisions } from "../engine/decisions/session-decisions.ts";
import { unknownSession } from "../engine/sessions/move-session.ts";
import { waitForStatusLock } from "../server/host-lock.ts";
import { findProject } from "../workspace/files/find-project.ts";
import { makePlainFolder } from "../workspace/files/plain-folder.ts";
import { projectFile, replaceFile } from "../workspace/files/replace-file.ts";
import { appendToMemory } from "../workspace/state/append-to-memory.ts";
import { openStateFolder } from "../workspace/state/state-folder.ts";

/** After the first writing (A4-2). */
const retriesMax = 3;
const pauseMs = 50;

const statusName = "status.json";
const historyName = "approve-design-history.jsonl";

/** Shows in a session's status.json how the ledger stands. One process at a time: the last one writes the newest. */
export async function publishStatus(
  engine: Engine,
  { root, session: name }: { readonly root: string; readonly session: string },
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
      replaceFile(file, text, projectFile);
      const found = whyWrong(readFileSync(file, "utf8"), text);
      if (found === undefined) return undefined;
      problem = found;
    } catch (error) {
      problem = (error as Error).message;
    }
  }
  const reason = `${folder}/${statusName} cannot be written: ${problem}; mend that, then \`lockstep resume\``;
  return deny("E-STORE", reason, { file: `${folder}/${statusName}`, attempts: 1 + retriesMax });
}

/** S4-108: what a reader finds, and not what was meant. */
function whyWrong(found: string, text: string): string | undefined {
  const [fault] = judgeStatusDocument(readJson(found));
  if (fault !== undefined) return fault;
  return found === text ? undefined : "it reads otherwise than it was written";
}

/** Of every session that is not done: an answer may be seen in several. Gives what could not be written. */
export async function publishOpen(engine: Engine, root: string): Promise<readonly Deny[]> {
  const refused: Deny[] = [];
  for (const { name, state } of await engine.ledger.sessions()) {
    const problem = state === "DONE" ? undefined : await publishStatus(engine, { root, session: name });
    if (problem !== undefined) refused.push(problem);
  }
  return refused;
}

export interface HistoryLine {
  readonly at: string | null;
  readonly decision_id: string;
  readonly answer: string;
  readonly state_context: string;
}

/** What a person asked to be changed, before it is asked anew (S4-087, S4-103). The same line is not added twice. */
export function appendHistory(root: string, session: string, line: HistoryLine): Deny | undefined {
  const file = join(sessionsFolder, session, historyName);
  const text = JSON.stringify(line);
  try {
    makePlainFolder(root, join(sessionsFolder, session));
    const before = readHistory(join(root, file));
    if (before.split("\n").includes(text)) return undefined;
    // Whoever was killed while writing has left half a line.
    const start = before === "" || before.endsWith("\n") ? "" : "\n";
    appendToMemory(root, file, `${start}${text}\n`, { durable: true });
    return undefined;
  } catch (error) {
    const { message } = error as Error;
    return deny("E-STORE", `${file} cannot be written: ${message}; mend that, then \`lockstep resume\``, {
      file,
    });
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
