import type { Timeline, TimelineBar, TimelineMark, Tone } from "../../contract/board.ts";
import { isMeta, isOfSession } from "../../core/names/task-name.ts";
import type { TaskState } from "../../core/tasks/states.ts";
import { counted } from "../../core/text/amounts.ts";
import { compareNames } from "../../core/text/compare-names.ts";
import type { TaskStatus } from "../../engine/views/read-status.ts";
import { dataOf } from "../../ledger/event-data.ts";
import type { LedgerEvent } from "../../ledger/ledger.ts";
import { fitting, short } from "./bounded.ts";
import { type BoardPlace, type Look, machineName } from "./look.ts";
import { namedTask } from "./task-rows.ts";

const tasksMax = 500;
const eventsMax = 200;
const barsMax = 400;

/** A time in which a task stayed in one state. */
interface Stay {
  readonly task: string;
  readonly state: TaskState;
  readonly from: number;
  readonly to: number;
  /** The machine of the attempt that begins with it, if the ledger is shared by several. */
  readonly machine: string | undefined;
  /** The event that ended it; null if it has not ended. */
  readonly end: LedgerEvent | null;
}

/** What each slot did when, what the last task waited for, and what the time went into. */
export async function timeline(place: BoardPlace, look: Look, wanted: string | undefined): Promise<Timeline> {
  const { engine } = place;
  const session = wanted ?? newestSession(look);
  const own = look.status.tasks.filter(
    ({ key }) => !isMeta(key) && (session === null ? !key.includes("/") : isOfSession(key, session)),
  );
  const now = engine.clock.now().wallMs;
  const known = new Map<string, readonly LedgerEvent[]>();
  for (const { key } of own.slice(0, tasksMax))
    known.set(key, await engine.ledger.events({ task: key, limit: eventsMax }));
  const stays = [...known].flatMap(([key, events]) => staysOf(key, events, now));
  const asked = [...known.values()].flatMap((events) => questionsIn(events, now));
  const worked = stays.filter(({ state }) => state === "IN_PROGRESS" || state === "REVIEW");
  const isAsked = ({ task, end }: Stay) => end === null && isOpen(asked, task, now);
  const path = criticalPath(
    own,
    worked.filter((stay) => !isAsked(stay)),
  );
  const critical = new Set(path);
  const inState = (state: TaskState) => worked.filter((stay) => stay.state === state);
  const nameOf = ({ task, machine }: Stay) =>
    machineName(place, look, machine ?? look.byKey.get(task)?.alive?.machine);
  const { lanes, laneOf } = placeInLanes(inState("IN_PROGRESS"), inState("REVIEW"), nameOf);
  const bars = worked.map((stay) =>
    barOf(stay, { look, lane: laneOf(stay), isCritical: critical.has(stay), isAsked: isAsked(stay) }),
  );
  const starts = worked.map(({ from }) => from);
  const shown = fitting(bars.toSorted((one, other) => other.to - one.to).slice(0, barsMax), 40 * 1024);
  return {
    session,
    from: Math.min(now, ...starts),
    to: worked.length === 0 ? now : Math.max(...worked.map(({ to }) => to)),
    lanes,
    bars: shown,
    hidden: bars.length - shown.length,
    marks: marksOf([...known.values()].flat(), own),
    critical: [...new Set(path.map(({ task }) => task))].slice(0, 30).map((key) => namedTask(look, key)),
    shares: sharesOf(stays, asked, own),
  };
}

export function newestSession({ status }: Look): string | null {
  const newest = status.tasks
    .filter(({ key }) => key.includes("/") && !isMeta(key))
    .reduce<TaskStatus | undefined>(
      (one, other) => (one === undefined || other.created_at >= one.created_at ? other : one),
      undefined,
    );
  return newest === undefined ? null : newest.key.slice(0, newest.key.lastIndexOf("/"));
}

