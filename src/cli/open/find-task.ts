import { idOfKey, isMeta, readTaskName, unknownTask } from "../../core/names/task-name.ts";
import type { Deny, Verdict } from "../../core/rules/verdict.ts";
import type { Task } from "../../core/tasks/task.ts";
import type { Engine } from "../../engine/change/engine.ts";
import { TaskNames } from "../../view/task-names.ts";
import { CommandFault } from "../output/command-fault.ts";
import { openEngine } from "./open-engine.ts";

/** Finds `SESSION/T-001`, or `T-001` by the rules of `TaskNames`; else the last task that a branch was landed as. */
export async function findTask({ ledger }: Pick<Engine, "ledger">, name: string): Promise<Task> {
  const exact = await ledger.task(name);
  if (exact !== undefined) return exact;
  const tasks = await ledger.tasks();
  const key = new TaskNames(tasks).find(name);
  const found = key === undefined ? landedAs(tasks, name).at(-1) : await ledger.task(key);
  if (found !== undefined) return found;
  const { code, reason } = unknownTask(name);
  throw new CommandFault(code, reason);
}

/** For commands that stop an agent or cannot be undone: an ambiguous name is refused. */
export async function findOnlyTask(
  { ledger }: Pick<Engine, "ledger">,
  name: string,
  fits: (task: Task) => boolean = () => true,
): Promise<Task> {
  const tasks = await ledger.tasks();
  const called = tasks.filter(({ id, key }) => id === name && !isMeta(key));
  const alike = called.length > 0 ? called : landedAs(tasks, name);
  // A task without a session has no longer name.
  if (alike.length < 2 || alike.some(({ key }) => key === name)) return findTask({ ledger }, name);
  const fitting = alike.filter(fits);
  const [only] = fitting;
  if (only !== undefined && fitting.length === 1) return only;
  throw ambiguous(name, fitting.length === 0 ? alike : fitting);
}

/** The tasks that a branch was landed as, the oldest first. */
function landedAs(tasks: readonly Task[], branch: string): readonly Task[] {
  const landed = tasks.filter(({ assignment }) => assignment?.branch === branch);
  return landed.toSorted((one, other) => (one.createdAt < other.createdAt ? -1 : 1));
}

function ambiguous(name: string, tasks: readonly Task[]): CommandFault {
  const candidates = tasks
    .toSorted((one, other) => (one.createdAt < other.createdAt ? 1 : -1))
    .map(({ key, state }) => ({ key, state }));
  const named = candidates.slice(0, candidatesShown).map(({ key, state }) => `\`${key}\` (${state})`);
  const more = candidates.length > candidatesShown ? ` and ${candidates.length - candidatesShown} more` : "";
  const reason = `${candidates.length} tasks are called \`${name}\`: name one of them: ${named.join(", ")}${more}`;
  return new CommandFault("R-IN-001", reason, { field: "task_id", candidates });
}

const candidatesShown = 8;

/** The full name of the task that a person, or an agent with its own task, named. */
export function wholeName(name: string): Promise<string> {
  return keyOf(name, findTask);
}

/** As `wholeName`, but an ambiguous name is refused. */
export function onlyName(name: string): Promise<string> {
  return keyOf(name, findOnlyTask);
}

async function keyOf(name: string, find: (engine: Engine, name: string) => Promise<Task>): Promise<string> {
  const read = readTaskName(name);
  if ("allow" in read) throw new CommandFault(read.code, read.reason);
  const own = inOwnSession(read.key);
  // In the sandbox the ledger cannot be read: only the agent's own session is known.
  if (own !== read.key || read.session !== null || process.env.LOCKSTEP_SOCKET) return own;
  using opened = await openEngine({ onFaults: "ignore" });
  return (await find(opened.engine, read.key)).key;
}

/** An agent knows its task as `T-001` and means the one of its own session. */
function inOwnSession(key: string): string {
  const own = process.env.LOCKSTEP_TASK?.trim() ?? "";
  return idOfKey(own) === key ? own : key;
}

/** For programs, which use the full name of a task. */
export async function withTask(
  name: string,
  use: (task: string) => Promise<Verdict>,
): Promise<Verdict | Deny> {
  const read = readTaskName(name);
  return "allow" in read ? read : use(inOwnSession(read.key));
}
