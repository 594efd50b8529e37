import type { Decision } from "../ledger/ledger.ts";
import { publishOpen } from "../session/publish-status.ts";
import { openStateFolder } from "../workspace/state-folder.ts";
import { writeAll } from "./descriptor.ts";
import type { Opened } from "./open-engine.ts";
import { runAtWork } from "./run-at-work.ts";

/** Shows an answer in status.json of its session and says what goes on with it; false where it cannot be shown. */
export async function afterAnswer(
  { engine, project }: Pick<Opened, "engine" | "project">,
  settled: readonly Pick<Decision, "task">[],
): Promise<boolean> {
  const sessions = (await engine.ledger.sessions()).filter(({ state }) => state !== "DONE");
  if (sessions.length === 0) return true;
  const refused = await publishOpen(engine, project.place.realRoot ?? project.place.root);
  for (const { code, reason } of refused) writeAll(2, `lockstep: ${code}: ${reason}\n`);
  const own = sessions.filter(({ name }) => settled.some(({ task }) => task.startsWith(`${name}/`)));
  const isAtWork = runAtWork(openStateFolder(project)) !== undefined;
  for (const { name } of own)
    writeAll(2, isAtWork ? `the run at work goes on with ${name}\n` : `to go on: lockstep resume ${name}\n`);
  return refused.length === 0;
}
