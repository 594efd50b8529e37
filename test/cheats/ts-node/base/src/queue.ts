export interface Job {
  readonly id: string;
  readonly priority: number;
}

/** The most urgent job first; jobs of the same priority in the order they came in. */
export class Queue {
  readonly #jobs: Job[] = [];
  readonly #seen = new Set<string>();

  get size(): number {
    return this.#jobs.length;
  }

  /** False for a job that was added before. */
  add(job: Job): boolean {
    if (this.#seen.has(job.id)) return false;
    this.#seen.add(job.id);
    const at = this.#jobs.findIndex(({ priority }) => priority < job.priority);
    this.#jobs.splice(at === -1 ? this.#jobs.length : at, 0, job);
    return true;
  }

  take(): Job | undefined {
    return this.#jobs.shift();
  }
}
