import { unknownTask } from "../../core/names/task-name.ts";
import { allow, type Details, type Verdict } from "../../core/rules/verdict.ts";
import type { Admitted } from "../change/door.ts";
import { internal } from "../change/door.ts";
import { Draft } from "../change/draft.ts";
import type { Engine } from "../change/engine.ts";
import { checkEpoch, loadTask } from "../change/fence.ts";
import { settle } from "../change/settle.ts";

export interface HookRecord {
  readonly task: string;
  readonly point: string;
  readonly results: readonly { readonly hook: string; readonly status: string; readonly message: string }[];
  /** The combined context of the hooks. */
  readonly context: Details;
}

/** The parts that later attempts and people need; the rest is only for the following hooks. */
const kept = ["pr_url", "pushed"];

/** Records which lifecycle hooks ran and their results, and keeps the data that later hooks need. */
export const keepHookContext = internal("keep-hook-context", keep);

function keep(engine: Engine, record: HookRecord, call: Admitted): Promise<Verdict> {
  const { task: key, point, results } = record;
  return settle(engine, { operation: "hooks", input: { key, point }, call }, async () => {
    const loaded = await loadTask(engine, key);
    if (loaded === undefined) return { verdict: unknownTask(key) };
    const stale = checkEpoch(engine, key, loaded.attempt, call);
    if (stale !== undefined) return { verdict: stale };
    const draft = new Draft(engine, { by: call, cause: "hooks" });
    const hooks = results.map(({ hook, status, message }) => ({ hook, status, message }));
    draft.note({ type: "task.hooks", task: key, from: null, to: null, data: { point, hooks } });
    const entries = Object.entries(record.context).filter(
      ([name, value]) => kept.includes(name) && typeof value === "string",
    );
    if (entries.length > 0)
      draft.putTask({
        ...loaded.task,
        hookContext: { ...loaded.task.hookContext, ...Object.fromEntries(entries) },
      });
    return { verdict: allow(), change: await draft.toChange() };
  });
}
