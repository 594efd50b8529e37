import { unknownTask } from "../../core/names/task-name.ts";
import { allow, type Details, deny, type Verdict } from "../../core/rules/verdict.ts";
import { type Halt, haltDetails } from "../../core/tasks/halt-details.ts";
import type { Refusal } from "../../core/tasks/task.ts";
import type { Admitted } from "../change/door.ts";
import { internal } from "../change/door.ts";
import { Draft } from "../change/draft.ts";
import type { Engine } from "../change/engine.ts";
import { checkEpoch, fencedTask, loadTask } from "../change/fence.ts";
import { settle } from "../change/settle.ts";

export interface HaltInput {
  readonly task: string;
  /** Its code is R-BG-001 unless the last refusal of the work has another; `halt` goes into its details. */
  readonly refusal: Refusal;
  readonly halt: Halt;
}

/**
 * Recovery from a loop (S1): the task becomes FAILED with the captured details, its locks are released, and it is
 * escalated to a person.
 */
export const haltTask = internal("halt", halt);

function halt(engine: Engine, { task: key, refusal, halt }: HaltInput, call: Admitted): Promise<Verdict> {
  return settle(engine, { operation: "halt", input: { task: key, halt }, call }, async () => {
    const loaded = await loadTask(engine, key);
    if (loaded === undefined) return { verdict: unknownTask(key) };
    const stale = checkEpoch(engine, key, loaded.attempt, call);
    if (stale !== undefined) return { verdict: stale };
    const draft = new Draft(engine, { by: call, cause: "halt" }).seen(loaded);
    const details = { ...refusal.details, ...haltDetails(loaded.task, halt) };
    const event = { type: "halt", refusal: { ...refusal, details } } as const;
    const moved = await draft.apply(loaded.task, event, "system");
    if ("allow" in moved) return { verdict: moved };
    const { code, reason } = refusal;
    return {
      verdict: deny(code ?? "R-BG-001", reason, { ...details, state: moved.state }),
      change: await draft.toChange(),
    };
  });
}

export interface WarnInput {
  readonly task: string;
  readonly warning: Details & { readonly signal: string };
}

/** Records a warning for the followers of the run; the task does not change. */
export const warnTask = internal("warn", warn);

function warn(engine: Engine, { task: key, warning }: WarnInput, call: Admitted): Promise<Verdict> {
  return settle(engine, { operation: "warn", input: { task: key, warning }, call }, async () => {
    const fenced = await fencedTask(engine, key, call);
    if ("allow" in fenced) return { verdict: fenced };
    const draft = new Draft(engine, { by: call, cause: "warn" });
    draft.note({ type: "task.warned", task: key, from: null, to: null, data: warning });
    return { verdict: allow({ task_id: key }), change: await draft.toChange() };
  });
}
