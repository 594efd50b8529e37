import type { BoardRight, Overview, Tone } from "../../contract/board.ts";
import { concernsSession } from "../../core/names/task-name.ts";
import type { Task } from "../../core/tasks/task.ts";
import { sessionsIn } from "../../engine/views/list-sessions.ts";
import type { TaskStatus } from "../../engine/views/read-status.ts";
import { runAtWork } from "../../server/run-at-work.ts";
import { needsPerson } from "../../view/needs-person.ts";
import { isTaken } from "../../view/task-words.ts";
import { isolationWords, sumOf } from "../../view/words.ts";
import { fitting, short } from "./bounded.ts";
import type { BoardPlace, Look } from "./look.ts";
import { groupsOf } from "./task-rows.ts";

const sessionsMax = 50;

/** The frame of every view: what runs, what waits, how much there is of everything. */
export function overview(place: BoardPlace, look: Look, may: BoardRight): Overview {
  const { engine, config, folder } = place;
  const { status, names, tasks } = look;
  const run = runAtWork(folder);
  const sessions = sessionItems(look);
  return {
    seq: look.seq,
    now: new Date(engine.clock.now().wallMs).toISOString(),
    project: place.name,
    base: config.base_branch,
    may,
    run: run === undefined ? null : { pid: run.pid, isolation: isolationWords({ ...run.walls, diff: true }) },
    remarks: remarksOf(look, run !== undefined),
    needs: needsPerson(status.decisions, status.tasks.filter(isShown), names.of, status.landings).length,
    groups: groupsOf(tasks),
    total: tasks.length,
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

export function isShown({ archived }: { readonly archived: boolean }): boolean {
  return !archived;
}

const open = ["PENDING", "IN_PROGRESS", "REVIEW", "REJECTED"];

function remarksOf({ status, tasks }: Look, isRunning: boolean): Overview["remarks"] {
  const { breaker, workflow, decisions } = status;
  const remark = (tone: Tone, text: string) => ({ tone, text: short(text, 300) });
  const asked = new Set(decisions.map(({ task }) => task));
  const isOpen = tasks.some(
    ({ task }) =>
      task.key.includes("/") && open.includes(task.state) && !isTaken(task) && !asked.has(task.key),
  );
  const isWaiting = workflow !== null && workflow.over === null && workflow.blocker === null;
  return [
    ...(breaker.mode === "CLEAR"
      ? []
      : [
          remark(
            "bad",
            `${breaker.mode === "PAUSE" ? "paused" : "stopped"}${breaker.reason === null ? "" : `: ${breaker.reason}`}; \`lockstep clear\` resumes work`,
          ),
        ]),
    ...(workflow?.blocker == null
      ? []
      : [
          remark(
            "bad",
            `${workflow.session} is blocked: ${workflow.blocker.reason}; ${workflow.blocker.recovery}`,
          ),
        ]),
    ...(isRunning || workflow === null || !isWaiting
      ? []
      : decisions.some(({ task }) => concernsSession(task, workflow.session))
        ? []
        : [remark("wait", `no run is active: \`lockstep resume ${workflow.session}\` continues`)]),
    ...(isRunning || isWaiting || !isOpen
      ? []
      : [remark("wait", "no run is active: `lockstep run` continues")]),
  ];
}
