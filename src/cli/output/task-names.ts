import { idOfKey } from "../../core/names/task-name.ts";
import type { TaskState } from "../../core/tasks/states.ts";

interface Named {
  readonly key: string;
  readonly state: TaskState;
  readonly createdAt: string;
}

/**
 * `T-001` alone is a task of no session; else that of the newest session with one: of those that are not finished,
 * else of all.
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

  /** The task that a person means by a name. */
  find(name: string): string | undefined {
    return this.#meant.get(name);
  }

  /** The shortest name by which a person can call a task. */
  readonly of = (key: string): string => {
    const short = shortName(key);
    return this.#meant.get(short) === key ? short : key;
  };
}

/** Within its session a task is called by its id alone. */
export function shortName(key: string): string {
  return idOfKey(key);
}

/** Empty where there is none. */
function sessionOf(key: string): string {
  return key.slice(0, Math.max(0, key.length - shortName(key).length - 1));
}

function isOpen({ state }: Named): boolean {
  return state !== "MERGED" && state !== "FAILED";
}
