import { existsSync } from "node:fs";
import type { TaskState } from "../../core/tasks/states.ts";
import { writeStatuses } from "../../workspace/plan/write-statuses.ts";

const everyMs = 1000;
/** Of a long plan, writing takes a while: it is done so rarely that it takes no more than this part of the time. */
const share = 0.05;

/** Keeps a session's copy of its plan up to date, without writing it for every single change. */
export class StatusFile implements Disposable {
  readonly #file: string;
  readonly #restore: () => void;
  readonly #waiting = new Map<string, TaskState>();
  #notBeforeMs = 0;

  /** `restore` puts the file back where somebody has removed it. */
  constructor(file: string, restore: () => void) {
    this.#file = file;
    this.#restore = restore;
  }

  set(id: string, state: TaskState): void {
    this.#waiting.set(id, state);
  }

  /** Unless it was done a moment ago. */
  write(): void {
    const begin = performance.now();
    if (this.#waiting.size === 0 || begin < this.#notBeforeMs) return;
    if (!existsSync(this.#file)) this.#restore();
    writeStatuses(this.#file, this.#waiting);
    this.#waiting.clear();
    const end = performance.now();
    this.#notBeforeMs = end + Math.max(everyMs, (end - begin) / share);
  }

  [Symbol.dispose](): void {
    this.#notBeforeMs = 0;
    this.write();
  }
}
