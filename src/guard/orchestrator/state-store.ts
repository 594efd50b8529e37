import { existsSync, readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { hashText } from "../../core/text/hash-text.ts";
import type { OrchestratorFolders } from "./folders.ts";
import { recoverState } from "./recover-state.ts";
import { reportOf, writeReport } from "./report.ts";
import { keyOf, type Whose } from "./session-key.ts";
import { newState, type OrchestratorState, withRole } from "./state.ts";
import { readStateFile, setAside, touch, writeWhole } from "./state-file.ts";
import { withStateLock } from "./state-lock.ts";

/** A session that was not used for this long counts as ended. */
export const usedWithinMs = 12 * 60 * 60 * 1000;

const stem = "orchestrator-session-state";
const corrupt = ".corrupt-";

export interface FoundState {
  readonly file: string;
  readonly state: OrchestratorState;
  readonly usedMs: number;
}

interface Asked {
  readonly whose: Whose;
  readonly now: Date;
}

/** All readable states, the most recently used first. */
export function listStates({ tmp }: Pick<OrchestratorFolders, "tmp">): FoundState[] {
  return namesIn(tmp)
    .filter((name) => name.startsWith(stem) && name.endsWith(".json"))
    .flatMap((name) => {
      const file = join(tmp, name);
      const found = readStateFile(file);
      return found.kind === "state" ? [{ file, state: found.state, usedMs: found.usedMs }] : [];
    })
    .sort((one, other) => other.usedMs - one.usedMs);
}

/**
 * The state of a session, if it has one. The first session uses the well-known file. Sessions that run at the same time
 * have files of their own, so that their counts stay separate.
 */
export function findState(folders: OrchestratorFolders, { whose, now }: Asked): FoundState | undefined {
  for (const file of [ownFile(folders, whose), mainFile(folders)]) {
    const found = readStateFile(file);
    if (found.kind === "corrupt") return repair(folders, { whose, now });
    if (found.kind === "absent" || !belongs(found.state, whose)) continue;
    const isOld = now.getTime() - found.usedMs > usedWithinMs;
    if (found.state.client_session === null && isOld) continue;
    return { file, state: found.state, usedMs: found.usedMs };
  }
  return undefined;
}

/** Loads or creates the state, and saves the result of `change`. */
export function changeState(
  folders: OrchestratorFolders,
  { whose, now, role }: Asked & { readonly role: OrchestratorState["agent_role"] },
  change: (state: OrchestratorState) => OrchestratorState,
): OrchestratorState {
  folders.open("tmp");
  return withStateLock(folders.tmp, () => {
    const { file, state } = load(folders, { whose, now }) ?? create(folders, { whose, now }, role);
    const key = keyOf(whose);
    const bound = state.client_session === null && key !== null ? { ...state, client_session: key } : state;
    const next = change(withRole(bound, role));
    if (next !== state || !existsSync(file)) writeWhole(file, next);
    else touch(file, now);
    return next;
  });
}

/** Writes the report and moves the state next to it; undefined if this session has no state. */
export function endState(folders: OrchestratorFolders, { whose, now }: Asked): string | undefined {
  if (!existsSync(folders.tmp)) return undefined;
  return withStateLock(folders.tmp, () => {
    const found = load(folders, { whose, now });
    // A state without a session waits for the session that it was created for.
    if (found === undefined || found.state.client_session !== keyOf(whose)) return undefined;
    return archiveState(folders, found, now);
  });
}

export function endFound(folders: OrchestratorFolders, found: FoundState, now: Date): string {
  return withStateLock(folders.tmp, () => archiveState(folders, found, now));
}

/** Ends a session: writes its report and moves its state next to the report. */
function archiveState(
  folders: OrchestratorFolders,
  { file, state }: { readonly file: string; readonly state: OrchestratorState },
  now: Date,
): string {
  const report = writeReport(folders, reportOf(folders, state, now));
  renameSync(file, archivedStateFile(folders, state.session_id));
  return report;
}

function archivedStateFile({ reports }: OrchestratorFolders, id: string): string {
  return join(reports, `orchestrator-session-state-${id}.json`);
}

/** Changes a state that was found, or deletes it if `change` returns nothing. */
export function changeFound(
  { tmp }: OrchestratorFolders,
  file: string,
  change: (state: OrchestratorState) => OrchestratorState | undefined,
): void {
  withStateLock(tmp, () => {
    const found = readStateFile(file);
    if (found.kind !== "state") return;
    const next = change(found.state);
    if (next === undefined) rmSync(file);
    else writeWhole(file, next);
  });
}

function load(folders: OrchestratorFolders, { whose, now }: Asked): FoundState | undefined {
  for (const file of [ownFile(folders, whose), mainFile(folders)]) {
    const found = readStateFile(file);
    if (found.kind === "corrupt") {
      setAside(file, now);
      const state = recoverState(folders, whose);
      if (state !== undefined) return { file, state, usedMs: now.getTime() };
    } else if (found.kind === "state" && belongs(found.state, whose))
      return { file, state: found.state, usedMs: found.usedMs };
  }
  return undefined;
}

/** The well-known file is free if it has no state, or if its session has ended. */
function create(
  folders: OrchestratorFolders,
  { whose, now }: Asked,
  role: OrchestratorState["agent_role"],
): { readonly file: string; readonly state: OrchestratorState } {
  const main = readStateFile(mainFile(folders));
  const isOver = main.kind === "state" && now.getTime() - main.usedMs > usedWithinMs;
  if (isOver) archiveState(folders, { file: mainFile(folders), state: main.state }, now);
  const file = main.kind === "state" && !isOver ? ownFile(folders, whose) : mainFile(folders);
  const wasCorrupt = namesIn(folders.tmp).some((name) => name.includes(corrupt));
  const recovered = wasCorrupt ? recoverState(folders, whose) : undefined;
  const id = freeId(folders, now);
  return { file, state: recovered ?? newState(role, { id, clientSession: keyOf(whose), now }) };
}

function repair(folders: OrchestratorFolders, asked: Asked): FoundState | undefined {
  return withStateLock(folders.tmp, () => {
    const found = load(folders, asked);
    if (found !== undefined && !existsSync(found.file)) writeWhole(found.file, found.state);
    return found;
  });
}

function belongs({ client_session: client }: OrchestratorState, whose: Whose): boolean {
  const key = keyOf(whose);
  return client === null || key === null || client === key;
}

function mainFile({ tmp }: OrchestratorFolders): string {
  return join(tmp, `${stem}.json`);
}

function ownFile({ tmp }: OrchestratorFolders, whose: Whose): string {
  const key = keyOf(whose);
  const name = key === null ? "" : `-${key.replace(/[^A-Za-z0-9_-]/g, "_").slice(0, 60)}-${hashText(key)}`;
  return join(tmp, `${stem}${name}.json`);
}

/** Two sessions that start in the same millisecond must not share a report. */
function freeId(folders: OrchestratorFolders, now: Date): string {
  const taken = new Set(listStates(folders).map(({ state }) => state.session_id));
  for (let ms = now.getTime(); ; ms += 1) {
    const id = `sess_${ms}`;
    if (!taken.has(id) && !existsSync(archivedStateFile(folders, id))) return id;
  }
}

function namesIn(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder) : [];
}
