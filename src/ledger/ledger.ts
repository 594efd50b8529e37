import type { Clock } from "../core/leases/clock.ts";
import type { Lease } from "../core/leases/lease.ts";
import type { ProcessIdentity } from "../core/leases/process-identity.ts";
import type { StoredShape } from "../core/paths/stored-shape.ts";
import type { ProofRequest } from "../core/proof/proof-request.ts";
import type { Session } from "../core/session/session.ts";
import type { DecisionKind } from "../core/tasks/decision-kinds.ts";
import type { TaskState } from "../core/tasks/states.ts";
import type { Task } from "../core/tasks/task.ts";
import type { DecisionData } from "./decision-data.ts";

/**
 * The durable state: a few reads and one commit. A change is a value. It is applied whole or not at all, in one
 * synchronous call. If the data that it was decided on has changed in the meantime, the ledger refuses the change
 * instead of merging it, and the caller reads and decides again.
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
  /** Active path locks at, above or below any of these folders or files: all locks that could overlap them. */
  locksNear(prefixes: readonly string[]): Promise<readonly Lock[]>;
  /** Active locks on named resources. */
  locksOnResources(names: readonly string[]): Promise<readonly Lock[]>;
  /** A counter that grows each time locks are taken. No epoch is higher than the fence. */
  fence(): Promise<number>;
  events(filter?: EventFilter): Promise<readonly LedgerEvent[]>;
  setting(name: SettingName): Promise<unknown>;
  /** The answer to an earlier request with this key. */
  answered(key: string): Promise<Answered | undefined>;
  intents(): Promise<readonly Intent[]>;
  decisions(filter?: { readonly state?: Decision["state"] }): Promise<readonly Decision[]>;
  session(name: string): Promise<Session | undefined>;
  /** By name. */
  sessions(): Promise<readonly Session[]>;
  role(name: string): Promise<Role | undefined>;
  /** By name. */
  roles(): Promise<readonly Role[]>;
  /** The machines that use this ledger, by id; empty if it belongs to one machine. */
  machines(): Promise<readonly Machine[]>;
  /** All data for a status report, read in one transaction. */
  survey(): Promise<Survey>;
  /**
   * The stored outcome for this key. A damaged row counts as missing, because running the check again restores
   * it.
   */
  evidence(key: string): Promise<StoredRun | undefined>;
  /**
   * A value that changes after every commit of any process of this machine, and soon after those of other machines:
   * earlier reads may then be stale.
   */
  version(): string;
  /** The clock of a ledger that machines share: leases run on it. Absent if the ledger belongs to one machine. */
  readonly clock?: Clock;
  /** The key that signs the tokens of attempts. */
  secret(): string;
  commit(change: Change): Promise<Committed>;
  /**
   * Waits for this caller's turn to read, decide and commit, if others have been taking locks at the same time. A
   * courtesy that saves retries; nothing relies on it. Absent where a retry costs no more than a turn.
   */
  turn?(): Promise<AsyncDisposable | undefined>;
  /**
   * While `lasts` returns true, calls wait for a server that does not answer instead of failing after their deadline.
   * Absent if the ledger has no server.
   */
  waitWhile?(lasts: () => boolean): Disposable;
  /** Absent if the ledger belongs to one machine: its logs are files there. */
  readonly logs?: SharedLogs;
  /** Absent if the ledger belongs to one machine. */
  readonly hints?: Hints;
  about(): Promise<LedgerAbout>;
  /** Checks everything that is stored: damaged rows, a broken event chain, missing events at the end. */
  verify(): Promise<Verification>;
  close(): void;
}

/**
 * The ends of tasks' logs, so that people on other machines can read them. Nothing is decided on them, so they have
 * neither versions nor events, and the last ones may be lost with the server.
 */
export interface SharedLogs {
  /** Replaces the tail of this file. */
  keep(task: string, tail: LogTail): Promise<void>;
  /** What the machines have kept, and asks them to keep it up to date for the next seconds. */
  ask(task: string): Promise<readonly LogTail[]>;
  /** Those of these tasks whose logs somebody asks for now. */
  asked(tasks: readonly string[]): Promise<readonly string[]>;
}

/** The last lines of a log. Several machines have a part of a task's log if one did the work and another merged it. */
export interface LogTail {
  readonly machine: string;
  /** Its path on that machine. */
  readonly file: string;
  /** Where the text begins in the file, in bytes. */
  readonly from: number;
  readonly text: string;
}

