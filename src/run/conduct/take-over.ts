import type { Verdict } from "../../core/rules/verdict.ts";
import type { TaskState } from "../../core/tasks/states.ts";
import type { Task } from "../../core/tasks/task.ts";
import type { Call, Engine } from "../../engine/change/engine.ts";
import { operate } from "../../engine/operate.ts";
import { awaitAgentsEnd } from "../attempt/attempt.ts";

interface TakingOver {
  readonly engine: Engine;
  readonly call: Call;
}

/** Ends an attempt with its agent and all that this started; everything else stays as it is. */
export async function stopAttempt({ engine, call }: TakingOver, task: string): Promise<Verdict> {
  const verdict = await operate(engine, "stop", { task }, call);
  const attempt = verdict.allow ? await engine.ledger.attempt(task) : undefined;
  if (attempt !== undefined) await awaitAgentsEnd(engine, attempt);
  return verdict;
}

/** Whether there is an attempt, or one before, whose work a person could go on with. */
export function mayBeTaken({ state, attempts }: Pick<Task, "state" | "attempts">): boolean {
  return state === "IN_PROGRESS" || (attempts > 0 && betweenAttempts.includes(state));
}

const betweenAttempts: readonly TaskState[] = ["ESCALATED", "FAILED", "BLOCKED", "REJECTED", "PENDING"];

/** A new attempt in the same checkout, for a person; undefined where it has begun. */
async function startAgain({ engine, call }: TakingOver, { key, state }: Task): Promise<Verdict | undefined> {
  const note = "a person takes it over";
  const ready =
    state === "ESCALATED" || state === "FAILED"
      ? await operate(engine, "task-resolve", { task: key, note }, call)
      : state === "BLOCKED"
        ? await operate(engine, "task-retry", { task: key }, call)
        : undefined;
  if (ready?.allow === false) return ready;
  const started = await operate(engine, "dispatch", { packet: { task_id: key } }, call);
  // A run may have been quicker: the attempt is taken all the same.
  return started.allow || (await engine.ledger.task(key))?.state === "IN_PROGRESS" ? undefined : started;
}

/** Gives an attempt to a person, once its agent is gone: two would work in one checkout. */
export async function takeAttempt({ engine, call }: TakingOver, task: string): Promise<Verdict> {
  const found = await engine.ledger.task(task);
  if (found !== undefined && found.state !== "IN_PROGRESS" && mayBeTaken(found)) {
    const refused = await startAgain({ engine, call }, found);
    if (refused !== undefined) return refused;
  }
  const before = await engine.ledger.attempt(task);
  const verdict = await operate(engine, "take", { task }, call);
  const epoch = verdict.allow ? verdict.details.previous_epoch : undefined;
  if (epoch !== undefined) await awaitAgentsEnd(engine, { task, epoch, runner: before?.runner ?? null });
  return verdict;
}
