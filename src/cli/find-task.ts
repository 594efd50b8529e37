import type { Task } from "../core/tasks/task.ts";
import type { Engine } from "../engine/engine.ts";
import { unknownTask } from "../engine/known-task.ts";
import { CommandFault } from "./command-fault.ts";

/** `SESSION/T-001`, or `T-001` of the newest session with one: of those that are not finished, else of all. */
export async function findTask({ ledger }: Pick<Engine, "ledger">, name: string): Promise<Task> {
  const exact = await ledger.task(name);
  if (exact !== undefined) return exact;
  const all = await ledger.tasks();
  const isOpen = ({ state }: Task) => state !== "MERGED" && state !== "FAILED";
  const open = new Set(all.filter(isOpen).map(({ session }) => session));
  const named = all
    .filter(({ id }) => id === name)
    .toSorted((one, other) => (one.createdAt < other.createdAt ? -1 : 1));
  const found = named.findLast(({ session }) => open.has(session)) ?? named.at(-1);
  if (found !== undefined) return found;
  const { code, reason } = unknownTask(name);
  throw new CommandFault(code, reason);
}
