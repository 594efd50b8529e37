import { planCommand } from "../core/names/session-paths.ts";
import { decisionKinds } from "../core/tasks/decision-kinds.ts";
import { printable } from "../core/text/printable.ts";
import type { Engine } from "../engine/change/engine.ts";
import { dataOf } from "../ledger/event-data.ts";
import { runAtWork } from "../server/run-at-work.ts";
import type { Project } from "../workspace/files/find-project.ts";
import { openStateFolder } from "../workspace/state/state-folder.ts";
import { publishOpen } from "./files/publish-status.ts";

export interface AfterAnswer {
  readonly isShown: boolean;
  /** Messages for the person: what failed, and how to continue. */
  readonly lines: readonly string[];
}

/** Publishes answers in the status.json of their sessions, and says how to continue these sessions. */
export async function afterAnswer(
  { engine, project }: { readonly engine: Engine; readonly project: Project },
  settled: readonly string[],
): Promise<AfterAnswer> {
  const stateFolder = openStateFolder(project);
  const root = project.place.realRoot ?? project.place.root;
  const refused = await publishOpen(engine, { root, stateFolder });
  const isAtWork = runAtWork(stateFolder) !== undefined;
  const lineFor = ({ session, command }: Waiting) =>
    isAtWork ? `the active run continues ${session}` : `to continue: ${command}`;
  return {
    isShown: refused.length === 0,
    lines: [
      ...refused.map(({ code, reason }) => `lockstep: ${code}: ${reason}`),
      ...(await waitingFor(engine, settled)).map(lineFor),
      ...(await landingsOf(engine, settled)),
    ],
  };
}

interface Waiting {
  readonly session: string;
  /** Continues the session. */
  readonly command: string;
}

const over = ["MERGED", "FAILED", "ESCALATED"];

/** The unfinished sessions that the answers belong to. */
async function waitingFor({ ledger }: Engine, settled: readonly string[]): Promise<readonly Waiting[]> {
  const decisions = (await ledger.decisions()).filter(({ id }) => settled.includes(id));
  const found = new Map<string, string>();
  for (const { task: key } of decisions) {
    const name = key.slice(0, Math.max(0, key.lastIndexOf("/")));
    const workflow = name === "" ? undefined : await ledger.session(name);
    const task = await ledger.task(key);
    if (workflow !== undefined && workflow.state !== "DONE") found.set(name, `lockstep resume ${name}`);
    else if (task !== undefined && task.session !== null && !over.includes(task.state))
      found.set(task.session, planCommand(task.session));
  }
  return [...found].map(([session, command]) => ({ session, command }));
}

/** An answer about a landing takes effect when the branch is landed again. */
async function landingsOf({ ledger }: Engine, settled: readonly string[]): Promise<readonly string[]> {
  const lines: string[] = [];
  for (const { id, kind, task, answer } of await ledger.decisions()) {
    if (!settled.includes(id) || !decisionKinds[kind].landing || (await ledger.task(task)) !== undefined)
      continue;
    const before = /^refuse/.test(answer ?? "") ? "change the branch, then " : "";
    lines.push(`next: ${before}${printable(await againCommand(ledger, task))}`);
  }
  return lines;
}

/** The command that lands a branch with the same options as before. */
async function againCommand(ledger: Engine["ledger"], branch: string): Promise<string> {
  const events = await ledger.events({ type: "land.refused", newestFirst: true });
  const last = events.map((event) => dataOf(event, "land.refused")).find((data) => data?.branch === branch);
  return last?.command ?? `lockstep land ${branch}, with the same options as before`;
}
