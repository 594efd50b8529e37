import { sessionPath } from "../../core/names/session-paths.ts";
import { concernsSession, isMeta, isOfSession } from "../../core/names/task-name.ts";
import type { Session } from "../../core/session/session.ts";
import { wrapped } from "../../core/text/display-width.ts";
import { decisionName } from "../../engine/decisions/decision-ids.ts";
import { readStatus, type Status } from "../../engine/views/read-status.ts";
import type { IntegrationContext } from "../../run/landing/integration.ts";
import { statusNames } from "../../view/status-names.ts";
import { outcomeExits } from "../output/exit-of.ts";
import { style } from "../output/style.ts";
import { printable } from "../output/table.ts";
import { lessLines } from "../run-view/less-lines.ts";
import { questionLines } from "../run-view/question-lines.ts";
import { type Isolation, pushCommand } from "./report-run.ts";
import { taskTable } from "./task-table.ts";

type How = "over" | "waiting" | "stopped";

/** The result of a session: the text for people (S4-005), and the document for programs. */
export async function reportSession(
  context: IntegrationContext,
  session: Session,
  how: How,
  /** The isolation of its agents; absent if no agent ran. */
  walls?: Isolation,
) {
  const status = await readStatus(context.engine);
  const { name } = session;
  const tasks = status.tasks.filter(({ key }) => isOfSession(key, name) && !isMeta(key));
  const decisions = status.decisions.filter(({ task }) => concernsSession(task, name));
  const outcome = outcomeOf(session, how);
  const document = { ...status, session: name, outcome, tasks, decisions, walls: walls ?? status.walls };
  const nameOf = statusNames(status.tasks).of;
  const push = await pushCommand(context, tasks);
  const parts = [
    [`${style.bold(name)}  ${stateWords(session)}`, ...headLines(session, how)],
    ...(how === "waiting" ? decisions.map((one) => decisionLines(one, status.decisions, nameOf)) : []),
    tasks.length === 0 ? [] : [taskTable(tasks, nameOf).trimEnd()],
    lessLines(tasks, nameOf),
    session.knownIssues.flatMap((issue) => indented(`known issue: ${issue}`, "  ")),
    [...lastLines(session, how), ...(push === null ? [] : [`${style.dim("to share it:")} ${push}`])],
  ];
  const text = parts.filter((part) => part.length > 0).map((part) => `${part.join("\n")}\n`);
  return { exit: outcomeExits[outcome], text: text.join("\n"), refusals: [], document };
}

function outcomeOf({ state }: Session, how: How): "merged" | "failed" | "waiting" | "stopped" {
  if (state === "DONE") return "merged";
  if (state === "BLOCKED") return "failed";
  return how === "waiting" ? "waiting" : "stopped";
}

function stateWords({ state, blocker }: Session): string {
  if (blocker !== null) return `${style.red(state)} in ${blocker.from}`;
  return state === "DONE" ? style.green(state) : state;
}

/** The goal, or what blocks the session. */
function headLines({ blocker, goal }: Session, how: How): readonly string[] {
  if (blocker !== null)
    return [
      ...indented(`${blocker.code}: ${blocker.reason}`, "  "),
      ...indented(`next: ${blocker.recovery}`, "  "),
    ];
  return how === "waiting" ? [] : indented(goal, "  ");
}

function decisionLines(
  one: Status["decisions"][number],
  pending: Status["decisions"],
  nameOf: (task: string) => string,
): readonly string[] {
  return [
    `${style.bold(decisionName(pending, one.id))}  is waiting for your answer`,
    ...questionLines(one, { pending, nameOf }),
  ];
}

/** How to continue. */
function lastLines({ name, state, blocker }: Session, how: How): readonly string[] {
  if (state === "DONE") return [`report: ${sessionPath(name, "report.md")}`];
  if (blocker !== null) return [];
  return how === "waiting"
    ? [`then: lockstep resume ${name}`]
    : [`stopped; all work is kept. To continue: \`lockstep resume ${name}\``];
}

function indented(text: string, indent: string): readonly string[] {
  const columns = ((process.stdout.isTTY && process.stdout.columns) || 80) - indent.length;
  return wrapped(printable(text), columns).map((line) => `${indent}${line}`);
}
