import type { Task } from "../core/tasks/task.ts";
import type { Engine } from "../engine/engine.ts";
import { unknownTask } from "../engine/known-task.ts";
import { readTaskName } from "../engine/task-keys.ts";
import { CommandFault } from "./command-fault.ts";
import { openEngine } from "./open-engine.ts";
import { TaskNames } from "./task-names.ts";

/** `SESSION/T-001`, or `T-001` of the session that a person means. */
export async function findTask({ ledger }: Pick<Engine, "ledger">, name: string): Promise<Task> {
  const exact = await ledger.task(name);
  if (exact !== undefined) return exact;
  const key = new TaskNames(await ledger.tasks()).find(name);
  const found = key === undefined ? undefined : await ledger.task(key);
  if (found !== undefined) return found;
  const { code, reason } = unknownTask(name);
  throw new CommandFault(code, reason);
}

/** The whole name of the task that a person, or an agent with a task of its own, means. */
export async function wholeName(name: string): Promise<string> {
  const read = readTaskName(name);
  if ("allow" in read) throw new CommandFault(read.code, read.reason);
  const own = inOwnSession(read.key);
  // In the sandbox the ledger cannot be looked into: there only an agent's own session is known.
  if (own !== read.key || read.session !== null || process.env.LOCKSTEP_SOCKET) return own;
  using opened = await openEngine();
  return (await findTask(opened.engine, read.key)).key;
}

/** An agent is told `T-001`, and means the task of its own session. */
export function inOwnSession(key: string): string {
  const own = process.env.LOCKSTEP_TASK?.trim() ?? "";
  return own.split("/").at(-1) === key ? own : key;
}
