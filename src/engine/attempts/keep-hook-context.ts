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
  /** What the hooks told together. */
  readonly context: Details;
}

/** What later attempts and people need of what hooks tell; the rest is for the hooks after them. */
const kept = ["pr_url", "pushed"];

/** Which lifecycle hooks ran and how, for the record; and what the next ones have to know. */
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
    const told = Object.entries(record.context).filter(
      ([name, value]) => kept.includes(name) && typeof value === "string",
    );
    if (told.length > 0)
      draft.putTask({
        ...loaded.task,
        hookContext: { ...loaded.task.hookContext, ...Object.fromEntries(told) },
      });
    return { verdict: allow(), change: await draft.toChange() };
  });
}