function staysOf(task: string, events: readonly LedgerEvent[], now: number): readonly Stay[] {
  const moves = events.filter(({ to }) => to !== null);
  return moves.flatMap((event, at): Stay[] => {
    const next = moves[at + 1] ?? null;
    if (event.to === null || event.to === "MERGED") return [];
    return [
      {
        task,
        state: event.to,
        from: Date.parse(event.at),
        to: next === null ? now : Date.parse(next.at),
        machine: dataOf(event, "task.started")?.machine,
        end: next,
      },
    ];
  });
}

interface Asked {
  readonly task: string;
  readonly from: number;
  readonly to: number;
}

/** A question about the task has no answer yet. */
function isOpen(asked: readonly Asked[], task: string, now: number): boolean {
  return asked.some((one) => one.task === task && one.to === now);
}

/** From the question to its answer. */
function questionsIn(events: readonly LedgerEvent[], now: number): readonly Asked[] {
  return events.flatMap((event) => {
    const id = dataOf(event, "decision.asked")?.id;
    if (id === undefined || event.task === null) return [];
    const isEnd = (one: LedgerEvent) =>
      one.seq > event.seq &&
      (dataOf(one, "decision.answered")?.id ?? dataOf(one, "decision.cancelled")?.id) === id;
    const end = events.find(isEnd);
    return [
      { task: event.task, from: Date.parse(event.at), to: end === undefined ? now : Date.parse(end.at) },
    ];
  });
}

/**
 * Bars that overlap are in different lanes: for each machine as many as it had slots in use, then those of reviews and
 * proofs.
 */
function placeInLanes(
  attempts: readonly Stay[],
  proofs: readonly Stay[],
  nameOf: (attempt: Stay) => string,
): { readonly lanes: readonly string[]; laneOf(stay: Stay): number } {
  const lanes: string[] = [];
  const places = new Map<Stay, number>();
  const add = (stays: readonly Stay[], name: string) => {
    const { count, laneOf } = stacked(stays);
    for (const [stay, lane] of laneOf) places.set(stay, lanes.length + lane);
    lanes.push(...Array.from({ length: count }, (_, at) => `${name} ${at + 1}`));
  };
  const machines = Map.groupBy(attempts, nameOf);
  for (const name of [...machines.keys()].toSorted(compareNames))
    add(machines.get(name) ?? [], `${name}, slot`);
  add(proofs, "review");
  return { lanes, laneOf: (stay) => places.get(stay) ?? 0 };
}

function stacked(stays: readonly Stay[]): {
  readonly count: number;
  readonly laneOf: ReadonlyMap<Stay, number>;
} {
  const ends: number[] = [];
  const laneOf = new Map<Stay, number>();
  for (const stay of stays.toSorted((one, other) => one.from - other.from)) {
    const free = ends.findIndex((end) => end <= stay.from);
    const lane = free === -1 ? ends.length : free;
    ends[lane] = stay.to;
    laneOf.set(stay, lane);
  }
  return { count: ends.length, laneOf };
}

const ends: Readonly<Record<string, Tone>> = {
  "task.submitted": "good",
  "task.merged": "good",
  "task.stopped": "person",
  "task.taken": "person",
  "task.blocked": "person",
  "task.escalated": "person",
};

function barOf(
  stay: Stay,
  { look, lane, isCritical, isAsked }: { look: Look; lane: number; isCritical: boolean; isAsked: boolean },
): TimelineBar {
  const { task, state, from, to, end } = stay;
  const kind = state === "REVIEW" ? "proof" : "attempt";
  const outcome =
    end === null
      ? isAsked
        ? "waits for you"
        : "not over yet"
      : end.type.replace(/^task\./, "").replaceAll("-", " ");
  return {
    ...{ lane, kind, task, from, to, isCritical },
    name: look.names.of(task),
    tone: end === null ? (isAsked ? "person" : "run") : (ends[end.type] ?? "bad"),
    text: short(`${kind === "proof" ? "review and proof" : "attempt"}: ${outcome}`, 80),
  };
}

