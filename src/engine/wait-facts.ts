import { readEntries } from "../core/paths/scope.ts";
import { entryFrom } from "../core/paths/stored-shape.ts";
import { HeldLocks, type WaitFacts } from "../core/plan/waits.ts";
import { field, isStringList } from "../core/points/fields.ts";
import type { Task } from "../core/tasks/task.ts";
import type { Attempt, Survey } from "../ledger/ledger.ts";
import type { Engine } from "./engine.ts";
import { limitsIn } from "./limited-agents.ts";
import { isTaken } from "./take-task.ts";

interface Indexed {
  readonly known: ReadonlyMap<string, Task>;
  readonly attempts: ReadonlyMap<string, Attempt>;
}

/** What decides why tasks wait, from one look at the ledger. */
export function waitFacts(
  { world, clock, limits }: Engine,
  { tasks, locks, decisions, events }: Pick<Survey, "tasks" | "locks" | "decisions" | "events">,
  { known, attempts }: Indexed,
): WaitFacts {
  const held = locks.map(({ task, kind, resource, shapes }) => ({
    ...{ task, kind, resource },
    entry: entryFrom(resource, shapes),
  }));
  return {
    tasks: known,
    // The first one that was asked.
    decisions: new Map(decisions.toReversed().map(({ task, id }) => [task, id])),
    taken: new Set(tasks.filter((task) => isTaken(task, attempts.get(task.key))).map(({ key }) => key)),
    held: new HeldLocks(held, limits.resources),
    limits: limitsIn(events["agent.limited"], clock.now().wallMs),
    busy: new Set(
      tasks.filter(({ state }) => state === "IN_PROGRESS").flatMap(({ session }) => session ?? []),
    ),
    scopeOf: ({ assignment }) => {
      if (held.length === 0) return { scope: [], uses: [] };
      const [scope, uses] = [field(assignment, "lock_scope"), field(assignment, "uses")];
      // Links are left out: following them for every task would make a look at the status slow.
      const read = readEntries(isStringList(scope) ? scope : [], world.place);
      return { scope: "entries" in read ? read.entries : [], uses: isStringList(uses) ? uses : [] };
    },
  };
}
