import { join, relative } from "node:path";
import { sessionsFolder } from "../../core/names/session-paths.ts";
import { type ListedSession, listSessions } from "../../engine/views/list-sessions.ts";
import { readPlanSource } from "../../workspace/plan/plan-source.ts";
import { needPlace } from "../open/need-place.ts";
import { openEngine } from "../open/open-engine.ts";
import { showReading } from "../output/reading.ts";
import { duration, printable, table } from "../output/table.ts";

interface Shown extends ListedSession {
  /** Where the plan came from, relative to the project; null for the generated plan of `do`. */
  readonly plan: string | null;
  readonly age_seconds: number;
}

/** `lockstep session list`, the newest first. */
export function sessionListCommand({ json }: { readonly json?: boolean }): Promise<number> {
  return showReading<{ readonly sessions: readonly Shown[] }>({ json, text: sessionsText }, async () => {
    await needPlace();
    using opened = await openEngine({ onFaults: "warn" });
    const { engine, project } = opened;
    const now = engine.clock.now().wallMs;
    const sessions = (await listSessions(engine)).map((session) => ({
      ...session,
      plan: planOf(project.place.root, session.name),
      age_seconds: Math.max(0, Math.round((now - Date.parse(session.created_at)) / 1000)),
    }));
    return { sessions };
  });
}

/** Null for `do`, whose plan was a temporary file outside the project. */
export function planOf(root: string, session: string): string | null {
  const source = readPlanSource(join(root, sessionsFolder, session));
  const path = source === undefined ? undefined : relative(root, source.path);
  return path === undefined || path.startsWith("..") ? null : path;
}

function sessionsText({ sessions }: { readonly sessions: readonly Shown[] }): string {
  if (sessions.length === 0) return "no sessions yet\n";
  return table(
    ["SESSION", "STATE", "MERGED", "OPEN", "FAILED", "AGE", "ABOUT"],
    sessions.map(({ name, state, tasks, age_seconds, goal, plan }) => [
      ...[name, state, String(tasks.merged), String(tasks.open), String(tasks.failed)],
      ...[duration(age_seconds), printable(plan ?? goal ?? "-")],
    ]),
  );
}
