import type { Wait } from "../../core/plan/waits.ts";
import type { Engine } from "../../engine/change/engine.ts";
import { readStatus } from "../../engine/views/read-status.ts";
import { shortName } from "../../view/task-names.ts";
import { type ShownTask, waitsText } from "../../view/task-words.ts";
import { counted } from "../output/table.ts";
import type { RunWatcher } from "./run-watcher.ts";

const readMsMin = 1000;
/** The pause between reads is this many times the duration of a read, so that large runs are not slowed down. */
const readShare = 20;
/** From this number on, tasks that wait for the same thing share one line. */
const alikeMin = 4;
const namesShown = 5;

type Lines = Pick<RunWatcher, "onTask" | "tell">;

/** Prints once for each task which other task holds it up. For runs without a live view. */
export class WaitLines implements AsyncDisposable {
  readonly #engine: Engine;
  readonly #session: string;
  readonly #lines: Lines;
  /** The last line printed for each task. */
  readonly #told = new Map<string, string>();
  #timer: NodeJS.Timeout | undefined;
  #reading: Promise<void> = Promise.resolve();

  constructor(engine: Engine, session: string, lines: Lines) {
    this.#engine = engine;
    this.#session = session;
    this.#lines = lines;
    this.#wait(readMsMin);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearTimeout(this.#timer);
    await this.#reading;
    clearTimeout(this.#timer);
  }

  #wait(ms: number): void {
    this.#timer = setTimeout(() => {
      this.#reading = this.#look();
    }, ms);
    this.#timer.unref();
  }

  async #look(): Promise<void> {
    const since = Date.now();
    try {
      const { tasks } = await readStatus(this.#engine);
      this.#say(tasks.filter(({ key }) => key.startsWith(`${this.#session}/`)));
      this.#wait(Math.max(readMsMin, (Date.now() - since) * readShare));
    } catch (error) {
      // The run meets the same error, and ends with it.
      this.#lines.tell(`the tasks cannot be read: ${error instanceof Error ? error.message : String(error)}`);
    }
  }

  #say(tasks: readonly ShownTask[]): void {
    for (const [text, alike] of newWaits(tasks, this.#told)) {
      if (alike.length < alikeMin) for (const key of alike) this.#lines.onTask(key, { type: "said", text });
      else this.#lines.tell(`${counted(alike.length, "task")}, each ${text}: ${namesOf(alike)}`);
    }
  }
}

/** The tasks whose wait has changed, grouped by the new text; updates `told`. */
export function newWaits(
  tasks: readonly Pick<ShownTask, "key" | "waits">[],
  told: Map<string, string>,
): ReadonlyMap<string, readonly string[]> {
  const fresh = new Map<string, string[]>();
  for (const task of tasks) {
    const text = task.waits.some(isWorthSaying) ? waitsText(task) : "";
    if (text === (told.get(task.key) ?? "")) continue;
    told.set(task.key, text);
    if (text !== "") fresh.set(text, [...(fresh.get(text) ?? []), task.key]);
  }
  return fresh;
}

/** Waits for slots and dependencies are normal; a wait for a person is reported elsewhere. */
function isWorthSaying(wait: Wait): boolean {
  return wait.on === "lock" || wait.on === "limit" || (wait.on === "dependency" && wait.waits_for_person);
}

function namesOf(keys: readonly string[]): string {
  const shown = keys.slice(0, namesShown).map(shortName).join(", ");
  return keys.length > namesShown ? `${shown} and ${keys.length - namesShown} more` : shown;
}
