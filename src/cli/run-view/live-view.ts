import { styleText } from "node:util";
import type { AgentEvent } from "../../clients/agent.ts";
import { mayBeTaken } from "../../run/conduct/fleet/take-over.ts";
import { shortName } from "../../view/task-names.ts";
import { inOrder } from "../../view/task-order.ts";
import { type ShownTask, taskWord } from "../../view/task-words.ts";
import { duration } from "../output/table.ts";
import { drawLog } from "./draw-log.ts";
import { drawRun } from "./draw-run.ts";
import { type KeyRequest, type Looking, lookingAtTasks, pressKey, readKeys } from "./press-key.ts";
import { hasFinishedProving, isProving } from "./proving.ts";
import { noPaint, type Paint, type RunModel } from "./run-model.ts";
import { lastThing, type RunWatcher } from "./run-watcher.ts";
import { Screen } from "./screen.ts";

interface Seen extends Pick<RunModel, "tasks" | "decisions" | "nameOf" | "machines"> {
  /** The process that runs the tasks, if this one only watches. */
  readonly otherRun: number | undefined;
}

/** How the view reads and controls the run. */
export interface RunPort {
  read(): Promise<Seen>;
  log(task: string): string | undefined;
  /** These use the terminal exclusively, and return what went wrong. */
  diff(task: string): Promise<string | undefined>;
  take(task: string): Promise<string | undefined>;
  answer(): Promise<string | undefined>;
  /** Returns the result as a text. */
  stop(task: string): Promise<string>;
  interrupt(): void;
}

type Facts = Pick<RunModel, "name" | "walls" | "budget" | "board">;

const drawMs = 125;
const readMsMin = 1000;
/** The pause between reads is this many times the duration of a read, so that large runs are not slowed down. */
const readShare = 20;
const noticeMs = 10_000;

const taskKeys = ["j/k select", "l log", "d diff", "s stop", "t take", "a answer"];
const ownKeys = ["q end the run", ...taskKeys];
const watchKeys = ["q leave (the other run continues)", ...taskKeys];
const logKeys = "j/k another task  q or esc back";

/** Whether stderr is a terminal that the view can be drawn on. */
export function isLive(): boolean {
  return process.stderr.isTTY === true && !process.env.CI && process.env.TERM !== "dumb";
}

/** Draws the run in place until it is disposed of. */
export class LiveView implements RunWatcher, AsyncDisposable {
  readonly #facts: Facts;
  readonly #port: RunPort;
  readonly #screen: Screen;
  readonly #sinceMs = Date.now();
  readonly #last = new Map<string, string>();
  readonly #timer: NodeJS.Timeout;
  readonly #hasKeys = process.stdin.isTTY === true;
  #seen: Seen = { tasks: [], decisions: [], nameOf: shortName, otherRun: undefined };
  #looking: Looking = lookingAtTasks;
  #step: { readonly text: string; readonly at: number } | undefined;
  #notice: { readonly text: string; readonly at: number } | undefined;
  #remark: string | null = null;
  #readAgainAt = 0;
  #drawnAt = "";
  #lent: Promise<void> | undefined;
  #isOver = false;

  constructor(facts: Facts, port: RunPort) {
    this.#facts = facts;
    this.#port = port;
    this.#screen = new Screen(process.stderr, () => this.#listen(false));
    this.#listen(true);
    this.#timer = setInterval(() => this.#tick(), drawMs);
  }

  get endKeys(): string {
    return this.#hasKeys ? "q or Ctrl-C" : "Ctrl-C";
  }

  get isCopied(): boolean {
    return this.#lent !== undefined;
  }

  onTask(task: string, event: AgentEvent): void {
    const text = lastThing(event);
    if (text !== undefined) this.#last.set(task, text);
    this.#drawnAt = "";
  }

  step(line: string): void {
    this.#step = { text: line, at: Date.now() };
    this.#drawnAt = "";
  }

  tell(line: string): void {
    this.#notice = { text: line, at: Date.now() };
    this.#drawnAt = "";
  }

  remark(line: string): void {
    this.#remark = line;
    this.#drawnAt = "";
  }

