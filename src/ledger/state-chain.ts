import type { TaskState } from "../core/tasks/states.ts";
import type { Task } from "../core/tasks/task.ts";
import { InvariantBroken } from "./invariant-broken.ts";
import type { NewEvent } from "./ledger.ts";

type StateOrNone = TaskState | null;

/**
 * INV-5: the events of a change lead each written task, step by step, from its stored state to its written state.
 * They change the state of no other task. `storedState` is null for a new task.
 */
export function assertStateChain(
  { tasks, events }: { readonly tasks: readonly Task[]; readonly events: readonly NewEvent[] },
  storedState: (key: string) => StateOrNone,
): void {
  const reached = new Map<string, StateOrNone>(tasks.map(({ key }) => [key, storedState(key)]));
  for (const event of events) {
    if (event.from === null && event.to === null) continue;
    const { task, type, from, to } = event;
    const at = task === null ? undefined : reached.get(task);
    if (task === null || at === undefined)
      throw broken(`event \`${type}\` changes the state of \`${task}\`, which is not written`);
    if (to === null || from !== at)
      throw broken(`event \`${type}\` takes task \`${task}\` from ${from} to ${to}, but it is ${at}`);
    reached.set(task, to);
  }
  for (const { key, state } of tasks) {
    if (reached.get(key) !== state)
      throw broken(`task \`${key}\` is written as ${state}, but its events end at ${reached.get(key)}`);
  }
}

function broken(why: string): InvariantBroken {
  return new InvariantBroken(`INV-5: ${why}`);
}
