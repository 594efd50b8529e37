import { sessionOfKey } from "../../../core/names/task-name.ts";
import { maskDocument } from "../../../core/secrets/mask-document.ts";
import type { TaskState } from "../../../core/tasks/states.ts";
import type { Task } from "../../../core/tasks/task.ts";
import { appendToMemory } from "../../../workspace/state/append-to-memory.ts";
import type { RunContext, RunTask } from "../../attempt/run-context.ts";

type Context = Pick<RunContext, "repository" | "engine">;
type Logged = Pick<RunTask, "key"> & {
  readonly packet: { readonly assignment: Pick<RunTask["packet"]["assignment"], "worklog_path"> };
};

/** Lockstep's own entries in a worklog, one JSON document per line. */
export interface WorklogEntry {
  readonly actor: string;
  readonly action: string;
  readonly files_touched: readonly string[];
  readonly decision: unknown;
  readonly result: string;
  readonly next_step: string;
  /** The rule that stopped the task; null if none did. */
  readonly code?: string | null;
  /** `synthesised`: the agent gave no usable report. */
  readonly report?: "agent" | "synthesised";
  readonly commits_count?: number;
  readonly turns_used?: number;
}

export async function addEntry(
  { repository: { root }, engine }: Context,
  { key, packet }: Logged,
  entry: WorklogEntry,
): Promise<void> {
  const timestamp = new Date(engine.clock.now().wallMs).toISOString();
  const run_id = sessionOfKey(key) ?? key;
  const line = await maskDocument({ timestamp, run_id, task_id: key, ...entry });
  appendToMemory(root, packet.assignment.worklog_path, `${JSON.stringify(line)}\n`);
}

const stopped: readonly TaskState[] = ["BLOCKED", "FAILED", "ESCALATED"];

/** Adds an entry with the code and the next step when a task is blocked or fails (C-20). */
export async function logStop(
  context: Context,
  logged: Logged,
  { before, now }: { readonly before: Task | undefined; readonly now: Task },
): Promise<void> {
  const { state, attempts, refusal } = now;
  if (before === undefined || attempts === 0 || !stopped.includes(state)) return;
  if (before.state === state && before.attempts === attempts) return;
  await addEntry(context, logged, {
    ...{ actor: "lockstep", action: "stop", files_touched: [] },
    decision: refusal?.reason ?? null,
    result: state,
    code: refusal?.code ?? null,
    next_step: nextStep(now),
  });
}

function nextStep({ key, state, hold, counters }: Task): string {
  if (state !== "BLOCKED")
    return `lockstep task show ${key}, then lockstep task resolve ${key} --note TEXT or lockstep task cancel ${key} --reason TEXT`;
  if (hold?.kind === "deny" && counters.block_retries === 0) return "it will be retried once";
  if (hold?.by != null) return `it waits for ${hold.by}`;
  return `lockstep task retry ${key}`;
}
