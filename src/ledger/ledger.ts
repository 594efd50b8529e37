import type { Lease } from "../core/leases/lease.ts";
import type { ProcessIdentity } from "../core/leases/process-identity.ts";
import type { StoredShape } from "../core/paths/stored-shape.ts";
import type { Session } from "../core/session/session.ts";
import type { TaskState } from "../core/tasks/states.ts";
import type { Task } from "../core/tasks/task.ts";
import type { DecisionData } from "./decision-data.ts";

/**
 * The durable truth: a handful of reads and one commit. A change is a value, applied in one call in which
 * nothing is awaited, whole or not at all. It is refused, not merged, where what it was decided on has
 * changed meanwhile: the caller reads and decides again.
 */
export interface Ledger {
  task(key: string): Promise<Task | undefined>;
  /** By key; `after` and `limit` page through many. */
  tasks(filter?: TaskFilter): Promise<readonly Task[]>;
  /** Tasks that name this one under `dependsOn`. */
  dependents(key: string): Promise<readonly Task[]>;
  /** Tasks whose hold waits for this one. */
  waitingFor(key: string): Promise<readonly Task[]>;
  /** The newest attempt of a task. */
  attempt(task: string): Promise<Attempt | undefined>;
  /** Attempts whose lease is running, whether or not it has lapsed. */
  runningAttempts(): Promise<readonly Attempt[]>;
  /** All locks, or the active ones of one task, or all active ones. */
  locks(filter?: { readonly task?: string; readonly active?: boolean }): Promise<readonly Lock[]>;
  /** Active path locks at, above or below any of these folders or files; what could overlap them. */
  locksNear(prefixes: readonly string[]): Promise<readonly Lock[]>;
  /** Active locks on named resources. */
  locksOnResources(names: readonly string[]): Promise<readonly Lock[]>;
  /** Grows with every taking of locks; the last epoch that was given out is never higher. */
  fence(): Promise<number>;
  events(filter?: EventFilter): Promise<readonly LedgerEvent[]>;
  setting(name: SettingName): Promise<unknown>;
  /** The answer that a request with this key got before. */
  answered(key: string): Promise<Answered | undefined>;
  intents(): Promise<readonly Intent[]>;
  decisions(filter?: { readonly state?: Decision["state"] }): Promise<readonly Decision[]>;
  session(name: string): Promise<Session | undefined>;
  /** By name. */
  sessions(): Promise<readonly Session[]>;
  /** Everything that a status is made of, read at one moment. */
  survey(): Promise<Survey>;
  /** The outcome that is kept under a key. A damaged one counts as none: it can be had again by running the check. */
  evidence(key: string): Promise<StoredRun | undefined>;
  /** Another one after whatever anybody has stored: what was read before may be old. */
  version(): string;
  /** The key that attempts' tokens are made with. */
  secret(): string;
  commit(change: Change): Promise<Committed>;
  /** Looks at everything that is stored: damaged rows, a broken chain, a tail that is missing. */
  verify(): Promise<Verification>;
  close(): void;
}

export interface Survey {
  /** By key. */
  readonly tasks: readonly Task[];
  /** The newest one of each task that has any. */
  readonly attempts: readonly Attempt[];
  /** The active ones. */
  readonly locks: readonly Lock[];
  /** Those that are pending. */
  readonly decisions: readonly Decision[];
  /** By name. */
  readonly sessions: readonly Session[];
  readonly breaker: unknown;
  /** Of each type that a status tells of, the newest ones, newest first. */
  readonly events: Readonly<Record<"land.refused" | "task.merged" | "agent.limited", readonly LedgerEvent[]>>;
}

export interface TaskFilter {
  readonly states?: readonly TaskState[];
  /** Null: tasks of no session. */
  readonly session?: string | null;
  readonly after?: string;
  readonly limit?: number;
}

/** One try at a task. Its row is rewritten by heartbeats, under a version of its own. */
export interface Attempt {
  readonly task: string;
  readonly number: number;
  readonly epoch: number;
  readonly version: number;
  readonly agent: string | null;
  readonly lease: Lease;
  /** running: the clock runs; held: locks without a clock (in review, or taken over by a person); over: nothing is held. */
  readonly leaseState: "running" | "held" | "over";
  readonly startedAt: string;
  readonly startedMs: number;
  /** How many minutes it may take, null: any number; absent in older ledgers. */
  readonly minutesMax?: number | null;
  readonly beatAt: string;
  readonly endedAt: string | null;
  readonly tokens: number;
  /** Bytes of the worklog at the start: it must have grown. */
  readonly worklogBytes: number;
  /** The process that runs the agent, where it is known. */
  readonly runner: ProcessIdentity | null;
  /** The client's conversation, for going on with it; absent where there is none. */
  readonly conversation?: string;
  /** The agent of a client that claimed it; absent where none did. */
  readonly boundAgent?: string;
  /** The client's process that its claim came from: what runs below it speaks for this attempt. */
  readonly boundClient?: ProcessIdentity;
  /** Budgets whose warning was given. */
  readonly warned: readonly ("tokens" | "minutes" | "cost_usd")[];
}

export interface NewLock {
  readonly task: string;
  readonly epoch: number;
  readonly kind: "path" | "resource";
  /** As it was written, or the resource's name. */
  readonly resource: string;
  /** What it stood for when it was taken; none for a named resource. */
  readonly shapes: readonly StoredShape[];
  readonly takenAt: string;
}

