import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { field } from "../../core/points/fields.ts";
import { shortened } from "../../core/points/quoted.ts";
import type { LedgerEvent } from "../../ledger/ledger.ts";
import type { RunContext } from "./run-context.ts";

const diagnosticsLengthMax = 4000;

type Context = Pick<RunContext, "session" | "remember" | "onTask"> & {
  readonly engine: Pick<RunContext["engine"], "ledger">;
  readonly repository: Pick<RunContext["repository"], "root">;
};

/**
 * Tells of a warning or a halt of one of this session's tasks, whoever found it; a halt is written into the
 * session's memory with its diagnostics (S1-133). Other events mean nothing here.
 */
export function tellLoop(context: Context, event: LedgerEvent): void {
  const { task, type, data } = event;
  if (task === null) return;
  if (type === "task.warned") context.onTask(task, { type: "said", text: `warning: ${warningOf(data)}` });
  if (type !== "task.halted") return;
  const refusal = field(data, "refusal");
  const reason = `${field(refusal, "code") ?? "halted"}: ${field(refusal, "reason")}`;
  context.onTask(task, { type: "said", text: `halted: ${reason}` });
  const diagnostics = JSON.stringify(field(field(refusal, "details"), "halt") ?? {});
  context.remember(
    "activeContext.md",
    [
      `loop detected in ${task} ${markOf(event)}: ${reason}`,
      `  diagnostics: ${shortened(diagnostics, diagnosticsLengthMax)}`,
      `  escalated: \`lockstep task show ${task}\`, then \`task resolve ${task} --note …\` or \`task cancel ${task} --reason …\``,
    ].join("\n"),
  );
}

/** What an interrupted run did not get to write; asked once, before a run begins. */
export async function rememberHalts(context: Context): Promise<void> {
  const { engine, repository, session } = context;
  const file = join(repository.root, ".agents-work", session, "activeContext.md");
  const written = existsSync(file) ? readFileSync(file, "utf8") : "";
  for (const event of await engine.ledger.events({ type: "task.halted" }))
    if (event.task?.startsWith(`${session}/`) && !written.includes(markOf(event))) tellLoop(context, event);
}

/** A budget's warning has numbers, a loop's a reason. */
function warningOf(data: unknown): string {
  const reason = field(data, "reason");
  if (typeof reason === "string") return reason;
  const signal = String(field(data, "signal"));
  const halt = field(data, "halt");
  const end = halt === undefined ? "" : `, the task is halted at ${halt}`;
  return `${field(data, signal)} ${signal} are spent${end}`;
}

function markOf({ seq }: LedgerEvent): string {
  return `(event ${seq})`;
}
