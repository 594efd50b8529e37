import type { Task } from "../../src/core/tasks/task.ts";
import { field, isStringList } from "../../src/core/values/fields.ts";
import type { Lock } from "../../src/ledger/ledger.ts";
import { pathsUnder, worklogOf } from "./scopes.ts";
import type { Commit, Stored } from "./shadow.ts";

/** The last epoch under which each path of the small tree was locked. */
export type PathEpochs = Map<string, { readonly epoch: number; readonly task: string }>;

/** INV-1, by a naive evaluation of the locks. */
export function* locksOverlap({ locks }: Stored): Iterable<string> {
  const holders = new Map<string, Lock>();
  for (const lock of locks) {
    if (lock.kind !== "path") continue;
    for (const path of pathsUnder(lock.resource)) {
      const holder = holders.get(path);
      if (holder !== undefined && holder.task !== lock.task)
        yield `INV-1: \`${path}\` is held by ${nameOf(holder)} and by ${nameOf(lock)}`;
      holders.set(path, lock);
    }
  }
}

export function* resourcesAreCrowded(
  { locks }: Stored,
  rooms: Readonly<Record<string, number>>,
): Iterable<string> {
  const users = new Map<string, Set<string>>();
  for (const { kind, resource, task } of locks)
    if (kind === "resource") users.set(resource, (users.get(resource) ?? new Set()).add(task));
  for (const [resource, { size }] of users)
    if (size > (rooms[resource] ?? 1)) yield `INV-1: resource \`${resource}\` is used by ${size} tasks`;
}

/** A task in progress holds all of its scope under its own epoch; a finished one holds nothing. */
export function* locksAreMissing({ tasks, attempts, locks }: Stored): Iterable<string> {
  const held = Map.groupBy(locks, ({ task }) => task);
  for (const task of tasks.values()) {
    const own = held.get(task.key) ?? [];
    if ((task.state === "MERGED" || task.state === "FAILED") && own.length > 0)
      yield `task \`${task.key}\` is ${task.state} and holds \`${own[0]?.resource}\``;
    const epoch = attempts.get(task.key)?.epoch;
    const other = own.find((lock) => lock.epoch !== epoch);
    if (other !== undefined) yield `INV-2: ${nameOf(other)} is held, but the epoch is ${epoch}`;
    if (task.state === "IN_PROGRESS") yield* scopeNotHeld(task, own);
  }
}

function* scopeNotHeld(task: Task, own: readonly Lock[]): Iterable<string> {
  const held = new Set(
    own.flatMap(({ kind, resource }) => (kind === "path" ? [...pathsUnder(resource)] : [])),
  );
  const scope = field(task.assignment, "lock_scope");
  for (const entry of [...(isStringList(scope) ? scope : []), worklogOf(task.key)])
    for (const path of pathsUnder(entry))
      if (!held.has(path))
        yield `task \`${task.key}\` is IN_PROGRESS and does not hold \`${path}\` of \`${entry}\``;
}

/** INV-2: a path that is locked again is locked under a higher epoch. */
export function* epochsGoBack({ operation, before, after }: Commit, last: PathEpochs): Iterable<string> {
  const old = new Set(before.locks.map(({ id }) => id));
  for (const lock of after.locks) {
    if (old.has(lock.id) || lock.kind !== "path") continue;
    for (const path of pathsUnder(lock.resource)) {
      const previous = last.get(path);
      const goesBack = previous !== undefined && lock.epoch <= previous.epoch;
      const isSame = previous?.epoch === lock.epoch && previous.task === lock.task;
      if (goesBack && !isSame && !isWidening(operation.request.name))
        yield `INV-2: \`${path}\` is locked by ${nameOf(lock)} after epoch ${previous.epoch}`;
      if (!goesBack) last.set(path, { epoch: lock.epoch, task: lock.task });
    }
  }
}

/** EXCLUDED: widening uses the task's own epoch, which may be lower than the last one of the path. */
function isWidening(name: string): boolean {
  return name === "widen" || name === "decide";
}

function nameOf({ task, epoch, resource }: Lock): string {
  return `\`${task}\`#${epoch} (\`${resource}\`)`;
}
