import type { GuardAnswer, ToolCall } from "../../contract/tool-call.ts";
import type { Clock } from "../../core/leases/clock.ts";
import type { Threshold } from "../../core/loops/budgets.ts";
import type { Signal } from "../../core/loops/signal.ts";
import type { Disk, Place } from "../../core/paths/place.ts";
import type { Scope } from "../../core/paths/scope.ts";
import type { Ports, Snapshot } from "../../core/points/ports.ts";
import type { RuleCode } from "../../core/rules/catalog.ts";
import type { AllowWith, Deny, Verdict } from "../../core/rules/verdict.ts";
import type { Prefixes } from "../../core/shell/contain-command.ts";
import type { CommandLimits } from "../../core/shell/judge-command.ts";
import type { Row } from "../../core/shell/programs/row/row.ts";
import type { Bound } from "../../engine/attempts/bind-agent.ts";
import type { GuardViolation } from "../../engine/attempts/record-violation.ts";
import type { GuardFacts, Holder } from "../../engine/views/guard-facts.ts";
import type { HooksOf } from "../../workspace/git/active-hooks.ts";
import type { ReadOnlyPaths } from "./closed-paths.ts";
import type { CallOwner, PendingCall } from "./pending-calls.ts";
import type { ReachedSetting } from "./reached-settings.ts";

/** Everything outside the call that judging it needs. */
export interface GuardWorld {
  /** The hook's environment. It identifies the caller and is never stored. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The guarded project, as its main checkout. */
  readonly place: Place;
  /** Lockstep's own folder of this project. */
  readonly stateFolder: string;
  /** The folder with copies of the ledger's head. */
  readonly headsFolder: string;
  /** The checkout of an agent that Lockstep started, the only one that it may write. */
  readonly checkout: string | undefined;
  /** Absolute folders that every agent may write, and folders that never count as scratch. */
  readonly scratch: readonly string[];
  readonly closed: readonly string[];
  readonly clock: Clock;
  /** The disk as seen by this one call. */
  readonly disk: Disk;
  /** Whether a ref of the project's repository may have this name. */
  mayBeRef(name: string): boolean;
  /** Undefined if this project has no ledger; then no task holds anything. */
  store(): Promise<GuardStore | undefined>;
  settings(): Promise<GuardSettings>;
  isRunAlive(): boolean;
  readonly saveSnapshot: Ports["saveSnapshot"];
  /** Whether this project ever had an orchestrator session. If not, the orchestrator code need not be loaded. */
  hasOrchestrated(): Promise<boolean>;
  /** Absent inside the sandbox, where no agent orchestrates and no log can be written. */
  orchestrators?(): Promise<OrchestratorGuard>;
  /** Runs programs of a call with write access to the caller's lock only; absent in an agent's own checkout. */
  sandbox?(): Promise<CallSandbox>;
  /** The git hooks of a tree; absent if there is no call sandbox. */
  hooks?(tree: string): Promise<HooksOf>;
  /** A git setting that names a path which an agent with this lock may write; absent if there is no call sandbox. */
  reachedSetting?(tree: string, lock: Scope): Promise<ReachedSetting | undefined>;
  /** Detects loops of agents; absent in a process that answers only one call. */
  readonly loops?: LoopDetector;
  /** Compares the tree before and after a call whose writes cannot be known; absent inside the sandbox. */
  readonly trees?: TreeWatch;
}

export interface GuardSettings {
  readonly onDeny: "refuse" | "block";
  readonly unclaimed: "deny" | "locked";
  readonly opaque: "sandbox" | "verify" | "deny";
  readonly protectedPaths: readonly string[];
  readonly coordination: readonly string[];
  readonly root: string | null;
  readonly onError: "closed" | "open";
  readonly sameError: number;
  readonly reviewRetries: number;
  readonly tokens: Threshold;
  /** Program rows from the configuration. */
  readonly programs: readonly Row[];
}

