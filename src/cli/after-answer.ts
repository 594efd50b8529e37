import { publishOpen } from "../session/publish-status.ts";
import { restoreFiles } from "../workspace/plan/session-backup.ts";
import { openStateFolder } from "../workspace/state-folder.ts";
import type { Opened } from "./open-engine.ts";
import { runAtWork } from "./run-at-work.ts";

export interface AfterAnswer {
  readonly isShown: boolean;
  /** What a person hears: what could not be shown, and what goes on. */
  readonly lines: readonly string[];
}

/** Shows answers in status.json of their sessions. */
export async function afterAnswer(
  { engine, project }: Pick<Opened, "engine" | "project">,
  settled: readonly string[],
): Promise<AfterAnswer> {
  const sessions = (await engine.ledger.sessions()).filter(({ state }) => state !== "DONE");
  if (sessions.length === 0) return { isShown: true, lines: [] };
  const root = project.place.realRoot ?? project.place.root;
  // Where somebody has cleaned up, there would be nothing but status.json otherwise.
  for (const { name } of sessions) restoreFiles(openStateFolder(project), root, name);
  const refused = await publishOpen(engine, root);
  const decisions = (await engine.ledger.decisions()).filter(({ id }) => settled.includes(id));
  const own = sessions.filter(({ name }) => decisions.some(({ task }) => task.startsWith(`${name}/`)));
  const isAtWork = runAtWork(openStateFolder(project)) !== undefined;
  const goOn = (name: string) =>
    isAtWork ? `the run at work goes on with ${name}` : `to go on: lockstep resume ${name}`;
  return {
    isShown: refused.length === 0,
    lines: [
      ...refused.map(({ code, reason }) => `lockstep: ${code}: ${reason}`),
      ...own.map(({ name }) => goOn(name)),
    ],
  };
}