/**
 * Tells waiting processes, also of other machines, that there is something to do. A hint can be lost, so who waits also
 * asks at intervals.
 */
export interface Hints {
  give(): void;
  /** Grows with each hint. */
  readonly count: number;
  /** Resolves when `count` is not this any more. */
  after(count: number): Promise<void>;
}

export interface LedgerAbout {
  readonly engine: "sqlite" | "postgres";
  /** A path, or a URL without its password. */
  readonly place: string;
  /** Of the format. */
  readonly version: number;
  readonly bytes: number;
  readonly events: number;
  readonly commits: number;
}

export interface Survey {
  /** By key. */
  readonly tasks: readonly Task[];
  /** The newest attempt of each task. */
  readonly attempts: readonly Attempt[];
  /** Active locks. */
  readonly locks: readonly Lock[];
  /** Pending decisions. */
  readonly decisions: readonly Decision[];
  /** By name. */
  readonly sessions: readonly Session[];
  /** As `machines()`. */
  readonly machines: readonly Machine[];
  /** The roles that were not given back; empty if the ledger belongs to one machine. */
  readonly roles: readonly Role[];
  readonly breaker: unknown;
  /** For each event type that a status shows: the newest events, newest first. */
  readonly events: Readonly<
    Record<"land.refused" | "task.merged" | "agent.limited" | "machine.forgotten", readonly LedgerEvent[]>
  >;
}

export interface TaskFilter {
  readonly states?: readonly TaskState[];
  /** Null: tasks without a session. */
  readonly session?: string | null;
  readonly after?: string;
  readonly limit?: number;
}

/** One attempt at a task. Heartbeats rewrite its row under its own version. */
export interface Attempt {
  readonly task: string;
  readonly number: number;
  readonly epoch: number;
  readonly version: number;
  readonly agent: string | null;
  /** The machine that it runs on, if the ledger is shared by several. */
  readonly machine?: string;
  readonly lease: Lease;
  /** running: the clock runs; held: locks without a clock (in review, or taken over by a person); over: nothing is held. */
  readonly leaseState: "running" | "held" | "over";
  readonly startedAt: string;
  readonly startedMs: number;
  /** The time limit in minutes; null: no limit. Absent in older ledgers. */
  readonly minutesMax?: number | null;
  readonly beatAt: string;
  readonly endedAt: string | null;
  readonly tokens: number;
  /** Size of the worklog in bytes at the start: it must grow during the attempt. */
  readonly worklogBytes: number;
  /** The process that runs the agent, if known. */
  readonly runner: ProcessIdentity | null;
  /** The client's conversation, so that it can be continued; absent if there is none. */
  readonly conversation?: string;
  /** The client's agent that claimed the attempt; absent if none did. */
  readonly boundAgent?: string;
  /** The client process that claimed the attempt: its child processes act for this attempt. */
  readonly boundClient?: ProcessIdentity;
  /** Budgets for which a warning was already issued. */
  readonly warned: readonly ("tokens" | "minutes" | "cost_usd")[];
}

/** Work that only one process at a time may do, such as merging into a base branch. */
export interface Role {
  readonly name: string;
  readonly version: number;
  /** Grows each time the role is taken: a former holder is refused. */
  readonly epoch: number;
  readonly holder: ProcessIdentity | null;
  readonly lease: Lease;
  readonly leaseState: "running" | "over";
  /** For the role of a proof slot: the run that its holder does, or that waits for one. */
  readonly proof?: ProofRequest;
  /** What a member of the fleet offers; absent for other roles. */
  readonly offer?: Offer;
}

/** What a process offers to the sessions of all machines. */
export interface Offer {
  readonly kind: "run" | "worker";
  /** How many agents it runs at the same time. */
  readonly slots: number;
  readonly labels: readonly string[];
  /** Why it cannot do some tasks, for people. */
  readonly lacks: readonly string[];
  /** A person asked it to start nothing more. */
  readonly draining: boolean;
}

export interface Machine {
  readonly id: string;
  /** For people. */
  readonly name: string;
  readonly lockstep: string;
  /** In the ledger's time. */
  readonly beatMs: number;
}

