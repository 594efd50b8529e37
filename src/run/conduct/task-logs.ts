import { appendFileSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { maskSecrets } from "../../core/secrets/mask-secrets.ts";

/** What agents said and what became of it, a file for each task. */
export class TaskLogs {
  readonly #folder: string;
  #last: Promise<void> = Promise.resolve();
  #fault: unknown;

  constructor(stateFolder: string) {
    this.#folder = join(stateFolder, "logs");
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
  }

  /** In order, and without secrets (INV-8). */
  add(task: string, at: Date, text: string): void {
    const write = async () => {
      const line = `${at.toISOString()} ${await maskSecrets(text)}\n`;
      appendFileSync(logFile(this.#folder, task), line, { mode: 0o600 });
    };
    // A log that cannot be written ends no run; `written` says so.
    this.#last = this.#last.then(write).catch((error: unknown) => {
      this.#fault ??= error;
    });
  }

  /** Everything that was added so far is on the disk. */
  async written(): Promise<void> {
    await this.#last;
    if (this.#fault !== undefined) throw this.#fault;
  }
}

export function readTaskLog(stateFolder: string, task: string): string | undefined {
  const file = logFile(join(stateFolder, "logs"), task);
  return existsSync(file) ? readFileSync(file, "utf8") : undefined;
}

function logFile(folder: string, task: string): string {
  return join(folder, `${task.replaceAll("/", "_")}.log`);
}
