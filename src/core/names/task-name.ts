import { type Deny, deny } from "../rules/verdict.ts";

/** The name of a task, or of anything else that uses the same form of name. */
export interface TaskName {
  /** `SESSION/ID`, or the id alone without a session. */
  readonly key: string;
  readonly id: string;
  readonly session: string | null;
}

const lengthMax = 100;
const anyId = `[A-Za-z][A-Za-z0-9_-]{0,${lengthMax - 1}}`;
const idForm = new RegExp(`^${anyId}$`);
/** The form of an id in a plan. JSON Schema has no regex flags, so both cases of the reserved word are spelled out. */
export const plannedIdForm = new RegExp(`^(?![mM][eE][tT][aA]$)${anyId}$`);

const sessionForm = /^\d{4}-\d{2}-\d{2}_[a-z0-9][a-z0-9-]*$/;

export function isSessionName(text: string): boolean {
  return sessionForm.test(text);
}

/** `T-001`, or `SESSION/T-001`. */
export function readTaskName(text: string): TaskName | Deny {
  const parts = text.trim().split("/");
  const [session = null, id = ""] = parts.length === 1 ? [null, parts[0]] : parts;
  if (parts.length > 2 || !idForm.test(id))
    return refused(text, `a letter, then letters, digits, \`-\` and \`_\`, at most ${lengthMax}`);
  if (session !== null && (!isSessionName(session) || session.length > lengthMax))
    return refused(text, "before the `/` a session such as `2026-01-31_shop`");
  return { id, session, key: taskKey(session, id) };
}

function refused(text: string, wanted: string): Deny {
  return deny("R-IN-001", `\`${text.slice(0, lengthMax)}\` is not a task id: ${wanted}`, {
    field: "task_id",
  });
}

export function unknownTask(key: string): Deny {
  return deny("R-IN-001", `there is no task \`${key}\`: see \`lockstep task list\``, { task_id: key });
}

export function taskKey(session: string | null, id: string): string {
  return session === null ? id : `${session}/${id}`;
}

/** The id, by which a task is known within its session. */
export function idOfKey(key: string): string {
  return key.slice(key.lastIndexOf("/") + 1);
}

/** Null for a task without a session. */
export function sessionOfKey(key: string): string | null {
  const end = key.lastIndexOf("/");
  return end === -1 ? null : key.slice(0, end);
}

export function isOfSession(key: string, session: string): boolean {
  return key.startsWith(`${session}/`);
}

/** The id of the internal task that records what concerns a session as a whole. It is not shown to people. */
export const metaId = "meta";

export function metaKey(session: string): string {
  return taskKey(session, metaId);
}

export function isMeta(key: string): boolean {
  return key.endsWith(`/${metaId}`);
}

/** True for the session's own tasks, and for questions about an agent: a missing login blocks every session. */
export function concernsSession(key: string, session: string): boolean {
  return isOfSession(key, session) || agentOfKey(key) !== undefined;
}

/** The key of questions about an agent instead of a task. */
export function agentKey(agent: string | null): string {
  return `agent:${agent}`;
}

/** Undefined for the key of a task. */
export function agentOfKey(key: string): string | undefined {
  return key.startsWith("agent:") ? key.slice("agent:".length) : undefined;
}

/** A rolled-back task is redone as `T-001-r1`, then as `T-001-r2`. */
export function redoneId(id: string, number: number): string {
  return `${originalOf(id)}-r${number}`;
}

/** Removes the suffix of `redoneId` from an id or a key. */
export function originalOf(name: string): string {
  return name.replace(/-r\d+$/, "");
}

/** The task id under which a branch lands: `feature/x` as `land-feature-x`, then as `land-feature-x-2`. */
export function landedId(branch: string, number: number): string {
  const stem = `land-${branch.replace(/[^A-Za-z0-9_-]+/g, "-").slice(0, 60)}`;
  return number === 1 ? stem : `${stem}-${number}`;
}

/** `T-001`, `T-002` … */
export function numberedId(number: number): string {
  return `T-${String(number).padStart(3, "0")}`;
}
