import { idOfKey } from "../core/names/task-name.ts";
import type { TaskState } from "../core/tasks/states.ts";

interface Named {
  readonly key: string;
  readonly state: TaskState;
  readonly createdAt: string;
}

/**
 * Resolves short names. `T-001` is the task without a session if there is one, else the one of the newest unfinished
 * session, else of the newest session.
 */
export class TaskNames {
  readonly #meant = new Map<string, string>();

  constructor(tasks: readonly Named[]) {
    const open = new Set(tasks.filter(isOpen).map(({ key }) => sessionOf(key)));
    const rankOf = (key: string) => (sessionOf(key) === "" ? 2 : open.has(sessionOf(key)) ? 1 : 0);
    const newest = tasks.toSorted((one, other) => (one.createdAt < other.createdAt ? -1 : 1));
    for (const { key } of newest) {
      const before = this.#meant.get(shortName(key));
      if (before === undefined || rankOf(key) >= rankOf(before)) this.#meant.set(shortName(key), key);
    }
  }

  /** The key of the task that a short name stands for. */
  find(name: string): string | undefined {
    return this.#meant.get(name);
  }

  /** The shortest name that identifies a task. */
  readonly of = (key: string): string => {
    const short = shortName(key);
    return this.#meant.get(short) === key ? short : key;
  };
}

/** The name of a task within its session: its id. */
export function shortName(key: string): string {
  return idOfKey(key);
}

/** Empty for a task without a session. */
function sessionOf(key: string): string {
  return key.slice(0, Math.max(0, key.length - shortName(key).length - 1));
}

function isOpen({ state }: Named): boolean {
  return state !== "MERGED" && state !== "FAILED";
}
