import { beforeRef, rolledBackRef } from "../../../core/names/ref-names.ts";
import { readEntries, Scope } from "../../../core/paths/scope.ts";
import type { Task } from "../../../core/tasks/task.ts";
import { readRef } from "../../../workspace/git/refs.ts";
import { restoreScope, snapshotScope } from "../../../workspace/git/snapshot-scope.ts";
import type { IntegrationContext } from "../integration.ts";

/** A task whose uncommitted files in the main checkout were restored to their state before it. */
export interface Restored {
  readonly task: string;
  readonly paths: readonly string[];
  /** Not restored: changed by the task and since then on the branch, so the two cannot be told apart. */
  readonly left: readonly string[];
  /** The ref with the files as the task left them; `way_back` restores them. */
  readonly kept: string;
  readonly way_back: string;
}

type Place = Pick<IntegrationContext, "engine"> & { readonly repository: { readonly root: string } };

/** Snapshots a task's scope before its agent writes there, for agents that work in the main checkout (S1-099). */
export async function snapshotBefore(
  { engine, repository }: Place,
  key: string,
): Promise<string | undefined> {
  const task = await engine.ledger.task(key);
  if (task === undefined || task.state !== "IN_PROGRESS") return undefined;
  const ref = beforeRef(key, task.epoch);
  await snapshotScope(repository.root, inScopeOf(engine.world.place, task), ref);
  return ref;
}

/** Restores the files of unmerged tasks (S1-097). A task without a snapshot never wrote in the main checkout. */
export async function restoreUnmerged(
  { engine, repository }: Place,
  tasks: readonly Task[],
): Promise<readonly Restored[]> {
  const { root } = repository;
  const restored: Restored[] = [];
  for (const task of tasks) {
    const snapshot = await readRef(root, beforeRef(task.key, task.epoch));
    if (snapshot === undefined) continue;
    const kept = rolledBackRef(task.key, task.epoch);
    const { paths, left } = await restoreScope(root, inScopeOf(engine.world.place, task), {
      snapshot,
      keepAs: kept,
    });
    if (paths.length + left.length === 0) continue;
    const listed = paths.length <= 3 ? paths.map(shellWord).join(" ") : ".";
    restored.push({
      task: task.key,
      paths,
      left,
      kept,
      way_back: `git restore --overlay --source=${kept} -- ${listed}`,
    });
  }
  return restored;
}

function inScopeOf(
  place: IntegrationContext["engine"]["world"]["place"],
  task: Task,
): (path: string) => boolean {
  const read = readEntries(task.assignment?.lock_scope ?? [], place);
  if ("error" in read) return () => false;
  const lock = new Scope(read.entries, place);
  return (path) => lock.entryOf(path) !== undefined;
}

function shellWord(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}
