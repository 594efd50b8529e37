import type { ProcessIdentity } from "../../core/leases/process-identity.ts";
import { storeShape } from "../../core/paths/stored-shape.ts";
import type { Task } from "../../core/tasks/task.ts";
import type { Attempt, NewLock } from "../../ledger/ledger.ts";
import type { Draft } from "../change/draft.ts";
import type { Judged } from "./judge-dispatch.ts";

interface Opening {
  readonly task: Task;
  readonly judged: Judged;
  readonly runner: ProcessIdentity | null;
  /** The default time limit of an attempt. */
  readonly minutesMax: number | null;
}

/**
 * Creates an attempt with the next epoch and the locks of its whole scope. Epochs come from the fence, which
 * grows each time locks are taken, so they increase for every task and every path (INV-2).
 */
export function openAttempt(
  draft: Draft,
  { task, judged, runner, minutesMax }: Opening,
): { attempt: Attempt; locks: readonly NewLock[] } {
  const { clock, machine } = draft.engine;
  const { wallMs, monoMs, boot } = clock.now();
  const at = new Date(wallMs).toISOString();
  const epoch = judged.fence + 1;
  const attempt: Attempt = {
    task: task.key,
    number: task.attempts,
    epoch,
    version: 0,
    agent: task.agent,
    ...(machine === undefined ? {} : { machine }),
    lease: { boot, beatMs: monoMs, timeoutSeconds: judged.timeoutSeconds },
    leaseState: "running",
    startedAt: at,
    startedMs: monoMs,
    beatAt: at,
    endedAt: null,
    tokens: 0,
    worklogBytes: judged.worklogBytes,
    runner,
    minutesMax: task.continued?.minutes ?? minutesMax,
    warned: [],
  };
  const { previous } = judged;
  if (previous !== undefined && previous.leaseState !== "over")
    draft.putAttempt({ ...previous, leaseState: "over", endedAt: at });
  draft.putAttempt(attempt);
  draft.putTask({ ...task, epoch, continued: null });
  draft.release(task.key);
  const lock = { task: task.key, epoch, takenAt: at };
  const paths = judged.entries.map(({ text, shapes }) => ({
    ...lock,
    kind: "path" as const,
    resource: text,
    shapes: shapes.map(storeShape),
  }));
  const resources = judged.uses.map((resource) => ({
    ...lock,
    kind: "resource" as const,
    resource,
    shapes: [],
  }));
  return { attempt, locks: [...paths, ...resources] };
}