/** The guard's access to the ledger: direct, or through the host from inside the sandbox. */
export interface GuardStore {
  facts(): Promise<GuardFacts>;
  /** Why a token is not the current one of its task. */
  whyStale(own: OwnTask): Promise<Deny | undefined>;
  /** The task that an agent has claimed. */
  boundTask(agent: string): Promise<string | undefined>;
  bind(agent: string, task: string): Promise<AllowWith<Bound> | Deny>;
  record(violation: GuardViolation): Promise<{ readonly times: number; readonly loops: boolean }>;
  /** Blocks the task, for `guard.on_deny: block`. */
  block(task: string, refused: Deny): Promise<void>;
  /** Runs the PostExecution rules on what a task has changed so far, including its worklog. */
  judgeWork(task: string, changed: readonly string[]): Promise<Verdict>;
  /** The locks that other tasks hold now or held after this time. Empty inside the sandbox, where no tree is shared. */
  locksSince(ms: number, task: string | null): Promise<Holder["locks"]>;
  /**
   * What a compaction must not lose. Undefined inside the sandbox, where the process that started the agent keeps it.
   */
  snapshot(): Promise<Snapshot | undefined>;
}

/** What an agent that was started with a task reports about itself. */
export interface OwnTask {
  readonly task: string;
  readonly token: string | undefined;
  readonly epoch: number | undefined;
}

/** The orchestrator rules: which session orchestrates, and what it may do. */
export interface OrchestratorGuard {
  /** The role of a client's session; null if it is unknown. */
  roleOf(session: string | null): "orchestrator" | "subagent" | null;
  /** True if an orchestrator's session was used in the last 12 hours. */
  isUsed(): boolean;
  /** `strayed` lists the paths that a call changed in the project and that could not be known before it ran. */
  judge(
    call: ToolCall,
    strayed?: readonly string[],
  ): Promise<{ readonly answer: GuardAnswer; readonly code: RuleCode | null }>;
  /** Writes a call of any other agent to the audit log. */
  record(call: ToolCall, record: CallRecord): Promise<void>;
}

interface PreparedCall {
  readonly id: string;
  readonly prefixes: Prefixes;
  readonly readOnly: ReadOnlyPaths;
}

export interface CallSandbox {
  /**
   * The prefixes that run a program, or the hooks of its git command, with write access to these limits only; or why that
   * is not possible.
   */
  prepare(call: {
    readonly tree: string;
    readonly limits: CommandLimits;
    readonly owner: CallOwner["owner"];
    readonly hooks?: HooksOf;
  }): Promise<PreparedCall | { readonly missing: string }>;
  /** Records the command that replaces the call's own. */
  remember(id: string, call: ToolCall, command: string): void;
  /** True if the command of the call is such a replacement: two hooks may see the same call. */
  isPrepared(call: ToolCall): boolean;
}

export interface LoopDetector {
  /** Counts a call before it runs. Returns the signal that halts its agent, if any. */
  before(holder: Holder, call: ToolCall, settings: GuardSettings): Signal | undefined;
  /** Counts the result of a call. Returns a warning that the agent has not seen yet. */
  after(holder: Holder, call: ToolCall, settings: GuardSettings): string | undefined;
}

export interface Remembering {
  /** The call runs in the sandbox, where these paths are read-only. */
  readonly readOnly?: ReadOnlyPaths;
  /** The call must be compared afterwards, at the latest with this caller's next call. */
  readonly owner?: CallOwner;
}

export interface TreeWatch {
  /** Records the tree under `name`, before something that may write anywhere. */
  remember(name: string, root: string, how?: Remembering): Promise<void>;
  /** Recorded calls of this owner that were not forgotten, oldest first. */
  pending(owner: string): readonly PendingCall[];
  change(name: string, change: Partial<Pick<PendingCall, "isOver" | "seenMs">>): void;
  /** Undefined if nothing was recorded under this name. */
  compare(name: string): Promise<Changed | undefined>;
  /** Restores compared paths. Their current content is kept on a ref of the task. */
  undo(name: string, paths: readonly string[], task: string | null): Promise<Undone>;
  forget(name: string): void;
}

/** What has changed since a tree was recorded. */
export interface Changed {
  /** Relative to the root. */
  readonly paths: readonly string[];
  readonly sinceMs: number;
}

export interface Undone {
  /** The ref that keeps the content of what was put back; undefined if nothing was. */
  readonly ref?: string;
  /** The paths that were not put back. */
  readonly left: readonly { readonly path: string; readonly why: string }[];
}

export interface Judged {
  readonly answer: GuardAnswer;
  readonly verdict: Verdict;
  readonly record: CallRecord;
}

/** The part of an audit line that is not in the call itself. */
export interface CallRecord {
  readonly role: "orchestrator" | "subagent";
  readonly task: string | null;
  readonly agent: string | null;
  /** `warned`: the call ran, and a violation was found afterwards. */
  readonly outcome: "allowed" | "blocked" | "warned";
  readonly code: RuleCode | null;
}
