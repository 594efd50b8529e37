import { snapshotBefore } from "../../run/landing/restore-unmerged.ts";
import { openEngine } from "./open-engine.ts";

/** Why there is no snapshot of a task's scope; undefined where there is one, or nothing to take it of. */
export async function keepScope(task: string): Promise<string | undefined> {
  using opened = await openEngine();
  const { engine, project } = opened;
  if (project.commonFolder === undefined) return undefined;
  const root = project.place.realRoot ?? project.place.root;
  try {
    await snapshotBefore({ engine, repository: { root } }, task);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error); // the task goes on without
  }
}
