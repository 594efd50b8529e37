import type { TaskState } from "../tasks/states.ts";
import { isIn } from "../tasks/task.ts";
import type { PlannedTask } from "./planned-task.ts";

/** The state of a task, as far as scheduling needs it. */
export interface Stand {
  readonly state: TaskState;
  readonly revertedBy: string | null;
  /** A person works on the task or is asked about it: scheduling does not wait for it. */
  readonly isWithPerson?: boolean;
  /** Another machine works on it. */
  readonly isElsewhere?: boolean;
}

/** States in which a task holds its locks. A task in another state may still hold some; dispatch detects that. */
const holding: readonly TaskState[] = ["IN_PROGRESS", "REVIEW", "REJECTED"];

const unstarted: Stand = { state: "PENDING", revertedBy: null };

/** The state of every task of a plan. The cost of a query does not grow with the length of the plan. */
export class Standing<Task extends PlannedTask> {
  readonly #tasks: readonly Task[];
  readonly #places: ReadonlyMap<string, number>;
  readonly #dependents = new Map<string, number[]>();
  readonly #stands: Stand[];
  readonly #held = new Set<number>();
  /** Indexes of the tasks that may start, in the plan's order. */
  readonly #ready: number[] = [];

  constructor(tasks: readonly Task[]) {
    this.#tasks = tasks;
    this.#places = new Map(tasks.map(({ id }, place) => [id, place]));
    this.#stands = tasks.map(() => unstarted);
    for (const [place, { dependsOn }] of tasks.entries()) {
      for (const id of dependsOn) {
        const known = this.#dependents.get(id);
        if (known === undefined) this.#dependents.set(id, [place]);
        else known.push(place);
      }
      if (dependsOn.length === 0) this.#ready.push(place);
    }
  }

  put(id: string, stand: Stand): void {
    const place = this.#places.get(id);
    if (place === undefined) return;
    const wasIn = isIn(this.#standAt(place));
    this.#stands[place] = stand;
    if (holding.includes(stand.state)) this.#held.add(place);
    else this.#held.delete(place);
    this.#settleReady(place);
    if (wasIn !== isIn(stand)) for (const other of this.#dependents.get(id) ?? []) this.#settleReady(other);
  }

  stateOf(id: string): TaskState {
    return this.#standAt(this.#places.get(id) ?? -1).state;
  }

  /** Tasks that hold their locks, in the plan's order. */
  held(): readonly (Task & Stand)[] {
    return [...this.#held].sort((a, b) => a - b).map((place) => this.#at(place));
  }

  isReady({ dependsOn }: Pick<Task, "dependsOn">): boolean {
    return dependsOn.every((id) => isIn(this.#standAt(this.#places.get(id) ?? -1)));
  }

  /** Tasks that may start, in the plan's order. */
  *ready(): Iterable<Task & Stand> {
    for (const place of this.#ready) yield this.#at(place);
  }

  #at(place: number): Task & Stand {
    const task = this.#tasks[place];
    if (task === undefined) throw new Error(`there is no task at ${place}`);
    return { ...task, ...this.#standAt(place) };
  }

  #standAt(place: number): Stand {
    return this.#stands[place] ?? unstarted;
  }

  #settleReady(place: number): void {
    const task = this.#tasks[place];
    const wanted = task !== undefined && this.#standAt(place).state === "PENDING" && this.isReady(task);
    const at = firstNotBelow(this.#ready, place);
    if (wanted === (this.#ready[at] === place)) return;
    if (wanted) this.#ready.splice(at, 0, place);
    else this.#ready.splice(at, 1);
  }
}

function firstNotBelow(sorted: readonly number[], value: number): number {
  let [from, to] = [0, sorted.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if ((sorted[middle] ?? 0) < value) from = middle + 1;
    else to = middle;
  }
  return from;
}
