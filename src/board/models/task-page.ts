import type { EvidenceItem, HistoryItem, TaskPage } from "../../contract/board.ts";
import { outputOf, untestedIn, untestedText } from "../../core/proof/check-record.ts";
import type { Task } from "../../core/tasks/task.ts";
import type { TaskStatus } from "../../engine/views/read-status.ts";
import { hasTaskLog } from "../../run/landing/work/task-logs.ts";
import { actionsFor } from "./actions.ts";
import { cut, fitting } from "./bounded.ts";
import { historyItem } from "./history.ts";
import { isWorklog } from "./locks.ts";
import { type BoardPlace, elsewhereOf, type Look } from "./look.ts";
import { namedTask, taskRow } from "./task-rows.ts";
import { outputFile } from "./texts.ts";

const eventsMax = 60;
const namedMax = 40;
const pathsMax = 60;

/** Everything about one task except its diff, its log and whole outputs; undefined if the task does not exist. */
export async function taskPage(place: BoardPlace, look: Look, key: string): Promise<TaskPage | undefined> {
  const { engine, folder } = place;
  const [task, status] = [await engine.ledger.task(key), look.byKey.get(key)];
  if (task === undefined || status === undefined) return undefined;
  const name = look.names.of(key);
  const group = look.tasks.find(({ task: one }) => one.key === key)?.group ?? "slot";
  const active = await engine.ledger.locks({ task: key, active: true });
  const locks = active.filter((lock) => !isWorklog(lock, task));
  const waiting = look.status.tasks.filter(({ waits }) =>
    waits.some((wait) => "task" in wait && wait.task === key),
  );
  const { items, before } = await history(place, key);
  const paths = (list: readonly string[] | null | undefined) =>
    (list ?? []).slice(0, pathsMax).map((path) => cut(path, 200));
  return {
    row: taskRow(place, look, status, group),
    goal: textOrNull(task.assignment?.objective),
    ...{ code: status.code, reason: textOrNull(status.reason), resolution: textOrNull(status.resolution) },
    scope: paths(task.assignment?.lock_scope),
    forbidden: paths(task.assignment?.forbidden_scope),
    needs: task.dependsOn.slice(0, namedMax).map((other) => namedTask(look, other)),
    locks: locks.slice(0, pathsMax).map(({ resource, kind }) => ({ resource: cut(resource, 200), kind })),
    waiting: waiting.slice(0, namedMax).map((other) => namedTask(look, other.key)),
    remarks: remarksOf(status),
    actions: actionsFor(status, name),
    ...{ history: items, historyBefore: before },
    evidence: fitting(evidenceOf(place, task), 16 * 1024),
    hasLog: hasTaskLog(folder, key) || (task.attempts > 0 && engine.ledger.logs !== undefined),
    elsewhere: elsewhereOf(place, look, key),
    commit: status.commit,
    decisions: look.status.decisions.filter((one) => one.task === key).map(({ id }) => id),
  };
}

function textOrNull(text: string | null | undefined): string | null {
  return text == null || text === "" ? null : cut(text, 3000);
}

/** The newest events first; `before` leads to the older ones. */
export async function history(
  { engine }: Pick<BoardPlace, "engine">,
  task: string,
  before?: number,
): Promise<{
  readonly items: readonly HistoryItem[];
  readonly before: number | null;
}> {
  const range = before === undefined ? {} : { before };
  const found = await engine.ledger.events({ task, newestFirst: true, limit: eventsMax, ...range });
  const items = fitting(found.map(historyItem), 24 * 1024);
  const last = items.at(-1);
  const isAll = items.length === found.length && found.length < eventsMax;
  return { items, before: isAll || last === undefined ? null : last.seq };
}

function remarksOf({
  evidence,
  weakened,
  unproven_claims: claims,
  unproven_deeds: deeds,
  manual_steps: steps,
}: TaskStatus) {
  return [
    ...untestedIn(evidence).map(untestedText),
    ...weakened.map(({ path, what }) => `tests weakened: ${path}: ${what}`),
    ...claims.map(
      (path) => `unproven claim: the agent says that it changed ${path}, but its work does not contain that`,
    ),
    ...deeds.map((deed) => `unproven claim: the agent says "${deed}", but nothing confirms it`),
    ...steps.map((step) => `left to do by hand: ${step}`),
  ]
    .slice(0, 20)
    .map((line) => cut(line, 400));
}

function evidenceOf({ folder }: BoardPlace, { evidence }: Task): readonly EvidenceItem[] {
  return evidence.map((one, at) => {
    const record =
      "after" in one
        ? one
        : { kind: "check", outcome: one.exit === 0 ? "pass" : "fail", before: null, after: one };
    const { before, after } = record;
    return {
      number: at + 1,
      command: cut(one.command, 400),
      tree: one.tree,
      ...{ kind: record.kind, outcome: record.outcome, before: before?.exit ?? null, after: after.exit },
      ...{ seconds: after.seconds, digest: after.digest, excerpt: cut(outputOf(after), 1500) },
      hasOutput: outputFile(folder, one) !== undefined,
    };
  });
}
