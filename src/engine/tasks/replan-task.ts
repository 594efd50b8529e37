import { unknownTask } from "../../core/names/task-name.ts";
import { allow, type Deny, type Details, deny, type Verdict } from "../../core/rules/verdict.ts";
import type { Task } from "../../core/tasks/task.ts";
import { downUpstream, orphanOf } from "../change/carry-effects.ts";
import type { Admitted } from "../change/door.ts";
import { internal } from "../change/door.ts";
import { Draft } from "../change/draft.ts";
import type { Engine } from "../change/engine.ts";
import { settle } from "../change/settle.ts";
import { dependencyVersions, findCircle } from "../dispatch/find-circle.ts";
import { readTerms, termsIn } from "./add-task.ts";

/** Updates a task that has not started to match its changed plan. */
export const replanTask = internal("replan", replan);

async function replan(engine: Engine, input: { readonly packet: Details }, call: Admitted): Promise<Verdict> {
  const packet = await readTerms(engine, input.packet);
  if ("allow" in packet) return packet;
  return settle(engine, { operation: "task-add", input, call }, async () => {
    const { key } = packet.name;
    const draft = new Draft(engine, { by: call, cause: "task-add" });
    const stored = await draft.task(key);
    if (stored === undefined) return { verdict: unknownTask(key) };
    if (!isUnstarted(stored))
      return {
        verdict: deny("R-ST-001", `task \`${key}\` has already started and is ${stored.state}`, {
          state: stored.state,
        }),
      };
    const task = { ...stored, ...termsIn(packet) };
    const circle = await findCircle(draft, task);
    if (circle !== undefined) return { verdict: circle };
    draft.putTask(task);
    draft.note({ type: "task.replanned", task: key, from: null, to: null, data: { title: task.title } });
    const placed = await updateWaiting(draft, task);
    if ("allow" in placed) return { verdict: placed };
    const tasks = await dependencyVersions(draft, task);
    return { verdict: allow({ task_id: key }), change: await draft.toChange({ expect: { tasks } }) };
  });
}

/** Whether the task has had no attempt. It may be waiting for other tasks. */
export function isUnstarted({ state, attempts, hold }: Task): boolean {
  const waits = hold?.kind === "dependency" || hold?.kind === "lock";
  return attempts === 0 && (state === "PENDING" || (state === "BLOCKED" && waits));
}

/** The task may now wait for other tasks, or for none. */
async function updateWaiting(draft: Draft, task: Task): Promise<Task | Deny> {
  const freed = task.state === "BLOCKED" ? await draft.apply(task, { type: "unblock" }, "system") : task;
  if ("allow" in freed) return freed;
  const down = await downUpstream(draft, freed);
  return down === undefined ? freed : draft.apply(freed, orphanOf(freed, down), "system");
}