function marksOf(events: readonly LedgerEvent[], tasks: readonly TaskStatus[]): readonly TimelineMark[] {
  const batches = new Map(tasks.map(({ key, batch }) => [key, batch]));
  const merged = Map.groupBy(
    events.filter(({ type }) => type === "task.merged"),
    ({ task, at }) => batches.get(task ?? "") ?? at,
  );
  const moves = [...merged.values()].map(
    (group): TimelineMark => ({
      at: Date.parse(group[0]?.at ?? ""),
      kind: "base",
      text: `the base moved: ${counted(group.length, "merge")}`,
    }),
  );
  const back = events
    .filter(({ type }) => type === "task.rolled-back")
    .map(({ at }): TimelineMark => ({ at: Date.parse(at), kind: "rollback", text: "rolled back" }));
  return [...moves, ...back].toSorted((one, other) => one.at - other.at).slice(0, 100);
}

/**
 * From the work that ended last back over what it waited for: what its own task did just before, else a task that it
 * needs, else what ended last before it began.
 */
function criticalPath(tasks: readonly TaskStatus[], worked: readonly Stay[]): readonly Stay[] {
  const needs = new Map(tasks.map(({ key, depends_on: on }) => [key, on]));
  const latest = (stays: readonly Stay[]) =>
    stays.reduce<Stay | undefined>(
      (one, other) => (one === undefined || other.to > one.to ? other : one),
      undefined,
    );
  const path: Stay[] = [];
  for (let at = latest(worked); at !== undefined; ) {
    const { task, from } = at;
    path.unshift(at);
    const earlier = worked.filter((stay) => stay.to <= from && !path.includes(stay));
    at =
      earlier.findLast((stay) => stay.task === task && stay.to === from) ??
      latest(earlier.filter((stay) => needs.get(task)?.includes(stay.task))) ??
      latest(earlier);
  }
  return path;
}

/** The time of all tasks, by what it went into. While a question is open, the time counts as waiting for a person. */
function sharesOf(
  stays: readonly Stay[],
  asked: readonly Asked[],
  tasks: readonly TaskStatus[],
): Timeline["shares"] {
  const merged = new Map(
    stays.filter(({ end }) => end?.type === "task.merged").map(({ task, to }) => [task, to]),
  );
  const needs = new Map(tasks.map(({ key, depends_on: on }) => [key, on]));
  const sums = { agents: 0, proofs: 0, people: 0, locks: 0, dependencies: 0 };
  for (const { task, state, from, to } of stays) {
    const people = asked
      .filter((one) => one.task === task)
      .reduce((sum, one) => sum + Math.max(0, Math.min(to, one.to) - Math.max(from, one.from)), 0);
    const rest = Math.max(0, to - from - (state === "IN_PROGRESS" ? 0 : people));
    if (state !== "IN_PROGRESS") sums.people += Math.min(people, to - from);
    if (state === "IN_PROGRESS") sums.agents += rest;
    else if (state === "REVIEW") sums.proofs += rest;
    else if (state === "ESCALATED" || state === "FAILED") sums.people += rest;
    else {
      const ready = Math.max(from, ...(needs.get(task) ?? []).map((key) => merged.get(key) ?? to));
      const waited = Math.min(rest, Math.max(0, ready - from));
      sums.dependencies += waited;
      sums.locks += rest - waited;
    }
  }
  const share = (what: string, ms: number, tone: Tone) => ({ what, seconds: Math.round(ms / 1000), tone });
  return [
    share("agents at work", sums.agents, "run"),
    share("review and proof", sums.proofs, "good"),
    share("waiting for people", sums.people, "person"),
    share("waiting for locks and slots", sums.locks, "wait"),
    share("waiting for other tasks", sums.dependencies, "quiet"),
  ];
}
