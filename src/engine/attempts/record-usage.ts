import { unknownTask } from "../../core/names/task-name.ts";
import { allow, type Verdict } from "../../core/rules/verdict.ts";
import type { Admitted } from "../change/door.ts";
import { internal } from "../change/door.ts";
import { Draft } from "../change/draft.ts";
import type { Engine } from "../change/engine.ts";
import { loadTask } from "../change/fence.ts";
import { settle } from "../change/settle.ts";
import { type HeartbeatInput, withSpent } from "./heartbeat.ts";

/**
 * Adds what an agent had used when it was stopped. Its attempt is over, so heartbeats are refused, but the task
 * has still incurred the cost. Only the process that runs the agent reports it, and it only changes the sum.
 */
export const recordUsage = internal("record-usage", addUsage);

function addUsage(
  engine: Engine,
  input: Pick<HeartbeatInput, "task" | "tokens" | "usage">,
  call: Admitted,
): Promise<Verdict> {
  return settle(engine, { operation: "heartbeat", input, call }, async () => {
    const loaded = await loadTask(engine, input.task);
    if (loaded === undefined) return { verdict: unknownTask(input.task) };
    const draft = new Draft(engine, { by: call, cause: "heartbeat" }).seen(loaded);
    draft.putTask(withSpent(loaded.task, input));
    return { verdict: allow({ task_id: input.task }), change: await draft.toChange() };
  });
}