export interface NewLock {
  readonly task: string;
  readonly epoch: number;
  readonly kind: "path" | "resource";
  /** The scope entry as written in the assignment, or the name of the resource. */
  readonly resource: string;
  /** The paths that the entry covered when the lock was taken; empty for a named resource. */
  readonly shapes: readonly StoredShape[];
  readonly takenAt: string;
}

/** A lock is never deleted: releasing it makes it inactive. */
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
  /** The operation that caused the event. */
  readonly cause: string;
  readonly task: string | null;
  /** Both are null if no state changed; `from` is null for a new task. */
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
  /** Only events with a number above `after` and below `before`, whatever their order. */
  readonly after?: number;
  readonly before?: number;
  readonly limit?: number;
  readonly newestFirst?: boolean;
}

/** An action to be carried out outside the ledger. It stays open until a commit marks it as done. */
export interface NewIntent {
  /** The base branch is about to move; recovery after a crash finishes or undoes the move. */
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
  readonly kind: DecisionKind;
  readonly task: string;
  readonly question: string;
  readonly options: readonly string[];
  readonly data: DecisionData | null;
  /** skipped: later progress of the work made the question unnecessary. */
  readonly state: "pending" | "answered" | "cancelled" | "skipped";
  /** The answer; for a cancelled or skipped decision, the reason. */
  readonly answer: string | null;
  readonly askedAt: string;
  readonly answeredAt: string | null;
}

/**
 * The outcome of a check. A later pass does not replace a failure: the same check on the same input gave both
 * results, so the pass is luck.
 */
export interface StoredRun {
  /** A digest of everything that the outcome depends on. */
  readonly key: string;
  readonly command: string;
  readonly tree: string;
  readonly exit: number | null;
  readonly seconds: number;
  readonly digest: string;
  readonly tail: string;
  /** The tests that the check ran, compressed; absent if no test runner reported them. */
  readonly inventory?: string;
  /** For a failure: the part of the output that shows the reason, and the file with the complete output. */
  readonly excerpt?: string;
  readonly log?: string;
  /** The name of the machine that ran it, if several prove together. */
  readonly machine?: string;
  readonly at: string;
}

export type SettingName = "breaker";

export interface Answered {
  readonly operation: string;
  /** Detects a different request with the same key. */
  readonly digest: string;
  readonly answer: unknown;
}

export interface Change {
  /**
   * Expected versions of tasks that are read but not written (0: the task must not exist), the expected fence, and
   * the epochs of the roles that the caller holds.
   */
  readonly expect?: {
    readonly tasks?: Readonly<Record<string, number>>;
    readonly fence?: number;
    readonly roles?: Readonly<Record<string, number>>;
  };
  /** Each task is stored with the next version number. The version it carries must still be the stored one. */
  readonly tasks?: readonly Task[];
  readonly attempts?: readonly Attempt[];
  readonly decisions?: readonly Decision[];
  readonly sessions?: readonly Session[];
  readonly roles?: readonly Role[];
  /**
   * Each replaces the outcome under its key, except that a pass never replaces a failure. Needs no event, because
   * no state changes.
   */
  readonly evidence?: readonly StoredRun[];
  /** Taken all or none. `expect.fence` guarantees that no lock was taken since the overlap was checked. */
  readonly take?: readonly NewLock[];
  /** Tasks whose locks are all released, before `take`. */
  readonly release?: { readonly tasks: readonly string[]; readonly at: string };
  readonly settings?: Readonly<Partial<Record<SettingName, unknown>>>;
  readonly intents?: readonly NewIntent[];
  readonly intentsDone?: readonly number[];
  /** Every change of a task's state has exactly one event (INV-5); otherwise the ledger refuses the change. */
  readonly events?: readonly NewEvent[];
  readonly request?: Answered & { readonly key: string };
  /** False for heartbeats: they are meaningless after a power loss, so they do not wait for the disk. */
  readonly durable?: boolean;
  /** The change frees space: on a full disk, the ledger deletes its reserve file to store it. */
  readonly relieves?: boolean;
}

export type Committed =
  | { readonly ok: true /** The number of the last event. */; readonly seq: number }
  /** The data that the change was decided on has changed. */
  | { readonly conflict: string };

export interface Verification {
  readonly events: number;
  /** In order; empty if nothing is wrong. */
  readonly problems: readonly { readonly seq?: number; readonly problem: string }[];
}
