import { snapshotBefore } from "../../run/landing/undo/restore-unmerged.ts";
import { openEngine } from "./open-engine.ts";

/** Takes a snapshot of a task's scope. Returns why that failed; undefined if it worked, or without git. */
export async function keepScope(task: string): Promise<string | undefined> {
  using opened = await openEngine();
  const { engine, project } = opened;
  if (project.commonFolder === undefined) return undefined;
  const root = project.place.realRoot ?? project.place.root;
  try {
    await snapshotBefore({ engine, repository: { root } }, task);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error); // the task continues without one
  }
}
