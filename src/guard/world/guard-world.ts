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

/** Everything that judging one call needs from outside. */
export interface GuardWorld {
  /** Of the hook: its names say who is calling, nothing of it is stored. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The project that is guarded, as its main checkout. */
  readonly place: Place;
  /** Lockstep's own folder of this project. */
  readonly stateFolder: string;
  /** Where copies of its ledger's head lie. */
  readonly headsFolder: string;
  /** The checkout of an agent that Lockstep started: the only one that it may write. */
  readonly checkout: string | undefined;
  /** Absolute folders that anyone may write, and those that are nobody's scratch wherever they lie. */
  readonly scratch: readonly string[];
  readonly closed: readonly string[];
  readonly clock: Clock;
  /** The disk as it is for this one call. */
  readonly disk: Disk;
  /** Whether a ref of the project's repository may go by this name. */
  mayBeRef(name: string): boolean;
  /** Undefined where this project has no ledger: then nobody holds anything. */
  desk(): Promise<GuardDesk | undefined>;
  settings(): Promise<GuardSettings>;
  isRunAlive(): boolean;
  readonly saveSnapshot: Ports["saveSnapshot"];
  /** Whether any session of this project was an orchestrator's: where none was, its desk need not even be loaded. */
  hasOrchestrated(): Promise<boolean>;
  /** Absent inside the sandbox, where nobody orchestrates and no log can be written. */
  orchestrators?(): Promise<OrchestratorDesk>;
  /** Runs programs of a call inside its caller's lock; absent in an agent's own checkout. */
  sandbox?(): Promise<CallSandbox>;
  /** The hooks of git in a tree; absent where there is no such sandbox. */
  hooks?(tree: string): Promise<HooksOf>;
  /** A setting of git that leads to what an agent with this lock may write; absent where there is no such sandbox. */
  reachedSetting?(tree: string, lock: Scope): Promise<ReachedSetting | undefined>;
  /** Counts what agents do again and again; absent in a process that answers one call alone. */
  readonly loops?: LoopDesk;
  /** Looks at the tree before and after a call whose writes cannot be known; absent inside the sandbox. */
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
  /** Rows of programs that the configuration teaches. */
  readonly programs: readonly Row[];
}

/** The ledger as the guard sees it: directly, or through the host from inside the sandbox. */
export interface GuardDesk {
  facts(): Promise<GuardFacts>;
  /** Why a token is not that of the task as it is now. */
  whyStale(own: OwnTask): Promise<Deny | undefined>;
  /** The task that an agent has claimed. */
  boundTask(agent: string): Promise<string | undefined>;
  bind(agent: string, task: string): Promise<AllowWith<Bound> | Deny>;
  record(violation: GuardViolation): Promise<{ readonly times: number; readonly loops: boolean }>;
  /** `guard.on_deny: block`. */
  block(task: string, refused: Deny): Promise<void>;
  /** PostExecution on what a task has changed so far, its worklog included. */
  judgeWork(task: string, changed: readonly string[]): Promise<Verdict>;
  /** The locks that other tasks have now or had after this time. None inside the sandbox, where no tree is shared. */
  locksSince(ms: number, task: string | null): Promise<Holder["locks"]>;
  /** What a compaction must not lose. Undefined inside the sandbox, where that is kept by whoever started the agent. */
  snapshot(): Promise<Snapshot | undefined>;
}

/** What an agent that was started with a task says of itself. */
export interface OwnTask {
  readonly task: string;
  readonly token: string | undefined;
  readonly epoch: number | undefined;
}

/** S3's part: who orchestrates, and what that allows. */
export interface OrchestratorDesk {
  /** Of the client's session; null where nothing is known of it. */
  roleOf(session: string | null): "orchestrator" | "subagent" | null;
  /** True if an orchestrator's session was used in the last 12 hours. */
  isUsed(): boolean;
  /** `strayed` is what a call changed in the project that could not be known before it. */
  judge(
    call: ToolCall,
    strayed?: readonly string[],
  ): Promise<{ readonly answer: GuardAnswer; readonly code: RuleCode | null }>;
  /** Writes a call of any other agent into the audit log. */
  record(call: ToolCall, record: CallRecord): Promise<void>;
}

interface PreparedCall {
  readonly id: string;
  readonly prefixes: Prefixes;
  readonly readOnly: ReadOnlyPaths;
}

export interface CallSandbox {
  /**
   * What to put before a program so that it, or the hooks of its git, can write no more than this in the tree; or why
   * that cannot be done.
   */
  prepare(call: {
    readonly tree: string;
    readonly limits: CommandLimits;
    readonly owner: CallOwner["owner"];
    readonly hooks?: HooksOf;
  }): Promise<PreparedCall | { readonly missing: string }>;
  /** Which command a call runs now, in place of its own. */
  remember(id: string, call: ToolCall, command: string): void;
  /** True if the call's command is one that was put in place of another: two hooks may see the same call. */
  isPrepared(call: ToolCall): boolean;
}

export interface LoopDesk {
  /** Counts a call before it runs; gives what halts its agent. */
  before(holder: Holder, call: ToolCall, settings: GuardSettings): Signal | undefined;
  /** Counts what it gave; a warning that the agent has not heard yet. */
  after(holder: Holder, call: ToolCall, settings: GuardSettings): string | undefined;
}

export interface Remembering {
  /** It runs in the sandbox, where these paths are read-only. */
  readonly readOnly?: ReadOnlyPaths;
  /** It has to be compared afterwards, by this caller's next call at the latest. */
  readonly owner?: CallOwner;
}

export interface TreeWatch {
  /**
   * Before something that may write anything; `name` says what, to ask for it again.
   */
  remember(name: string, root: string, how?: Remembering): Promise<void>;
  /** Calls of this owner that were remembered and not forgotten, the oldest first. */
  pending(owner: string): readonly PendingCall[];
  change(name: string, change: Partial<Pick<PendingCall, "isOver" | "seenMs">>): void;
  /** Undefined where nothing was remembered. */
  compare(name: string): Promise<Changed | undefined>;
  /** Makes paths that were compared again what they were; what they are now is kept on a ref of the task's. */
  undo(name: string, paths: readonly string[], task: string | null): Promise<Undone>;
  forget(name: string): void;
}

/** What has changed since something was remembered. */
export interface Changed {
  /** Relative to the root. */
  readonly paths: readonly string[];
  readonly sinceMs: number;
}

export interface Undone {
  /** Where the content of what was put back is kept; undefined where nothing was. */
  readonly ref?: string;
  /** What was not put back. */
  readonly left: readonly { readonly path: string; readonly why: string }[];
}

export interface Judged {
  readonly answer: GuardAnswer;
  readonly verdict: Verdict;
  readonly record: CallRecord;
}

/** What the audit keeps of a call, beside the call itself. */
export interface CallRecord {
  readonly role: "orchestrator" | "subagent";
  readonly task: string | null;
  readonly agent: string | null;
  /** `warned`: it ran, and was found out of place afterwards. */
  readonly outcome: "allowed" | "blocked" | "warned";
  readonly code: RuleCode | null;
}
