import { type Entry, plainEntry, readEntry } from "../../core/paths/entry.ts";
import type { Place } from "../../core/paths/place.ts";
import { entryFrom } from "../../core/paths/stored-shape.ts";
import { HeldLocks, type WaitFacts } from "../../core/plan/waits.ts";
import type { Task } from "../../core/tasks/task.ts";
import type { Attempt, Survey } from "../../ledger/ledger.ts";
import { limitsIn } from "../attempts/limited-agents.ts";
import { isTaken } from "../attempts/take-task.ts";
import type { Engine } from "../change/engine.ts";

interface Indexed {
  readonly known: ReadonlyMap<string, Task>;
  readonly attempts: ReadonlyMap<string, Attempt>;
}

/** The facts that explain why tasks wait, from one survey of the ledger. */
export function waitFacts(
  { world, clock, limits, isAlive }: Engine,
  { tasks, locks, decisions, events }: Pick<Survey, "tasks" | "locks" | "decisions" | "events">,
  { known, attempts }: Indexed,
): WaitFacts {
  const held = locks.map(({ task, kind, resource, shapes }) => ({
    ...{ task, kind, resource },
    entry: entryFrom(resource, shapes),
  }));
  const isAtWork = ({ key, state }: Task) => {
    const attempt = attempts.get(key);
    if (state !== "IN_PROGRESS" || attempt?.leaseState !== "running") return false;
    return attempt.runner === null || isAlive(attempt.runner) !== "no";
  };
  return {
    tasks: known,
    // If there are several, the oldest decision.
    decisions: new Map(decisions.toReversed().map(({ task, id }) => [task, id])),
    taken: new Set(tasks.filter((task) => isTaken(task, attempts.get(task.key))).map(({ key }) => key)),
    held: new HeldLocks(held, limits.resources),
    limits: limitsIn(events["agent.limited"], clock.now().wallMs),
    busy: new Set(tasks.filter(isAtWork).flatMap(({ session }) => session ?? [])),
    scopeOf: ({ assignment }) => {
      if (held.length === 0) return { scope: [], uses: [] };
      const { lock_scope, uses } = assignment ?? {};
      const scope = (lock_scope ?? []).flatMap((text) => entriesOf(text, world.place));
      return { scope, uses: uses ?? [] };
    },
  };
}

/** Names between slashes, none of which is `.` or `..`. */
const plainPath = /^(?!\.{1,2}(?:\/|$))[\w@+.-]+(?:\/(?!\.{1,2}(?:\/|$))[\w@+.-]+)*$/;

/** Does not resolve symbolic links: with thousands of tasks, that would make the status slow. */
function entriesOf(text: string, place: Place): readonly Entry[] {
  if (plainPath.test(text)) return [plainEntry(text, place)];
  const read = readEntry(text, place);
  return "entry" in read ? [read.entry] : [];
}
