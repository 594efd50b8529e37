import { existsSync } from "node:fs";
import type { TaskState } from "../../core/tasks/states.ts";
import { writeStatuses } from "../../workspace/plan/write-statuses.ts";

const everyMs = 1000;
/** Writing a long plan is slow, so writing takes at most this share of the time. */
const share = 0.05;

/** Keeps the statuses in a session's copy of its plan up to date, without writing it for every change. */
export class StatusFile implements Disposable {
  readonly #file: string;
  readonly #restore: () => void;
  readonly #waiting = new Map<string, TaskState>();
  #notBeforeMs = 0;

  /** `restore` restores the file if it was removed. */
  constructor(file: string, restore: () => void) {
    this.#file = file;
    this.#restore = restore;
  }

  set(id: string, state: TaskState): void {
    this.#waiting.set(id, state);
  }

  /** Does nothing if the last write is too recent. */
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
