import {
  appendFileSync,
  closeSync,
  existsSync,
  fstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
} from "node:fs";
import { join } from "node:path";

/** What agents said and what became of it, a file for each task. */
export class TaskLogs {
  readonly #folder: string;

  constructor(stateFolder: string) {
    this.#folder = join(stateFolder, "logs");
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
  }

  add(task: string, at: Date, text: string): void {
    appendFileSync(logFile(this.#folder, task), `${at.toISOString()} ${text}\n`, { mode: 0o600 });
  }
}

export function readTaskLog(stateFolder: string, task: string): string | undefined {
  const file = logFile(join(stateFolder, "logs"), task);
  return existsSync(file) ? readFileSync(file, "utf8") : undefined;
}

export function hasTaskLog(stateFolder: string, task: string): boolean {
  return existsSync(logFile(join(stateFolder, "logs"), task));
}

/** What stands in it from a byte on. */
export function readTaskLogFrom(stateFolder: string, task: string, from: number): Buffer {
  const fd = openSync(logFile(join(stateFolder, "logs"), task), "r");
  try {
    const bytes = Buffer.alloc(Math.max(0, fstatSync(fd).size - from));
    return bytes.subarray(0, readSync(fd, bytes, 0, bytes.length, from));
  } finally {
    closeSync(fd);
  }
}

function logFile(folder: string, task: string): string {
  return join(folder, `${task.replaceAll("/", "_")}.log`);
}