  /** Waits until the person has closed a pager or prompt, so that no output is written into it. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true;
    clearInterval(this.#timer);
    await this.#lent;
    this.#screen.close();
  }

  /** Draws once a second for the clock, or sooner if something has changed. */
  #tick(): void {
    const now = Date.now();
    if (now >= this.#readAgainAt) void this.#read(now);
    const { columns, rows } = this.#screen.size;
    const moment = `${Math.floor(now / 1000)} ${columns} ${rows}`;
    if (moment === this.#drawnAt || this.isCopied) return;
    this.#drawnAt = moment;
    const frame = { columns, rows, now, paint };
    const { page, selected } = this.#looking;
    this.#screen.draw(
      page === "log" && selected !== null
        ? drawLog({ name: shortName(selected), text: this.#port.log(selected), keys: logKeys }, frame)
        : drawRun(this.#model(now), frame),
    );
  }

  async #read(now: number): Promise<void> {
    this.#readAgainAt = Infinity;
    try {
      const seen = await this.#port.read();
      if (hasFinishedProving(this.#seen, seen)) this.#step = undefined;
      this.#seen = seen;
    } catch (error) {
      // The run meets the same error, and ends with it.
      this.tell(`the tasks cannot be read: ${error instanceof Error ? error.message : String(error)}`);
    }
    this.#drawnAt = "";
    const took = Date.now() - now;
    this.#readAgainAt = Date.now() + Math.max(readMsMin, took * readShare);
  }

  #model(now: number): RunModel {
    return {
      ...this.#facts,
      ...this.#seen,
      last: this.#last,
      sinceMs: this.#sinceMs,
      remark: this.#remark ?? watching(this.#seen),
      notice: this.#noticeAt(now),
      selected: this.#looking.selected,
      keys: this.#hasKeys ? (this.#seen.otherRun === undefined ? ownKeys : watchKeys) : null,
    };
  }

  #noticeAt(now: number): string | null {
    if (this.#notice !== undefined && now - this.#notice.at < noticeMs) return this.#notice.text;
    if (this.#step === undefined) return null;
    const ms = now - this.#step.at;
    if (!isProving(this.#seen) && ms > noticeMs) return null;
    return `· ${this.#step.text}${ms < 1000 ? "" : ` ${duration(Math.floor(ms / 1000))}`}`;
  }

  #listen(on: boolean): void {
    if (!this.#hasKeys) return;
    process.stdin.setRawMode(on);
    process.stdin.off("data", this.#onData);
    if (on) process.stdin.on("data", this.#onData).resume();
    else process.stdin.pause();
  }

  readonly #onData = (chunk: Buffer) => {
    for (const key of readKeys(chunk.toString())) {
      const order = inOrder(this.#seen.tasks).map((task) => task.key);
      const { looking, request } = pressKey(this.#looking, key, order);
      this.#looking = looking;
      this.#notice = undefined;
      this.#drawnAt = "";
      if (request !== undefined) void this.#carryOut(request);
    }
  };

  async #carryOut(request: KeyRequest): Promise<void> {
    if (request.do === "ask-leave") return this.#askToLeave();
    if (!("task" in request)) return request.do === "answer" ? this.#answer() : this.#port.interrupt();
    const name = shortName(request.task);
    if (request.do === "ask-stop" || request.do === "ask-take") return this.#ask(request.do, request.task);
    try {
      if (request.do === "stop") this.tell(await this.#port.stop(request.task));
      else if (request.do === "take") await this.#lend(() => this.#port.take(request.task));
      else await this.#lend(() => this.#port.diff(request.task));
    } catch (error) {
      this.tell(`${name}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }

  async #answer(): Promise<void> {
    if (this.#seen.decisions.length === 0) this.tell("no question is open");
    else await this.#lend(() => this.#port.answer());
  }

  /** A run that only watches leaves at once, and one that is ending ends sooner. */
  #askToLeave(): void {
    const goesOn = this.#seen.otherRun === undefined && this.#remark === null;
    if (goesOn) this.tell("press q again to end the run");
    else {
      this.#looking = { ...this.#looking, asked: null };
      this.#port.interrupt();
    }
  }

  /** The first press asks for a second one; an impossible request is refused at once. */
  #ask(what: "ask-stop" | "ask-take", task: string): void {
    const name = shortName(task);
    const found = this.#seen.tasks.find(({ key }) => key === task);
    const fits = what === "ask-stop" ? isAtWork : mayBeTaken;
    if (found !== undefined && !fits(found)) {
      this.#looking = { ...this.#looking, asked: null };
      const done =
        what === "ask-stop" ? "only work in progress can be stopped" : "it has no work to take over";
      this.tell(`${name} is ${taskWord(found)}: ${done}`);
    } else if (what === "ask-stop") this.tell(`press s again to stop ${name}; its work is kept`);
    else if (found === undefined || isAtWork(found))
      this.tell(`press t again to stop the agent of ${name} and take over its work`);
    else this.tell(`press t again to take over the work of ${name}`);
  }

  async #lend(show: () => Promise<string | undefined>): Promise<void> {
    if (this.isCopied || this.#isOver) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#lent = promise;
    this.#screen.close();
    try {
      const fault = await show();
      if (fault !== undefined) this.tell(fault);
    } finally {
      this.#lent = undefined;
      this.#drawnAt = "";
      if (!this.#isOver) {
        this.#screen.open();
        this.#listen(true);
      }
      resolve();
    }
  }
}

function isAtWork({ state }: Pick<ShownTask, "state">): boolean {
  return state === "IN_PROGRESS";
}

function watching({ otherRun }: Seen): string | null {
  return otherRun === undefined
    ? null
    : `Another run (PID ${otherRun}) is already handling these tasks; following its progress.`;
}

type Format = Parameters<typeof styleText>[0];
const painted = (format: Format) => (text: string) => styleText(format, text, { validateStream: false });
const paint: Paint = process.env.NO_COLOR
  ? noPaint
  : { bold: painted("bold"), dim: painted("dim"), red: painted("red"), green: painted("green") };
