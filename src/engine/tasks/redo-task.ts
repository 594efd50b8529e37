import { redoneId, taskKey, unknownTask } from "../../core/names/task-name.ts";
import { allow, type Verdict } from "../../core/rules/verdict.ts";
import type { Task } from "../../core/tasks/task.ts";
import type { Admitted } from "../change/door.ts";
import { Draft } from "../change/draft.ts";
import type { Engine } from "../change/engine.ts";
import { settle } from "../change/settle.ts";
import { newTask } from "../dispatch/new-task.ts";

/**
 * Redoes rolled-back work as a new task (`T-001-r1`), because MERGED is final. Tasks that depended on the old
 * task now depend on the new one.
 */
export async function redoTask(draft: Draft, done: Task, after: readonly string[]): Promise<Task> {
  const id = await freeId(draft, done);
  const key = taskKey(done.session, id);
  const { title, type = null, agent, model, assignment, granted = [], terms, contextRevision } = done;
  const dependsOn = [...new Set([...done.dependsOn, ...after])];
  const again: Task = {
    ...newTask({ key, id, session: done.session }, draft.at),
    ...{ title, type, agent, model, assignment, granted, contextRevision },
    ...{ dependsOn, terms: terms === null ? null : { ...terms, depends_on: dependsOn } },
  };
  draft.create(again);
  for (const found of await draft.engine.ledger.dependents(done.key)) {
    const dependent = (await draft.task(found.key)) ?? found;
    if (dependent.state === "MERGED") continue;
    const dependsOn = dependent.dependsOn.map((one) => (one === done.key ? key : one));
    const terms = dependent.terms === null ? null : { ...dependent.terms, depends_on: dependsOn };
    const hold = dependent.hold?.by === done.key ? { ...dependent.hold, by: key } : dependent.hold;
    draft.putTask({ ...dependent, dependsOn, terms, hold });
    const data = { instead_of: done.key, depends_on: key };
    draft.note({ type: "task.redirected", task: dependent.key, from: null, to: null, data });
  }
  return again;
}

/** `task retry` of a rolled-back task; each call creates a new task. */
export function redoRolledBack(engine: Engine, key: string, call: Admitted): Promise<Verdict> {
  return settle(engine, { operation: "task-retry", input: { task: key }, call }, async () => {
    const draft = new Draft(engine, { by: call, cause: "task-retry" });
    const done = await draft.task(key);
    if (done === undefined) return { verdict: unknownTask(key) };
    const again = await redoTask(draft, done, []);
    const details = { task_id: again.key, state: again.state };
    return { verdict: allow(details), change: await draft.toChange() };
  });
}

async function freeId(draft: Draft, { id, session }: Task): Promise<string> {
  for (let number = 1; ; number += 1) {
    const name = redoneId(id, number);
    if ((await draft.task(taskKey(session, name))) === undefined) return name;
  }
}
