import type { LogTail, SharedLogs } from "../../../ledger/ledger.ts";
import { isUnreachable } from "../../../ledger/store-fault.ts";
import { readLogTail, taskLogFile } from "../../landing/work/task-logs.ts";

/** How soon a log that somebody asks for is kept again. */
const lookMs = 1_000;
/** How old a log can be that nobody asks for. After the end of this machine, nobody can ask. */
const slowMs = 20_000;
const tailBytes = 32 * 1024;

interface Source {
  readonly logs: SharedLogs;
  readonly machine: string;
  readonly stateFolder: string;
  onProgress(line: string): void;
}

/** Keeps the ends of this process's logs where other machines can read them. */
export class LogSharing implements AsyncDisposable {
  readonly #source: Source;
  readonly #timer: NodeJS.Timeout;
  /** Tasks whose logs have grown, with the time when they were last kept. */
  readonly #grown = new Set<string>();
  readonly #keptMs = new Map<string, number>();
  #last: Promise<void> = Promise.resolve();
  #isLooking = false;
  #hasFailed = false;

  constructor(source: Source) {
    this.#source = source;
    this.#timer = setInterval(() => this.#look(), lookMs);
    this.#timer.unref();
  }

  grew(task: string): void {
    this.#grown.add(task);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer);
    this.#next(() => this.#keep([...this.#grown]));
    await this.#last;
  }

  /** One at a time. A log that cannot be kept does not end the run. */
  #next(act: () => Promise<void>): void {
    this.#last = this.#last.then(act).catch((error: unknown) => {
      if (isUnreachable(error) || this.#hasFailed) return;
      this.#hasFailed = true;
      const why = error instanceof Error ? error.message : String(error);
      this.#source.onProgress(`other machines cannot read the logs of this one: ${why}`);
    });
  }

  /** A ledger that does not answer makes no queue of looks. */
  #look(): void {
    if (this.#isLooking) return;
    this.#isLooking = true;
    this.#next(() =>
      this.#keepDue().finally(() => {
        this.#isLooking = false;
      }),
    );
  }

  async #keepDue(): Promise<void> {
    if (this.#grown.size === 0) return;
    const now = performance.now();
    const grown = [...this.#grown];
    const asked = new Set(await this.#source.logs.asked(grown));
    await this.#keep(
      grown.filter((task) => asked.has(task) || now - (this.#keptMs.get(task) ?? -Infinity) >= slowMs),
    );
  }

  async #keep(tasks: readonly string[]): Promise<void> {
    const { logs, machine, stateFolder } = this.#source;
    for (const task of tasks) {
      this.#grown.delete(task);
      this.#keptMs.set(task, performance.now());
      const tail: LogTail = {
        ...{ machine, file: taskLogFile(stateFolder, task) },
        ...readLogTail(stateFolder, task, tailBytes),
      };
      await logs.keep(task, tail);
    }
  }
}
