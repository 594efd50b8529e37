import type { PlanGraph, PlanNode } from "../../contract/board.ts";
import { isMeta, isOfSession } from "../../core/names/task-name.ts";
import { readEntries } from "../../core/paths/scope.ts";
import { planBatches } from "../../core/plan/plan-batches.ts";
import { compareNames } from "../../core/text/compare-names.ts";
import type { TaskStatus } from "../../engine/views/read-status.ts";
import { toneOf } from "../../view/task-groups.ts";
import { taskWord } from "../../view/task-words.ts";
import { short } from "./bounded.ts";
import type { BoardPlace, Look } from "./look.ts";
import { newestSession } from "./timeline.ts";

const nodesMax = 240;

/** The tasks of a session as a graph: the batches that the plan has, as columns. */
export function planGraph(place: BoardPlace, look: Look, wanted: string | undefined): PlanGraph {
  const session = wanted ?? newestSession(look);
  const own = look.tasks.filter(
    ({ task: { key } }) =>
      !isMeta(key) && (session === null ? !key.includes("/") : isOfSession(key, session)),
  );
  const shown = own.slice(0, nodesMax);
  const groups = new Map(shown.map(({ task, group }) => [task.key, group]));
  const batches = batchesOf(
    place,
    shown.map(({ task }) => task),
  );
  const nodes = batches.flatMap((batch, column) =>
    batch.map(
      (task, row): PlanNode => ({
        ...{ key: task.key, name: look.names.of(task.key), title: short(task.title, 60), column, row },
        word: taskWord(task),
        tone: toneOf(task, groups.get(task.key) ?? "slot"),
      }),
    ),
  );
  const places = new Map(nodes.map(({ key }, at) => [key, at]));
  const edges = shown.flatMap(({ task: { key, depends_on: on } }) =>
    on.flatMap((other): [number, number][] => {
      const [from, to] = [places.get(other), places.get(key)];
      return from === undefined || to === undefined ? [] : [[from, to]];
    }),
  );
  return {
    session,
    columns: batches.length,
    nodes,
    edges: edges.slice(0, 1000),
    hidden: own.length - shown.length,
  };
}

/** As the plan would run if every task succeeded. */
function batchesOf(
  { engine, config }: BoardPlace,
  tasks: readonly TaskStatus[],
): readonly (readonly TaskStatus[])[] {
  const keys = new Set(tasks.map(({ key }) => key));
  const byKey = new Map(tasks.map((task) => [task.key, task]));
  const { max_parallel: maxParallel, max_review: maxReview, max_active: maxActive } = config.limits;
  const planned = tasks.map(({ key, scope, depends_on: on }) => {
    const read = readEntries(scope, engine.world.place);
    const entries = "entries" in read ? read.entries : [];
    return { id: key, dependsOn: on.filter((other) => keys.has(other)), scope: entries, uses: [] };
  });
  const limits = { maxParallel, maxReview, maxActive, resources: config.resources };
  return planBatches(
    planned.toSorted((one, other) => compareNames(one.id, other.id)),
    limits,
  ).map((batch) => batch.flatMap(({ id }) => byKey.get(id) ?? []));
}
