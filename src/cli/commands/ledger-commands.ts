import { planCommand } from "../../core/names/session-paths.ts";
import { sessionOfKey } from "../../core/names/task-name.ts";
import type { Verdict } from "../../core/rules/verdict.ts";
import type { AnswerOf } from "../../engine/operate.ts";
import { currentFolder, findProject } from "../../workspace/files/find-project.ts";
import { localTime } from "../../workspace/process/local-time.ts";
import { showBreaker } from "../../workspace/state/breaker-file.ts";
import { hasLedger } from "../../workspace/state/has-ledger.ts";
import { type AskOptions, ask } from "../open/ask.ts";
import { wholeName } from "../open/find-task.ts";
import { showReading } from "../output/reading.ts";
import { counted, table } from "../output/table.ts";
import { tellVerdict } from "../output/verdicts.ts";

interface JsonOption extends AskOptions {
  readonly json?: boolean;
}

export function lockListCommand({ json, all }: JsonOption & { readonly all?: boolean }): Promise<number> {
  const text = ({ locks }: AnswerOf<"lock-list">) =>
    locks.length === 0
      ? "no locks are held\n"
      : table(
          ["TASK", "LOCK", "EPOCH", "HELD", "LEASE ENDS"],
          locks.map(({ task_id, resource, kind, epoch, active, lease_expires_at }) => [
            task_id,
            kind === "path" ? resource : `${resource} (${kind})`,
            String(epoch),
            active ? "yes" : "no",
            lease_expires_at === null ? "-" : localTime(lease_expires_at),
          ]),
        );
  return showReading({ json, text }, () => ask("lock-list", { all: all === true }));
}

export async function reconcileCommand({
  json,
  acceptLoss: accepting,
}: JsonOption & { readonly acceptLoss?: boolean }): Promise<number> {
  const text = ({ tasks, locks, events, problems }: AnswerOf<"reconcile">) =>
    problems.length === 0
      ? `${counted(tasks, "task")}, ${counted(locks, "held lock")} and ${counted(events, "event")} agree\n`
      : table(
          ["CHECK", "TASK", "PROBLEM"],
          problems.map(({ check, task, problem }) => [check, task ?? "-", problem]),
        );
  const exit = ({ problems }: AnswerOf<"reconcile">) => (problems.length === 0 ? 0 : 1);
  return showReading({ json, text, exit }, async () => {
    if (accepting === true) await acceptAndTell();
    return ask("reconcile", {});
  });
}

async function acceptAndTell(): Promise<void> {
  const { acceptLost, tellKept } = await import("./manage-ledger.ts");
  const { kept } = await acceptLost(findProject(currentFolder()));
  tellKept(kept);
}

export function widenCommand(
  name: string,
  paths: readonly string[],
  { why = "", json, ...options }: JsonOption & { readonly why?: string },
): Promise<0 | 2> {
  const text = ({ details }: Verdict) => {
    const granted = details?.granted as readonly string[] | undefined;
    if (details?.decision !== undefined)
      return `a person decides (${String(details.decision)}); continue in the meantime`;
    if (granted === undefined || granted.length === 0)
      return "nothing to add: the task already holds these paths";
    const state = String(details?.state);
    if (state === "IN_PROGRESS") return `now also held: ${granted.join(", ")}`;
    return `the next attempt may also write: ${granted.join(", ")}; to start it: ${startOf(state, { name, key: String(details?.task_id) })}`;
  };
  return tellVerdict({ json, text }, async () =>
    ask("widen", { task: await wholeName(name), paths, why }, options),
  );
}

/** The commands that start a task's next attempt. */
function startOf(state: string, { name, key }: { readonly name: string; readonly key: string }): string {
  const session = sessionOfKey(key);
  const run = `\`${session === null ? "lockstep run" : planCommand(session)}\``;
  if (state === "ESCALATED" || state === "FAILED")
    return `\`lockstep task resolve ${name} --note "…"\`, then ${run}`;
  return state === "BLOCKED" ? `\`lockstep task retry ${name}\`, then ${run}` : run;
}

function stopOnDisk(mode: "PAUSE" | "STOP"): void {
  const project = findProject(currentFolder());
  if (hasLedger(project)) showBreaker(project, mode);
}

const breakerTexts = {
  pause: "paused: nothing new starts, running work may finish",
  "stop-all": "stopped: nothing starts and nothing is written",
  clear: "cleared: work may continue",
} as const;

export function breakerCommand(
  operation: keyof typeof breakerTexts,
  { json, reason, ...options }: JsonOption & { readonly reason?: string },
): Promise<number> {
  const text = ({ details }: Verdict) => {
    const running = counted(Number(details?.running ?? 0), "running task");
    return `${details?.dry_run === true ? "would be " : ""}${breakerTexts[operation]} (${running})`;
  };
  // Hooks read it from disk, even if the ledger cannot be opened.
  if (operation !== "clear" && options.dryRun !== true) stopOnDisk(operation === "pause" ? "PAUSE" : "STOP");
  return tellVerdict({ json, text }, () =>
    ask(operation, reason === undefined ? {} : { reason }, { ...options, create: true }),
  );
}
