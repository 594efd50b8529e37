import { sessionPath } from "../../../core/names/session-paths.ts";
import { isMeta } from "../../../core/names/task-name.ts";
import { isIn, type Task } from "../../../core/tasks/task.ts";
import type { Engine } from "../../../engine/change/engine.ts";
import { isLandedBranch } from "../../../engine/change/plan-rollback.ts";
import { appendToMemory } from "../../../workspace/state/append-to-memory.ts";

/** What a person needs to know to take over a session (S1-106). */
export interface SessionReport {
  readonly state: Readonly<Record<string, number>>;
  readonly completed: readonly string[];
  readonly unfinished: readonly {
    readonly task: string;
    readonly state: string;
    readonly reason: string | null;
  }[];
  readonly recommended: readonly string[];
  /** The file to which the report was appended. */
  readonly file: string;
}

export interface SessionFacts {
  readonly session: string;
  readonly reverted: readonly string[];
  readonly wayBack: readonly string[];
}

/** Reports what a rolled-back session has left and appends the report to its `activeContext.md`. */
export async function reportSession(
  { ledger, clock }: Engine,
  root: string,
  { session, reverted, wayBack }: SessionFacts,
): Promise<SessionReport> {
  const tasks = (await ledger.tasks({ session })).filter(({ key }) => !isMeta(key));
  const file = sessionPath(session, "activeContext.md");
  const state: Record<string, number> = {};
  for (const task of tasks) state[wordOf(task)] = (state[wordOf(task)] ?? 0) + 1;
  const report = {
    state,
    completed: tasks.filter((task) => task.state === "MERGED").map(lineOf),
    unfinished: tasks
      .filter((task) => task.state !== "MERGED")
      .map(({ key, state: now, refusal }) => ({ task: key, state: now, reason: refusal?.reason ?? null })),
    recommended: recommend(tasks, { session, reverted, wayBack }),
    file,
  };
  const at = new Date(clock.now().wallMs).toISOString();
  appendToMemory(root, file, contextEntry(at, report));
  return report;
}

function recommend(tasks: readonly Task[], { reverted, wayBack }: SessionFacts): readonly string[] {
  const escalated = tasks.filter(({ state }) => state === "ESCALATED").map(({ key }) => key);
  const redone = tasks.filter((task) => reverted.includes(task.key) && !isLandedBranch(task));
  return [
    ...escalated.map(
      (key) =>
        `to answer ${key}: lockstep task resolve ${key} --note "…", or lockstep task cancel ${key} --reason "…"`,
    ),
    ...redone.map(({ key }) => `to do ${key} again: lockstep task retry ${key} && lockstep run`),
    ...(wayBack.length === 0 ? [] : [`to bring everything back: ${wayBack.join(" && ")}`]),
  ];
}

function contextEntry(
  at: string,
  { state, completed, unfinished, recommended }: Omit<SessionReport, "file">,
): string {
  const list = (lines: readonly string[]) =>
    lines.length === 0 ? ["- none"] : lines.map((line) => `- ${line}`);
  const counts = Object.entries(state).map(([word, count]) => `${count} ${word}`);
  return [
    `## ${at} session rolled back`,
    "",
    `State: ${counts.join(", ")}`,
    "",
    "Completed:",
    ...list(completed),
    "",
    "Not completed:",
    ...list(
      unfinished.map(
        ({ task, state: now, reason }) => `${task} ${now}${reason === null ? "" : `: ${reason}`}`,
      ),
    ),
    "",
    "Recommended:",
    ...list(recommended),
    "",
    "",
  ].join("\n");
}

function wordOf(task: Task): string {
  return task.state === "MERGED" && !isIn(task) ? "rolled back" : task.state;
}

function lineOf(task: Task): string {
  const title = task.title === null ? "" : ` ${task.title}`;
  return `${task.key}${title}${isIn(task) ? "" : " (rolled back)"}`;
}