/** Never deleted: a release only makes it inactive. */
export interface Lock extends NewLock {
  readonly id: number;
  readonly active: boolean;
  readonly releasedAt: string | null;
}

export interface NewEvent {
  readonly at: string;
  readonly type: string;
  /** `person`, `run`, `agent NAME`, `guard`, `orchestrator`, `attempt:T-1#2`, `system`. */
  readonly actor: string;
  /** The operation that brought it about. */
  readonly cause: string;
  readonly task: string | null;
  /** Both null where no state changed; `from` null for a new task. */
  readonly from: TaskState | null;
  readonly to: TaskState | null;
  readonly data: unknown;
}

export interface LedgerEvent extends NewEvent {
  /** 1, 2, 3 … without gaps. */
  readonly seq: number;
  /** SHA-256 over the previous event's hash and this event. */
  readonly hash: string;
}

export interface EventFilter {
  readonly task?: string;
  readonly type?: string;
  /** Events with a higher and with a lower number, in whatever order they are listed. */
  readonly after?: number;
  readonly before?: number;
  readonly limit?: number;
  readonly newestFirst?: boolean;
}

/** Something to be carried out outside the ledger; done exactly once somebody says so. */
export interface NewIntent {
  /** The base branch is about to move: finished or undone after a crash. */
  readonly type: "move-base";
  readonly task: string;
  readonly epoch: number;
  readonly data: unknown;
}

export interface Intent extends NewIntent {
  readonly id: number;
}

/** A question to a person. */
export interface Decision {
  readonly id: string;
  readonly version: number;
  /**
   * widen: a task asks for more scope. vacuous: a check that should prove something passed before too. manual: what no
   * command can tell. weakened: a change that weakens what the base's tests verified. continue: a task has used up a
   * budget. security: what a reviewer leaves to a person. login: an agent is not logged in. The others are a
   * session's: its two gates, what a role asks, and what becomes of work that repairs did not mend.
   */
  readonly kind:
    | "widen"
    | "vacuous"
    | "manual"
    | "weakened"
    | "continue"
    | "security"
    | "login"
    | "approve-design"
    | "review-strategy"
    | "question"
    | "repair";
  readonly task: string;
  readonly question: string;
  readonly options: readonly string[];
  readonly data: DecisionData | null;
  /** skipped: what became of the work made it needless. */
  readonly state: "pending" | "answered" | "cancelled" | "skipped";
  /** Of one that is cancelled or skipped: why. */
  readonly answer: string | null;
  readonly askedAt: string;
  readonly answeredAt: string | null;
}

/** How a check ended. A failure stays: no pass takes its place, since one that comes after it is chance. */
export interface StoredRun {
  /** Stands for everything that the outcome depends on. */
  readonly key: string;
  readonly command: string;
  readonly tree: string;
  readonly exit: number | null;
  readonly seconds: number;
  readonly digest: string;
  readonly tail: string;
  /** The tests that it ran, compressed; without where no runner reported them. */
  readonly inventory?: string;
  /** Of a failure: the part of its output that tells why, and the file that has all of it. */
  readonly excerpt?: string;
  readonly log?: string;
  readonly at: string;
}

export type SettingName = "breaker";

export interface Answered {
  readonly operation: string;
  /** Tells the request apart from another one with the same key. */
  readonly digest: string;
  readonly answer: unknown;
}

export interface Change {
  /** Versions of tasks that are read but not written, 0 for one that must not exist; and the fence. */
  readonly expect?: { readonly tasks?: Readonly<Record<string, number>>; readonly fence?: number };
  /** Each is stored with the next version, if the stored one still is the one it carries. */
  readonly tasks?: readonly Task[];
  readonly attempts?: readonly Attempt[];
  readonly decisions?: readonly Decision[];
  readonly sessions?: readonly Session[];
  /** Each takes the place of the one under its key, save a pass that of a failure. Needs no event: no state changes. */
  readonly evidence?: readonly StoredRun[];
  /** Taken all or none; `expect.fence` says that nobody took any since the overlap was judged. */
  readonly take?: readonly NewLock[];
  /** Tasks that lose all their locks; before `take`. */
  readonly release?: { readonly tasks: readonly string[]; readonly at: string };
  readonly settings?: Readonly<Partial<Record<SettingName, unknown>>>;
  readonly intents?: readonly NewIntent[];
  readonly intentsDone?: readonly number[];
  /** Every change of a task's state has exactly one (INV-5); the ledger refuses a change where not. */
  readonly events?: readonly NewEvent[];
  readonly request?: Answered & { readonly key: string };
  /** False for heartbeats: they mean nothing after a loss of power, so they do not wait for the disk. */
  readonly durable?: boolean;
  /** Gives room back: where the disk is full the ledger frees its reserve for it. */
  readonly relieves?: boolean;
}

export type Committed =
  | { readonly ok: true /** Of the last event. */; readonly seq: number }
  /** What the change was decided on is no longer so. */
  | { readonly conflict: string };

export interface Verification {
  readonly events: number;
  /** In order; empty where all is well. */
  readonly problems: readonly { readonly seq?: number; readonly problem: string }[];
}
