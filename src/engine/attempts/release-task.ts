import { unknownTask } from "../../core/names/task-name.ts";
import { allow, type Verdict } from "../../core/rules/verdict.ts";
import { releaseLocks } from "../change/carry-effects.ts";
import type { Admitted } from "../change/door.ts";
import { Draft } from "../change/draft.ts";
import type { Engine } from "../change/engine.ts";
import { checkEpoch, loadTask } from "../change/fence.ts";
import { settle } from "../change/settle.ts";

/** Releases a task's locks. Work in progress loses its attempt and can be dispatched again. */
export function releaseTask(
  engine: Engine,
  input: { readonly task: string },
  call: Admitted,
): Promise<Verdict> {
  return settle(engine, { operation: "release", input, call }, async () => {
    const loaded = await loadTask(engine, input.task);
    if (loaded === undefined) return { verdict: unknownTask(input.task) };
    const { task, attempt } = loaded;
    // Only the epoch is checked: an expired lease does not prevent the release.
    const stale = checkEpoch(engine, task.key, attempt, call);
    if (stale !== undefined) return { verdict: stale };
    const held = await engine.ledger.locks({ task: task.key, active: true });
    if (held.length === 0 && task.state !== "IN_PROGRESS")
      return { verdict: allow({ task_id: task.key, state: task.state, released: 0 }) };
    const draft = new Draft(engine, { by: call, cause: "release" }).seen(loaded);
    const data = { released: held.map(({ resource }) => resource) };
    draft.note({ type: "locks.released", task: task.key, from: null, to: null, data });
    const moved =
      task.state === "IN_PROGRESS" ? await draft.apply(task, { type: "lose", reason: "released" }) : task;
    if ("allow" in moved) return { verdict: moved };
    await releaseLocks(draft, task);
    const details = { task_id: task.key, state: moved.state, released: held.length };
    return { verdict: allow(details), change: await draft.toChange({ relieves: true }) };
  });
}
