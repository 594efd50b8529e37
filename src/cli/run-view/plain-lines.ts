import type { AgentEvent } from "../../clients/agent.ts";
import { isTaskState } from "../../core/tasks/states.ts";
import { shortName } from "../../view/task-names.ts";
import { clockTime } from "../../workspace/process/local-time.ts";
import { writeAll } from "../output/descriptor.ts";
import { style } from "../output/style.ts";
import { printable } from "../output/table.ts";
import { lastThing, type RunWatcher } from "./run-watcher.ts";

interface Ledgered {
  /** Undefined for a task that the ledger does not know. */
  task(key: string): Promise<{ readonly state: string; readonly attempts: number } | undefined>;
}

const textLengthMax = 300;
const startWords = "started by ";

/** Prints the run line by line, for logs and for terminals without a live view. */
export class PlainLines implements RunWatcher, AsyncDisposable {
  readonly isCopied = false;
  readonly #session: string;
  readonly #ledger: Ledgered;
  readonly #reasons = new Map<string, string>();
  #step = "";
  #written: Promise<void> = Promise.resolve();
  #fault: unknown;

  constructor(session: string, ledger: Ledgered) {
    this.#session = session;
    this.#ledger = ledger;
  }

  onTask(task: string, event: AgentEvent): void {
    const text = lastThing(event);
    if (text === undefined || this.#isKnown(task, text)) return;
    this.#step = "";
    this.#write(async () => {
      // A watching process sees a state late: the task may already be in a later attempt.
      const isWatched = event.type === "said" && isTaskState(event.text);
      const tries = isWatched ? 1 : await this.#triesOf(task, text);
      const name = task.startsWith(`${this.#session}/`) ? shortName(task) : task;
      const shown = `${name}${tries > 1 ? `#${tries}` : ""}`;
      return `${style.dim(printable(shown))}  ${text.slice(0, textLengthMax)}`;
    });
  }

  /** Skips a step that is the same as the last one. */
  step(line: string): void {
    if (line === this.#step) return;
    this.#step = line;
    const text = line.split("\n").map(printable).join("\n  ");
    this.#write(async () => `${style.dim("·")} ${text}`);
  }

  tell(line: string): void {
    this.#write(async () => line);
  }

  remark(line: string): void {
    this.tell(line);
  }

  /** Waits until everything so far is printed. */
  async flush(): Promise<void> {
    await this.#written;
    if (this.#fault !== undefined) throw this.#fault;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.flush();
  }

  /** Keeps the order of the calls, although a line may need a ledger lookup first. */
  #write(line: () => Promise<string>): void {
    const time = style.dim(clockTime(new Date()));
    const write = async () => writeAll(2, `${time} ${await line()}\n`);
    this.#written = this.#written.then(write).catch((error: unknown) => {
      this.#fault ??= error;
    });
  }

  /** The start of an attempt is reported before the ledger records it. */
  async #triesOf(task: string, text: string): Promise<number> {
    const found = await this.#ledger.task(task);
    if (found === undefined) return 1;
    const isAhead = text.startsWith(startWords) && found.state !== "IN_PROGRESS";
    return found.attempts + (isAhead ? 1 : 0);
  }

  /** Whether a warning or the end of an attempt only repeats the last reason of the same attempt. */
  #isKnown(task: string, text: string): boolean {
    if (text.startsWith(startWords)) this.#reasons.delete(task);
    const [, kind = "", reason = text] = /^(refused|waiting|warning|failed)?(?:, |: )?(.*)$/.exec(text) ?? [];
    const bare = reason.replace(/^[RE]-[A-Z]+(?:-\d+)?: /, "");
    const before = this.#reasons.get(task);
    const repeats = kind === "warning" || (kind === "" && bare !== reason);
    if (repeats && before?.startsWith(bare) === true) return true;
    if (kind !== "" || bare !== reason) this.#reasons.set(task, bare);
    return false;
  }
}
