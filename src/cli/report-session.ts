import { isMeta } from "../core/session/meta-key.ts";
import type { Session } from "../core/session/session.ts";
import { readStatus, type Status } from "../engine/read-status.ts";
import type { IntegrationContext } from "../run/integration.ts";
import { sessionsFolder } from "../workspace/plan/session-folder.ts";
import { decideCommands, questionText } from "./run-view/needs-person.ts";
import { statusNames } from "./status-names.ts";
import { style } from "./style.ts";
import { counted, printable } from "./table.ts";

interface Ended {
  readonly how: "over" | "waiting" | "stopped";
  readonly json?: boolean | undefined;
}

/** What a session came to: the one text that is for people (S4-005), and the document for programs. */
export async function reportSession(
  { engine, repository }: IntegrationContext,
  session: Session,
  { how }: Ended,
) {
  const status = await readStatus(engine);
  const isOwn = (key: string) => key.startsWith(`${session.name}/`);
  const tasks = status.tasks.filter(({ id }) => isOwn(id) && !isMeta(id));
  const decisions = status.decisions.filter(({ task }) => isOwn(task) || task.startsWith("agent:"));
  const outcome = outcomeOf(session, how);
  const document = { ...status, session: session.name, outcome, tasks, decisions };
  const text = [
    `${style.bold(session.name)}  ${session.state}`,
    ...tasks.map(
      ({ id, title, state, reason }) =>
        `  ${id.slice(session.name.length + 1)}  ${state.toLowerCase()}  ${printable(title ?? "")}${state === "MERGED" || reason === null ? "" : `: ${printable(reason)}`}`,
    ),
    ...session.knownIssues.map((issue) => `  known issue: ${printable(issue)}`),
    ...closing(session, { how, decisions, root: repository.root, nameOf: statusNames(status.tasks).of }),
  ];
  return { exit: exits[outcome], text: `${text.join("\n")}\n`, refusals: [], document };
}

const exits = { merged: 0, failed: 1, waiting: 3, running: 3 } as const;

function outcomeOf({ state }: Session, how: Ended["how"]): keyof typeof exits {
  if (state === "DONE") return "merged";
  if (state === "BLOCKED") return "failed";
  return how === "waiting" ? "waiting" : "running";
}

interface Closing extends Pick<Status, "decisions"> {
  readonly how: Ended["how"];
  readonly root: string;
  nameOf(task: string): string;
}

function closing(session: Session, { decisions, how, nameOf }: Closing): readonly string[] {
  const { name, state, blocker, goal } = session;
  if (state === "DONE") return [`done: ${printable(goal)}`, `report: ${sessionsFolder}/${name}/report.md`];
  if (blocker !== null)
    return [`blocked, ${blocker.code}: ${printable(blocker.reason)}`, `next: ${printable(blocker.recovery)}`];
  if (how !== "waiting") return [`stopped; it goes on with \`lockstep resume ${name}\``];
  return [
    `waits for ${counted(decisions.length, "answer")} of yours:`,
    ...decisions.flatMap((one) => [
      `  ${style.bold(one.id)}  ${printable(questionText(one, nameOf))}`,
      ...decideCommands(one).map((command) => `    ${command}`),
    ]),
    `then \`lockstep resume ${name}\``,
  ];
}
