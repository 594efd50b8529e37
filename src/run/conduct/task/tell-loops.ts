import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { sessionPath } from "../../../core/names/session-paths.ts";
import { isOfSession } from "../../../core/names/task-name.ts";
import { haltIn } from "../../../core/tasks/halt-details.ts";
import { shortened } from "../../../core/text/quoted.ts";
import { dataOf, type EventData } from "../../../ledger/event-data.ts";
import type { LedgerEvent } from "../../../ledger/ledger.ts";
import type { RunContext } from "../../attempt/run-context.ts";

const diagnosticsLengthMax = 4000;

type Context = Pick<RunContext, "session" | "remember" | "onTask"> & {
  readonly engine: Pick<RunContext["engine"], "ledger">;
  readonly repository: Pick<RunContext["repository"], "root">;
};

/**
 * Reports a warning or halt of one of the session's tasks. A halt is also written into the session's memory with its
 * diagnostics (S1-133). Ignores other events.
 */
export function tellLoop(context: Context, event: LedgerEvent): void {
  const { task } = event;
  if (task === null) return;
  const warning = dataOf(event, "task.warned");
  if (warning !== undefined) context.onTask(task, { type: "said", text: `warning: ${warningOf(warning)}` });
  const refusal = dataOf(event, "task.halted")?.refusal;
  if (refusal === undefined) return;
  const reason = `${refusal.code ?? "halted"}: ${refusal.reason}`;
  context.onTask(task, { type: "said", text: `halted: ${reason}` });
  const diagnostics = JSON.stringify(haltIn(refusal) ?? {});
  context.remember(
    "activeContext.md",
    [
      `loop detected in ${task} ${markOf(event)}: ${reason}`,
      `  diagnostics: ${shortened(diagnostics, diagnosticsLengthMax)}`,
      `  escalated: \`lockstep task show ${task}\`, then \`task resolve ${task} --note …\` or \`task cancel ${task} --reason …\``,
    ].join("\n"),
  );
}

/** Writes the halts that an interrupted run has not written. Called once, before a run begins. */
export async function rememberHalts(context: Context): Promise<void> {
  const { engine, repository, session } = context;
  const file = join(repository.root, sessionPath(session, "activeContext.md"));
  const written = existsSync(file) ? readFileSync(file, "utf8") : "";
  for (const event of await engine.ledger.events({ type: "task.halted" }))
    if (isOfSession(event.task ?? "", session) && !written.includes(markOf(event))) tellLoop(context, event);
}

/** The warning of a loop has a reason; that of a budget has numbers. */
function warningOf(warning: Partial<EventData["task.warned"]>): string {
  const { reason, signal = "", halt = null } = warning;
  if (reason !== undefined) return reason;
  const end = halt === null ? "" : `, the task is halted at ${halt}`;
  return `${warning[signal]} ${signal} are spent${end}`;
}

function markOf({ seq }: LedgerEvent): string {
  return `(event ${seq})`;
}
