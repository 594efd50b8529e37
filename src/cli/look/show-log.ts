import { setTimeout as sleep } from "node:timers/promises";
import type { Task } from "../../core/tasks/task.ts";
import { isTaken } from "../../engine/attempts/take-task.ts";
import type { Engine } from "../../engine/change/engine.ts";
import { type LeftPart, LogReader, type NewLines } from "../../run/landing/work/read-logs.ts";
import { withLocalTime } from "../../workspace/process/local-time.ts";
import { writeAll } from "../output/descriptor.ts";
import { printable } from "../output/table.ts";

const pollMs = 200;
/** Another machine looks once a second whether somebody asks for its log. */
const sharedMs = 1200;

interface LogRequest {
  readonly engine: Engine;
  readonly folder: string;
  readonly task: Task;
  readonly follow: boolean;
  readonly json: boolean | undefined;
}

interface ShownLog {
  /** For `--json`. */
  readonly lines: readonly string[];
  /** Older parts that only another machine has. */
  readonly left: readonly (LeftPart & { readonly name: string })[];
}

/** Prints the log of a task, or returns its lines for `--json`. Undefined if no machine has one. */
export async function showLog(request: LogRequest): Promise<ShownLog | undefined> {
  const { engine, folder, task, follow, json } = request;
  const reader = new LogReader(engine, folder, task.key);
  const first = await reader.read();
  if (first === undefined) return undefined;
  const names = new Map((await engine.ledger.machines()).map(({ id, name }) => [id, name]));
  const lines: string[] = [];
  const left: (LeftPart & { name: string })[] = [];
  const show = (found: NewLines | undefined) => {
    const parts = (found?.left ?? []).map((part) => ({
      ...part,
      name: names.get(part.machine) ?? part.machine,
    }));
    left.push(...parts);
    if (json === true) return lines.push(...(found?.lines ?? []));
    for (const part of parts) writeAll(2, `${leftText(part)}\n`);
    return writeAll(1, (found?.lines ?? []).map((line) => `${printable(withLocalTime(line))}\n`).join(""));
  };
  show(first);
  const isElsewhere = engine.machine !== undefined && (await machineOf(engine, task)) !== engine.machine;
  const pauseMs = isElsewhere ? sharedMs : pollMs;
  let isLast = isElsewhere ? !(await isUnderWay(engine, task)) : !follow;
  while (!isLast) {
    // The outcome is logged shortly after the state has changed.
    isLast = !follow || !(await isUnderWay(engine, task));
    await sleep(pauseMs);
    show(await reader.read());
  }
  return { lines, left };
}

function leftText({ name, file, bytes }: LeftPart & { readonly name: string }): string {
  return printable(`lockstep: ${bytes} older bytes of this log are only on machine ${name}, in ${file}`);
}

async function machineOf({ ledger }: Engine, { key }: Task): Promise<string | undefined> {
  return (await ledger.attempt(key))?.machine;
}

/** Whether a process may still write to the log of this attempt. */
async function isUnderWay({ ledger, isAlive }: Engine, { key, attempts }: Task): Promise<boolean> {
  const task = await ledger.task(key);
  const attempt = await ledger.attempt(key);
  if (task === undefined || attempt === undefined || task.attempts !== attempts) return false;
  const works = task.state === "IN_PROGRESS" || task.state === "REVIEW";
  return works && !isTaken(task, attempt) && (attempt.runner === null || isAlive(attempt.runner) !== "no");
}
