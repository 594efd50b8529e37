import type { BoardRight, MachineItem, Overview, Tone } from "../../contract/board.ts";
import { concernsSession, sessionOfKey } from "../../core/names/task-name.ts";
import type { Task } from "../../core/tasks/task.ts";
import { compareNames } from "../../core/text/compare-names.ts";
import { sessionsIn } from "../../engine/views/list-sessions.ts";
import type { TaskStatus } from "../../engine/views/read-status.ts";
import { runAtWork } from "../../server/run-at-work.ts";
import { continueCommands } from "../../view/continue-run.ts";
import { machineWord } from "../../view/machine-words.ts";
import { needsPerson } from "../../view/needs-person.ts";
import { isMerged, isTaken } from "../../view/task-words.ts";
import { breakerText, isolationWords, sumOf } from "../../view/words.ts";
import { fitting, short } from "./bounded.ts";
import type { BoardPlace, Look } from "./look.ts";
import { groupsOf, namedTask } from "./task-rows.ts";

const sessionsMax = 50;

/** The frame of every view: what runs, what waits, how much there is of everything. */
export function overview(place: BoardPlace, look: Look, may: BoardRight): Overview {
  const { engine, config, folder } = place;
  const { status, names, tasks } = look;
  const run = runAtWork(folder);
  const sessions = sessionItems(look);
  const machines = machineItems(look);
  return {
    seq: look.seq,
    now: new Date(engine.clock.now().wallMs).toISOString(),
    project: place.name,
    base: config.base_branch,
    may,
    run: run === undefined ? null : { pid: run.pid, isolation: isolationWords({ ...run.walls, diff: true }) },
    machines,
    remarks: remarksOf(look, machines, run !== undefined),
    needs: needsPerson(status.decisions, status.tasks.filter(isShown), names.of, status.landings).length,
    groups: groupsOf(tasks),
    total: tasks.length,
    landed: status.tasks.filter(isMerged).length,
    tokens: sumOf(status.tasks.map(({ usage }) => usage.tokens)),
    costUsd: status.cost_usd,
    sessions: fitting(sessions, 16 * 1024),
  };
}

/** The newest first. */
function sessionItems({ survey, status, byKey }: Look): Overview["sessions"] {
  const statusOf = ({ key }: Pick<Task, "key">) => byKey.get(key) as TaskStatus;
  return sessionsIn(survey, { asked: status.decisions, statusOf })
    .slice(0, sessionsMax)
    .map(({ name, state, goal, tasks, created_at: at }) => ({
      ...{ name, state, ...tasks, at },
      goal: goal === null ? null : short(goal, 120),
    }));
}

/** This machine first, then the others by name; dead ones last. */
function machineItems(look: Look): Overview["machines"] {
  const items = (look.status.machines ?? []).map((one): MachineItem => {
    const [tasks, holds] = [one.tasks, one.holds];
    return {
      ...{ name: short(one.name, 40), isThis: one.is_this, isGone: one.gone, isDraining: one.draining },
      word: machineWord(one),
      ...{ seenAt: one.last_seen_at, slots: one.slots, running: tasks.length },
      labels: one.labels.slice(0, listMax).map((label) => short(label, 40)),
      lacks: one.lacks.slice(0, listMax).map((why) => short(why, 200)),
      conducts: one.conducts.slice(0, listMax).map((session) => short(session, 80)),
      tasks: [...tasks, ...holds].slice(0, listMax).map((key) => namedTask(look, key)),
    };
  });
  const rank = ({ isThis, isGone }: MachineItem) => (isThis ? 0 : isGone ? 2 : 1);
  const sorted = items.toSorted(
    (one, other) => rank(one) - rank(other) || compareNames(one.name, other.name),
  );
  return fitting(sorted, 16 * 1024);
}

const listMax = 10;

export function isShown({ archived }: { readonly archived: boolean }): boolean {
  return !archived;
}

const open = ["PENDING", "IN_PROGRESS", "REVIEW", "REJECTED"];

function remarksOf(
  { status, tasks, names }: Look,
  machines: readonly MachineItem[],
  isRunning: boolean,
): Overview["remarks"] {
  const { breaker, workflow, decisions } = status;
  const remark = (tone: Tone, text: string) => ({ tone, text: short(text, 300) });
  const asked = new Set(decisions.map(({ task }) => task));
  const conducted = new Set(machines.flatMap(({ isGone, conducts }) => (isGone ? [] : conducts)));
  const left = tasks.filter(
    ({ task }) =>
      ![null, ...conducted].includes(sessionOfKey(task.key)) &&
      open.includes(task.state) &&
      !isTaken(task) &&
      !asked.has(task.key),
  );
  const isWaiting =
    workflow !== null &&
    workflow.over === null &&
    workflow.blocker === null &&
    !conducted.has(workflow.session);
  // What it has handed in is not lost.
  const dead = (status.machines ?? []).filter(({ gone, tasks: own }) => gone && own.length > 0);
  return [
    ...(breaker.mode === "CLEAR" ? [] : [remark("bad", breakerText(breaker))]),
    ...(workflow?.blocker == null
      ? []
      : [
          remark(
            "bad",
            `${workflow.session} is blocked: ${workflow.blocker.reason}; ${workflow.blocker.recovery}`,
          ),
        ]),
    ...dead.map(({ name, tasks: own }) =>
      remark(
        "wait",
        `${name} is dead: what it was doing (${own.map(names.of).join(", ")}) is done again once the leases end`,
      ),
    ),
    ...(isRunning || workflow === null || !isWaiting
      ? []
      : decisions.some(({ task }) => concernsSession(task, workflow.session))
        ? []
        : [remark("wait", `no run is active: to continue, run \`lockstep resume ${workflow.session}\``)]),
    ...(isRunning || isWaiting || left.length === 0
      ? []
      : [
          remark(
            "wait",
            `no run is active: to continue, run ${continueCommands(left.map(({ task }) => task.key))}`,
          ),
        ]),
  ];
}
