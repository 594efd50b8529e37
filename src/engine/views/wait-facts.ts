import { type Entry, plainEntry, readEntry } from "../../core/paths/entry.ts";
import type { Place } from "../../core/paths/place.ts";
import { entryFrom } from "../../core/paths/stored-shape.ts";
import { HeldLocks, type WaitFacts } from "../../core/plan/waits.ts";
import type { Task } from "../../core/tasks/task.ts";
import type { Attempt, Survey } from "../../ledger/ledger.ts";
import { limitsIn } from "../attempts/limited-agents.ts";
import { isTaken } from "../attempts/take-task.ts";
import type { Engine } from "../change/engine.ts";
import { machinesIn } from "../machines/list-machines.ts";

interface Indexed {
  readonly known: ReadonlyMap<string, Task>;
  readonly attempts: ReadonlyMap<string, Attempt>;
}

/** The facts that explain why tasks wait, from one survey of the ledger. */
export function waitFacts(
  engine: Engine,
  survey: Pick<Survey, "tasks" | "locks" | "decisions" | "events" | "machines" | "roles" | "attempts">,
  { known, attempts }: Indexed,
): WaitFacts {
  const { world, clock, limits, isAlive } = engine;
  const { tasks, locks, decisions, events } = survey;
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
    ...(engine.machine === undefined ? {} : { whyNoMachine: whyNoMachine(engine, survey) }),
    busy: new Set(tasks.filter(isAtWork).flatMap(({ session }) => session ?? [])),
    scopeOf: ({ assignment }) => {
      if (held.length === 0) return { scope: [], uses: [] };
      const { lock_scope, uses } = assignment ?? {};
      const scope = (lock_scope ?? []).flatMap((text) => entriesOf(text, world.place));
      return { scope, uses: uses ?? [] };
    },
  };
}

/** For sessions that other machines can work on: who may start a task, and who lands it. */
function whyNoMachine(engine: Engine, survey: Parameters<typeof machinesIn>[1]) {
  const living = machinesIn(engine, survey).filter(({ gone }) => !gone);
  const offering = living.filter(({ slots, draining }) => slots > 0 && !draining);
  const conducted = new Set(living.flatMap(({ conducts }) => conducts));
  return ({ session, state, assignment }: Task) => {
    if (session === null) return undefined;
    if (state === "REVIEW")
      return conducted.has(session)
        ? undefined
        : "no machine is reviewing and landing this session: start `lockstep run` on one";
    const { label } = assignment ?? {};
    if (typeof label !== "string" || offering.some(({ labels }) => labels.includes(label))) return undefined;
    return `no machine has the label \`${label}\`: start one with \`lockstep worker --label ${label}\``;
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
