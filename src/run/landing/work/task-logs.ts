import {
  appendFileSync,
  closeSync,
  existsSync,
  fstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  statSync,
} from "node:fs";
import { join } from "node:path";

const bytesMax = 32 * 1024 * 1024;
const newline = 0x0a;

/** The logs of agents' output and its outcome, one file for each task. */
export class TaskLogs {
  readonly #folder: string;
  readonly #bytes = new Map<string, number>();

  constructor(stateFolder: string) {
    this.#folder = join(stateFolder, "logs");
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
  }

  /** Ignores further lines once the file has its maximum size. */
  add(task: string, at: Date, text: string): void {
    const file = logFile(this.#folder, task);
    const before = this.#bytes.get(task) ?? statSync(file, { throwIfNoEntry: false })?.size ?? 0;
    if (before > bytesMax) return;
    const line = `${at.toISOString()} ${text}\n`;
    const after = before + Buffer.byteLength(line);
    const end =
      after > bytesMax
        ? `${at.toISOString()} (the log has reached its size limit: further lines are not kept)\n`
        : "";
    appendFileSync(file, line + end, { mode: 0o600 });
    this.#bytes.set(task, after);
  }
}

export function readTaskLog(stateFolder: string, task: string): string | undefined {
  const file = logFile(join(stateFolder, "logs"), task);
  return existsSync(file) ? readFileSync(file, "utf8") : undefined;
}

export function hasTaskLog(stateFolder: string, task: string): boolean {
  return existsSync(logFile(join(stateFolder, "logs"), task));
}

/** A log from a byte offset on. */
export function readLogFrom(file: string, from: number): Buffer {
  const fd = openSync(file, "r");
  try {
    const bytes = Buffer.alloc(Math.max(0, fstatSync(fd).size - from));
    return bytes.subarray(0, readSync(fd, bytes, 0, bytes.length, from));
  } finally {
    closeSync(fd);
  }
}

/** The last whole lines of a log, at most that many bytes. */
export function readLogTail(
  stateFolder: string,
  task: string,
  bytesMax: number,
): { readonly from: number; readonly text: string } {
  const file = taskLogFile(stateFolder, task);
  const from = Math.max(0, statSync(file).size - bytesMax);
  const bytes = readLogFrom(file, from).subarray(0, bytesMax);
  const start = from === 0 ? 0 : bytes.indexOf(newline) + 1;
  return { from: from + start, text: bytes.toString("utf8", start, bytes.lastIndexOf(newline) + 1) };
}

export function taskLogFile(stateFolder: string, task: string): string {
  return logFile(join(stateFolder, "logs"), task);
}

function logFile(folder: string, task: string): string {
  return join(folder, `${task.replaceAll("/", "_")}.log`);
}
