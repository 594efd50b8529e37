import { join } from "node:path";
import { copyName, sessionsFolder } from "../../core/names/session-paths.ts";
import { concernsSession, isOfSession, originalOf } from "../../core/names/task-name.ts";
import { isSessionOver } from "../../core/session/session.ts";
import { listSessions } from "../../engine/views/list-sessions.ts";
import type { IntegrationContext } from "../../run/landing/integration.ts";
import { runAtWork } from "../../server/run-at-work.ts";
import { reportRun } from "../look/report-run.ts";
import { reportSession } from "../look/report-session.ts";
import { inRepository } from "../open/in-repository.ts";
import { CommandFault } from "../output/command-fault.ts";
import { printable } from "../output/table.ts";
import { planOf } from "./session.ts";

/** `lockstep report --run`: the report that the run printed at its end, with the current state of the tasks. */
export function reportAgainCommand(
  name: string | undefined,
  { json }: { readonly json?: boolean },
): Promise<number> {
  return inRepository(
    "report",
    { dryRun: true, ...(json === undefined ? {} : { json }) },
    async (context) => {
      const session = await sessionNamed(context, name);
      const found = await context.engine.ledger.session(session);
      if (found !== undefined) {
        const decisions = await context.engine.ledger.decisions({ state: "pending" });
        const isAsked = decisions.some(({ task }) => concernsSession(task, session));
        const how = isSessionOver(found) ? "over" : isAsked ? "waiting" : "stopped";
        return { ...(await reportSession(context, found, how)), exit: 0 };
      }
      return { ...(await reportPlan(context, session)), exit: 0 };
    },
  );
}

async function sessionNamed({ engine }: IntegrationContext, name: string | undefined): Promise<string> {
  const sessions = await listSessions(engine);
  const found = name === undefined ? sessions[0] : sessions.find((session) => session.name === name);
  if (found !== undefined) return found.name;
  throw new CommandFault(
    "R-IN-001",
    name === undefined
      ? "there is no run to report on yet"
      : `there is no session \`${printable(name)}\`: \`lockstep session list\` shows all`,
  );
}

async function reportPlan(context: IntegrationContext, session: string) {
  const { engine, repository } = context;
  const tasks = await engine.ledger.tasks({ session });
  const attempts = (await engine.ledger.survey()).attempts.filter(({ task }) => isOfSession(task, session));
  const starts = attempts.map(({ startedAt }) => Date.parse(startedAt));
  const ends = attempts.map(({ endedAt, beatAt }) => Date.parse(endedAt ?? beatAt));
  const atWork = runAtWork(join(repository.commonFolder, "lockstep"));
  const plan = planOf(repository.root, session) ?? join(sessionsFolder, session, copyName);
  return reportRun(context, {
    session,
    ids: new Set(tasks.map(({ id }) => originalOf(id))),
    goOn: `lockstep run ${plan}`,
    ...{ stopped: atWork !== undefined, left: atWork?.pid },
    seconds: attempts.length === 0 ? 0 : (Math.max(...ends) - Math.min(...starts)) / 1000,
  });
}
