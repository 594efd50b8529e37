import { copyName, sessionPath } from "../../core/names/session-paths.ts";
import type { Engine } from "../../engine/change/engine.ts";
import { publishOpen } from "../../session/files/publish-status.ts";
import { openStateFolder } from "../../workspace/state/state-folder.ts";
import type { Opened } from "../open/open-engine.ts";
import { runAtWork } from "../open/run-at-work.ts";

export interface AfterAnswer {
  readonly isShown: boolean;
  /** What a person hears: what could not be shown, and what goes on. */
  readonly lines: readonly string[];
}

/** Shows answers in status.json of their sessions, and says how to go on with those. */
export async function afterAnswer(
  { engine, project }: Pick<Opened, "engine" | "project">,
  settled: readonly string[],
): Promise<AfterAnswer> {
  const stateFolder = openStateFolder(project);
  const root = project.place.realRoot ?? project.place.root;
  const refused = await publishOpen(engine, { root, stateFolder });
  const isAtWork = runAtWork(stateFolder) !== undefined;
  const goOn = ({ session, command }: Waiting) =>
    isAtWork ? `the run at work continues ${session}` : `to go on: ${command}`;
  return {
    isShown: refused.length === 0,
    lines: [
      ...refused.map(({ code, reason }) => `lockstep: ${code}: ${reason}`),
      ...(await waitingFor(engine, settled)).map(goOn),
    ],
  };
}

interface Waiting {
  readonly session: string;
  /** That goes on with it. */
  readonly command: string;
}

const over = ["MERGED", "FAILED", "ESCALATED"];

/** The sessions that the answers were for, if something is left to do in them. */
async function waitingFor({ ledger }: Engine, settled: readonly string[]): Promise<readonly Waiting[]> {
  const decisions = (await ledger.decisions()).filter(({ id }) => settled.includes(id));
  const found = new Map<string, string>();
  for (const { task: key } of decisions) {
    const name = key.slice(0, Math.max(0, key.lastIndexOf("/")));
    const workflow = name === "" ? undefined : await ledger.session(name);
    const task = await ledger.task(key);
    if (workflow !== undefined && workflow.state !== "DONE") found.set(name, `lockstep resume ${name}`);
    else if (task !== undefined && task.session !== null && !over.includes(task.state))
      found.set(task.session, `lockstep run ${sessionPath(task.session, copyName)}`);
  }
  return [...found].map(([session, command]) => ({ session, command }));
}
