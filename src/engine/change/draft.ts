import { type Deny, deny } from "../../core/rules/verdict.ts";
import { maskDocument } from "../../core/secrets/mask-document.ts";
import type { Session } from "../../core/session/session.ts";
import { advance, type Step } from "../../core/tasks/machine.ts";
import type { Actor, Task } from "../../core/tasks/task.ts";
import type { TaskEvent, TaskEventType } from "../../core/tasks/task-event.ts";
import type { EventData } from "../../ledger/event-data.ts";
import type { Attempt, Change, Decision, NewEvent, NewIntent, NewLock, Role } from "../../ledger/ledger.ts";
import { carryEffects } from "./carry-effects.ts";
import type { Admitted } from "./door.ts";
import { actorName, type Store } from "./engine.ts";

const eventNames: Readonly<Record<TaskEventType, string>> = {
  start: "task.started",
  submit: "task.submitted",
  merge: "task.merged",
  reject: "task.rejected",
  exhaust: "task.exhausted",
  block: "task.blocked",
  deny: "task.denied",
  wait: "task.delayed",
  orphan: "task.orphaned",
  lose: "task.lost",
  stop: "task.stopped",
  halt: "task.halted",
  retry: "task.retried",
  unblock: "task.unblocked",
  escalate: "task.escalated",
  resolve: "task.resolved",
  cancel: "task.cancelled",
};

/**
 * Collects a change: every step of every task with its event, and the effects on other tasks. Nothing happens
 * until the ledger commits it.
 */
export class Draft {
  readonly engine: Store;
  readonly at: string;
  readonly #by: Admitted;
  readonly #cause: string;
  readonly #tasks = new Map<string, Task>();
  readonly #attempts = new Map<string, Attempt>();
  /**
   * The versions that decisions were based on. They are written back as read, so that a concurrent change causes
   * a conflict.
   */
  readonly #seenTasks = new Map<string, Task>();
  readonly #seenAttempts = new Map<string, Attempt>();
  readonly #events: NewEvent[] = [];
  readonly #intents: NewIntent[] = [];
  readonly #released = new Set<string>();

  constructor(engine: Store, { by, cause }: { by: Admitted; cause: string }) {
    this.engine = engine;
    this.at = new Date(engine.clock.now().wallMs).toISOString();
    this.#by = by;
    this.#cause = cause;
  }

  /** The task as this draft leaves it. The first read counts: a later one would hide concurrent changes. */
  async task(key: string): Promise<Task | undefined> {
    const known = this.#tasks.get(key) ?? this.#seenTasks.get(key);
    if (known !== undefined) return known;
    const read = await this.engine.ledger.task(key);
    if (read !== undefined) this.#seenTasks.set(key, read);
    return read;
  }

  async attempt(key: string): Promise<Attempt | undefined> {
    const drafted = [...this.#attempts.values()].filter(({ task }) => task === key).at(-1);
    const known = drafted ?? this.#seenAttempts.get(key);
    if (known !== undefined) return known;
    const read = await this.engine.ledger.attempt(key);
    if (read !== undefined) this.#seenAttempts.set(key, read);
    return read;
  }

  /** Registers what the caller has read and decided on before it made this draft. */
  seen({ task, attempt }: { readonly task: Task; readonly attempt: Attempt | undefined }): this {
    this.#seenTasks.set(task.key, task);
    if (attempt !== undefined) this.#seenAttempts.set(task.key, attempt);
    return this;
  }

  putTask(task: Task): void {
    this.#tasks.set(task.key, { ...task, updatedAt: this.at });
  }

  putAttempt(attempt: Attempt): void {
    this.#attempts.set(`${attempt.task}#${attempt.number}`, attempt);
  }

  create(task: Task): void {
    this.putTask(task);
    this.note({
      type: "task.created",
      task: task.key,
      from: null,
      to: task.state,
      data: { title: task.title },
    });
  }

  /** Applies an event with the state machine, including its effects on the task's locks and on other tasks. */
  async apply(task: Task, event: TaskEvent, by?: Actor): Promise<Task | Deny> {
    const actor = by ?? this.#by.role;
    const { reviewRetries, sameError } = this.engine.limits;
    const advanced = advance(task, event, { by: actor, limits: { reviewRetries, sameError } });
    if ("allow" in advanced) return advanced;
    this.putTask(advanced.task);
    for (const step of advanced.steps) this.#record(task.key, step);
    await carryEffects(this, advanced);
    return advanced.task;
  }

  note<Type extends string>(event: Noted<Type>): void {
    const { via } = this.#by;
    const data = via === undefined ? event.data : { ...(event.data as object | null), via };
    this.#events.push({ at: this.at, actor: actorName(this.#by), cause: this.#cause, ...event, data });
  }

  release(task: string): void {
    this.#released.add(task);
  }

  intend(intent: NewIntent): void {
    this.#intents.push(intent);
  }

  /** INV-8: masks secrets in all texts. */
  async toChange(more: DraftExtras = {}): Promise<Change | Deny> {
    const { take, expect, decisions = [], sessions = [], settings = {}, ...rest } = more;
    const tasks = [...this.#tasks.values()];
    const texts = { tasks, events: this.#events, intents: this.#intents, decisions, sessions, settings };
    const masked = await maskDocument(texts);
    if (masked.tasks.some((task, index) => !sameNames(task, tasks[index])))
      return deny("R-IN-001", "a task id, session or path looks like a secret: choose another name");
    if (masked.sessions.some((session, index) => !sameSession(session, sessions[index])))
      return deny("R-IN-001", "the session or its branch looks like a secret: choose another name");
    return {
      ...masked,
      attempts: [...this.#attempts.values()],
      ...(this.#released.size === 0 ? {} : { release: { tasks: [...this.#released], at: this.at } }),
      ...(take === undefined ? {} : { take }),
      ...(expect === undefined ? {} : { expect }),
      ...rest,
    };
  }

  get isEmpty(): boolean {
    return this.#tasks.size + this.#attempts.size + this.#events.length + this.#released.size === 0;
  }

  #record(task: string, { event, from, to }: Step): void {
    const { type, ...data } = event;
    this.note({ type: eventNames[type], task, from, to, data });
  }
}

interface Noted<Type extends string> extends Pick<NewEvent, "task" | "from" | "to"> {
  readonly type: Type;
  readonly data: Type extends keyof EventData ? EventData[Type] : unknown;
}

export interface DraftExtras {
  readonly take?: readonly NewLock[];
  readonly expect?: NonNullable<Change["expect"]>;
  readonly decisions?: readonly Decision[];
  readonly sessions?: readonly Session[];
  readonly roles?: readonly Role[];
  readonly settings?: NonNullable<Change["settings"]>;
  readonly intentsDone?: readonly number[];
  readonly relieves?: boolean;
}

/** Names decide what is locked and which tasks are concerned, so they are stored unchanged or not at all. */
function sameNames(masked: Task, task: Task | undefined): boolean {
  const names = (of: Task | undefined) => [
    of?.key,
    of?.dependsOn,
    of?.agent,
    of?.assignment?.lock_scope,
    of?.assignment?.forbidden_scope,
    of?.assignment?.worklog_path,
    of?.assignment?.uses,
  ];
  return JSON.stringify(names(masked)) === JSON.stringify(names(task));
}

function sameSession(masked: Session, session: Session | undefined): boolean {
  return (["name", "base", "baseCommit"] as const).every((name) => masked[name] === session?.[name]);
}
