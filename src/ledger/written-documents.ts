import type { Session } from "../core/session/session.ts";
import type { Task } from "../core/tasks/task.ts";
import { InvariantBroken } from "./invariant-broken.ts";
import type { Attempt, Change, Decision, Role } from "./ledger.ts";

export type Document = Task | Attempt | Decision | Session | Role;

export interface Versioned {
  readonly table: "tasks" | "attempts" | "decisions" | "sessions" | "roles";
  readonly key: string;
  readonly document: Document;
}

/** Throws if a change writes a document twice. */
export function documentsOf({
  tasks = [],
  attempts = [],
  decisions = [],
  sessions = [],
  roles = [],
}: Change): Versioned[] {
  const documents: Versioned[] = [
    ...tasks.map((document) => ({ table: "tasks" as const, key: document.key, document })),
    ...attempts.map((document) => ({ table: "attempts" as const, key: attemptKey(document), document })),
    ...decisions.map((document) => ({ table: "decisions" as const, key: document.id, document })),
    ...sessions.map((document) => ({ table: "sessions" as const, key: document.name, document })),
    ...roles.map((document) => ({ table: "roles" as const, key: document.name, document })),
  ];
  const names = new Set<string>();
  for (const { table, key } of documents) {
    if (names.has(`${table} ${key}`)) throw new InvariantBroken(`\`${key}\` is written twice in one change`);
    names.add(`${table} ${key}`);
  }
  return documents;
}

export function attemptKey({ task, number }: Pick<Attempt, "task" | "number">): string {
  return `${task}#${number}`;
}

/**
 * A change that does not wait for the disk must leave nothing that a power loss could contradict: no event and no
 * count of commits.
 */
export function isDurable({ durable = true, events = [] }: Change): boolean {
  return durable || events.length > 0;
}
