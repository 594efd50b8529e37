import { isHere } from "../../core/leases/lease.ts";
import { unknownTask } from "../../core/names/task-name.ts";
import { type AllowWith, allow, type Deny, deny } from "../../core/rules/verdict.ts";
import type { TaskState } from "../../core/tasks/states.ts";
import type { Task } from "../../core/tasks/task.ts";
import type { Attempt } from "../../ledger/ledger.ts";
import type { Admitted } from "../change/door.ts";
import { Draft } from "../change/draft.ts";
import type { Engine } from "../change/engine.ts";
import { loadTask } from "../change/fence.ts";
import { settle } from "../change/settle.ts";

interface Taken {
  readonly task_id: string;
  readonly state: TaskState;
  readonly attempt: number;
  readonly epoch: number;
  /** The agent's epoch; absent if a person had already taken the task. */
  readonly previous_epoch?: number;
}

/**
 * A person takes over an attempt: its locks stay, without a time limit, and a new epoch shuts out the agent. It
 * is the same attempt, so the person also gets its checkout and its work.
 */
export function takeTask(
  engine: Engine,
  input: { readonly task: string },
  call: Admitted,
): Promise<AllowWith<Taken> | Deny> {
  return settle<AllowWith<Taken>>(engine, { operation: "take", input, call }, async () => {
    const fence = await engine.ledger.fence();
    const loaded = await loadTask(engine, input.task);
    if (loaded === undefined) return { verdict: unknownTask(input.task) };
    const { task, attempt } = loaded;
    const { key, state } = task;
    if (attempt === undefined || state !== "IN_PROGRESS")
      return {
        verdict: deny("R-ST-001", `task \`${key}\` is ${state}: only work in progress can be taken over`, {
          task_id: key,
          state,
        }),
      };
    const details = { task_id: key, state, attempt: attempt.number };
    if (isTaken(task, attempt)) return { verdict: allow({ ...details, epoch: attempt.epoch }) };
    const elsewhere = await whyElsewhere(engine, task, attempt);
    if (elsewhere !== undefined) return { verdict: elsewhere };
    const draft = new Draft(engine, { by: call, cause: "take" });
    const epoch = fence + 1;
    const { monoMs, boot } = engine.clock.now();
    const lease = { ...attempt.lease, beatMs: monoMs, boot };
    draft.putTask({ ...task, epoch });
    const here = engine.machine === undefined ? {} : { machine: engine.machine };
    draft.putAttempt({
      ...attempt,
      ...here,
      epoch,
      lease,
      leaseState: "held",
      runner: null,
      beatAt: draft.at,
    });
    draft.release(key);
    draft.note({ type: "task.taken", task: key, from: null, to: null, data: { epoch } });
    const held = await engine.ledger.locks({ task: key, active: true });
    const take = held.map(({ kind, resource, shapes }) => ({
      ...{ task: key, epoch, takenAt: draft.at },
      ...{ kind, resource, shapes },
    }));
    return {
      verdict: allow({ ...details, epoch, previous_epoch: attempt.epoch }),
      change: await draft.toChange({ take, expect: { fence } }),
    };
  });
}

/** An attempt has a folder only on the machine that runs it. */
export async function whyElsewhere(
  { ledger, machine }: Pick<Engine, "ledger" | "machine">,
  { key }: Pick<Task, "key">,
  attempt: Attempt | undefined,
): Promise<Deny | undefined> {
  if (attempt === undefined || attempt.runner === null || isHere(attempt, machine)) return undefined;
  const name = (await ledger.machines()).find(({ id }) => id === attempt.machine)?.name ?? attempt.machine;
  const ways = `take it there, or \`lockstep stop ${key}\` and look at its work with \`lockstep diff ${key}\``;
  return deny("R-ST-001", `the folder of task \`${key}\` is on the machine \`${name}\`: ${ways}`, {
    ...{ task_id: key, machine: attempt.machine ?? null, name: name ?? null },
  });
}

/** Whether a person works on the task: no agent starts it, and only handing it back ends it. */
export function isTaken({ state }: Pick<Task, "state">, attempt: Attempt | undefined): boolean {
  return state === "IN_PROGRESS" && attempt?.leaseState === "held";
}
