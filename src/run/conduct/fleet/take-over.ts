import type { Verdict } from "../../../core/rules/verdict.ts";
import type { TaskState } from "../../../core/tasks/states.ts";
import type { Task } from "../../../core/tasks/task.ts";
import type { Call, Engine } from "../../../engine/change/engine.ts";
import { operate } from "../../../engine/operate.ts";
import { awaitAgentsEnd } from "../../attempt/attempt.ts";

interface TakingOver {
  readonly engine: Engine;
  readonly call: Call;
}

/** Ends an attempt, its agent and all processes of the agent. Everything else stays unchanged. */
export async function stopAttempt({ engine, call }: TakingOver, task: string): Promise<Verdict> {
  const verdict = await operate(engine, "stop", { task }, call);
  const attempt = verdict.allow ? await engine.ledger.attempt(task) : undefined;
  if (attempt !== undefined) await awaitAgentsEnd(engine, attempt);
  return verdict;
}

/** Whether the task has an attempt whose work a person could continue. */
export function mayBeTaken({ state, attempts }: Pick<Task, "state" | "attempts">): boolean {
  return state === "IN_PROGRESS" || (attempts > 0 && betweenAttempts.includes(state));
}

const betweenAttempts: readonly TaskState[] = ["ESCALATED", "FAILED", "BLOCKED", "REJECTED", "PENDING"];

/** What `task resolve` and `task retry` change: other refusals of a dispatch would remain after them. */
const solvedByPerson: readonly string[] = ["R-ST-001", "R-RT-001"];

/** Starts a new attempt in the same checkout, for a person. Undefined on success. */
async function startAgain({ engine, call }: TakingOver, { key, state }: Task): Promise<Verdict | undefined> {
  const packet = { task_id: key };
  // Asked first: if the task were made ready and then refused, the next run would start its agent again.
  const asked = await operate(engine, "dispatch", { packet }, { ...call, dryRun: true });
  if (!asked.allow && !solvedByPerson.includes(asked.code)) return asked;
  const note = "a person takes it over";
  const ready =
    state === "ESCALATED" || state === "FAILED"
      ? await operate(engine, "task-resolve", { task: key, note }, call)
      : state === "BLOCKED" && !asked.allow
        ? await operate(engine, "task-retry", { task: key }, call)
        : undefined;
  if (ready?.allow === false) return ready;
  const started = await operate(engine, "dispatch", { packet }, call);
  // A run may have started an attempt meanwhile, which can be taken too.
  return started.allow || (await engine.ledger.task(key))?.state === "IN_PROGRESS" ? undefined : started;
}

/** Gives an attempt to a person, after its agent has ended, because both would work in one checkout. */
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
