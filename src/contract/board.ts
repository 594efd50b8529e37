import type { PersonWait } from "../core/plan/waits.ts";
import type { DecisionKind } from "../core/tasks/decision-kinds.ts";
import type { TaskState } from "../core/tasks/states.ts";

/** The documents that the board's server sends to its page, and the requests that the page makes. */

/** No answer and no live message is longer. What does not fit is read in parts. */
export const messageBytesMax = 64 * 1024;

/** `look`: the page was not opened from a person's terminal, so it cannot act. */
export type BoardRight = "act" | "look";

export interface BoardSession {
  /** Sent as a bearer token. Only the server process that issued it knows it. */
  readonly token: string;
  readonly session: string;
  /** Kept in memory only: proves page and server to each other after the server has restarted. */
  readonly key: string;
  readonly may: BoardRight;
}

/** The colour of a state, an event or a bar. */
export type Tone = "person" | "wait" | "run" | "good" | "bad" | "quiet";

/** What a task waits for, else its state. The order of `taskGroups` is the order on the board. */
export type GroupName =
  | "you"
  | "lock"
  | "dependency"
  | "proof"
  | "quota"
  | "slot"
  | "running"
  | "review"
  | "merged"
  | "failed";

export interface Group {
  readonly name: GroupName;
  readonly title: string;
  readonly count: number;
}

interface SessionItem {
  readonly name: string;
  readonly state: string;
  readonly goal: string | null;
  readonly merged: number;
  readonly open: number;
  readonly failed: number;
  readonly at: string;
}

/** One of the machines that share the ledger. */
export interface MachineItem {
  readonly name: string;
  readonly isThis: boolean;
  /** Not heard from for so long that it counts as dead. */
  readonly isGone: boolean;
  readonly isDraining: boolean;
  /** `1 of 4 slots`, `draining`, `dead`. */
  readonly word: string;
  readonly seenAt: string;
  /** 0: it takes no tasks of other machines' runs. */
  readonly slots: number;
  readonly labels: readonly string[];
  /** Why it does not do some tasks. */
  readonly lacks: readonly string[];
  /** What runs there, and what it has in review or with a person. */
  readonly tasks: readonly NamedTask[];
  readonly running: number;
  /** The sessions that it reviews and lands. */
  readonly conducts: readonly string[];
}

/** The frame of every view. */
export interface Overview {
  /** The number of the ledger's last event. */
  readonly seq: number;
  readonly now: string;
  readonly project: string;
  readonly base: string | null;
  readonly may: BoardRight;
  readonly run: { readonly pid: number; readonly isolation: string } | null;
  /** Empty if the ledger belongs to one machine. */
  readonly machines: readonly MachineItem[];
  /** What holds up everything: the circuit breaker, or that no run is active. */
  readonly remarks: readonly { readonly tone: Tone; readonly text: string }[];
  readonly needs: number;
  readonly groups: readonly Group[];
  readonly total: number;
  /** Merged tasks that were not rolled back. */
  readonly landed: number;
  readonly tokens: number;
  readonly costUsd: number | null;
  readonly sessions: readonly SessionItem[];
}

/** A button. `text`: whether a text goes with it. */
export interface Answer {
  readonly word: string;
  readonly text: "none" | "optional" | "required";
  readonly recommended: boolean;
}

export type Subject =
  | { readonly kind: "documents"; readonly files: readonly string[]; readonly hasChanges: boolean }
  | { readonly kind: "diff"; readonly task: string }
  | { readonly kind: "paths"; readonly paths: readonly string[]; readonly why: string }
  | { readonly kind: "output"; readonly text: string };

/** Something that only a person can resolve. */
export interface NeedItem {
  /** The decision, else the task or branch. */
  readonly id: string;
  readonly of: "decision" | "task" | "landing";
  readonly kind: DecisionKind | PersonWait | "task" | "landing";
  readonly name: string;
  /** The task's key, if it is about a task that has a page. */
  readonly task: string | null;
  readonly about: string;
  readonly at: string | null;
  readonly text: string;
  /** What the question is about, in groups; the first has no heading. */
  readonly findings: readonly { readonly heading: string | null; readonly lines: readonly string[] }[];
  readonly answers: readonly Answer[];
  readonly subjects: readonly Subject[];
  readonly actions: readonly Action[];
  readonly commands: readonly string[];
}

export interface Needs {
  readonly items: readonly NeedItem[];
  readonly total: number;
}

export interface TaskRow {
  readonly key: string;
  readonly name: string;
  readonly title: string;
  readonly session: string | null;
  readonly state: TaskState;
  readonly word: string;
  readonly group: GroupName;
  readonly tone: Tone;
  readonly agent: string | null;
  readonly model: string | null;
  readonly machine: string | null;
  readonly attempts: number;
  /** The last step that has a time of its own, in words. */
  readonly since: { readonly what: "merged" | "started" | "added"; readonly at: string };
  readonly beatAt: string | null;
  readonly seconds: number | null;
  readonly isRunning: boolean;
  readonly tokens: number;
  readonly tokensMax: number | null;
  readonly costUsd: number | null;
  readonly costMax: number | null;
  readonly scope: readonly string[];
  readonly scopeMore: number;
  readonly why: string;
  readonly proof: string;
}

export interface TaskList {
  readonly total: number;
  readonly groups: readonly Group[];
  readonly from: number;
  /** May be fewer than asked for: ask again for the rest. */
  readonly rows: readonly TaskRow[];
}

export interface HistoryItem {
  readonly seq: number;
  readonly at: string;
  readonly title: string;
  readonly tone: Tone;
  readonly by: string;
  readonly code: string | null;
  readonly text: string;
  readonly lines: readonly string[];
}

export interface EvidenceItem {
  readonly number: number;
  readonly command: string;
  readonly kind: string;
  readonly tree: string;
  readonly outcome: string;
  readonly before: number | null;
  readonly after: number | null;
  readonly seconds: number;
  readonly digest: string;
  readonly excerpt: string;
  /** The whole output is kept and can be read in parts. */
  readonly hasOutput: boolean;
}

type ActionName = "stop" | "take" | "retry" | "resolve" | "widen" | "rollback";

export interface Action {
  readonly name: ActionName;
  readonly label: string;
  readonly does: string;
  /** The same as a command. */
  readonly command: string;
  readonly asks: readonly ("note" | "paths" | "why")[];
}

export interface NamedTask {
  readonly key: string;
  readonly name: string;
  readonly word: string;
  readonly tone: Tone;
}

export interface TaskPage {
  readonly row: TaskRow;
  readonly goal: string | null;
  readonly reason: string | null;
  readonly code: string | null;
  readonly resolution: string | null;
  readonly scope: readonly string[];
  readonly forbidden: readonly string[];
  readonly needs: readonly NamedTask[];
  readonly locks: readonly { readonly resource: string; readonly kind: "path" | "resource" }[];
  readonly waiting: readonly NamedTask[];
  readonly remarks: readonly string[];
  readonly actions: readonly Action[];
  readonly history: readonly HistoryItem[];
  /** Older events exist before this one. */
  readonly historyBefore: number | null;
  readonly evidence: readonly EvidenceItem[];
  readonly hasLog: boolean;
  /** The other machine that has its log; null if it is this one. */
  readonly elsewhere: string | null;
  readonly commit: string | null;
  readonly decisions: readonly string[];
}

export interface DiffFile {
  readonly number: number;
  readonly path: string;
  readonly added: number | null;
  readonly deleted: number | null;
  readonly isInScope: boolean;
}

export interface Diff {
  readonly what: string;
  /** The other machine that has the work, which cannot be read here. */
  readonly elsewhere: string | null;
  readonly files: readonly DiffFile[];
  readonly total: number;
}

/** A part of a text. `next` is where the following part begins. */
export interface TextPart {
  readonly from: number;
  readonly next: number | null;
  readonly size: number;
  readonly text: string;
}

export interface TimelineBar {
  readonly lane: number;
  readonly kind: "attempt" | "proof" | "person";
  readonly task: string;
  readonly name: string;
  readonly from: number;
  readonly to: number;
  readonly tone: Tone;
  readonly text: string;
  readonly isCritical: boolean;
}

export interface TimelineMark {
  readonly at: number;
  readonly kind: "base" | "rollback" | "breaker";
  readonly text: string;
}

export interface Timeline {
  readonly session: string | null;
  readonly from: number;
  readonly to: number;
  readonly lanes: readonly string[];
  readonly bars: readonly TimelineBar[];
  readonly hidden: number;
  readonly marks: readonly TimelineMark[];
  readonly critical: readonly NamedTask[];
  readonly shares: readonly { readonly what: string; readonly seconds: number; readonly tone: Tone }[];
}

export interface LockNode {
  readonly path: string;
  readonly depth: number;
  readonly label: string;
  readonly holders: readonly NamedTask[];
  readonly waiting: readonly NamedTask[];
}

export interface Locks {
  readonly nodes: readonly LockNode[];
  readonly resources: readonly LockNode[];
  readonly held: number;
  /** Locks on the worklogs of tasks, which are not shown. */
  readonly worklogs: number;
  readonly hidden: number;
}

export interface LandedItem {
  readonly seq: number;
  readonly at: string;
  readonly task: string;
  readonly name: string;
  readonly title: string;
  readonly commit: string | null;
  readonly parent: string | null;
  readonly batch: string | null;
  readonly proof: string;
  readonly checks: number;
  readonly committer: string;
  /** The commit has a signature. Nobody has verified it. */
  readonly isSigned: boolean;
  readonly weakened: readonly string[];
  readonly revertedBy: string | null;
}

export interface Landed {
  readonly base: string | null;
  readonly items: readonly LandedItem[];
  readonly before: number | null;
}

export interface Refusal {
  readonly seq: number;
  readonly at: string;
  readonly code: string;
  readonly who: string;
  readonly tool: string;
  readonly target: string;
  readonly reason: string;
  readonly task: string | null;
  readonly name: string | null;
}

export interface Compliance {
  readonly session: string;
  readonly at: string;
  readonly score: number;
  readonly passing: number;
  readonly calls: number;
  readonly violations: readonly { readonly type: string; readonly count: number }[];
}

export interface GuardView {
  readonly total: number;
  readonly rules: readonly { readonly code: string; readonly title: string; readonly count: number }[];
  readonly clients: readonly { readonly name: string; readonly count: number }[];
  /** One bucket after the other, oldest first; counts by rule, in the order of `rules`. */
  readonly buckets: readonly { readonly at: string; readonly counts: readonly number[] }[];
  readonly bucketSeconds: number;
  readonly latest: readonly Refusal[];
  readonly scores: readonly Compliance[];
}

export interface CostLine {
  readonly name: string;
  /** Of a task; empty for others. */
  readonly title: string;
  readonly key: string | null;
  readonly tasks: number;
  readonly tokens: number;
  readonly costUsd: number | null;
  readonly seconds: number;
  readonly attempts: number;
}

export interface Cost {
  readonly tokens: number;
  readonly costUsd: number | null;
  readonly seconds: number;
  /** Attempts after the first: their number, and the tokens of the newest one of each task. */
  readonly rework: {
    readonly tasks: number;
    readonly attempts: number;
    readonly tokens: number;
    readonly costUsd: number | null;
  };
  readonly agents: readonly CostLine[];
  readonly models: readonly CostLine[];
  readonly tasks: readonly CostLine[];
  readonly hidden: number;
}

export interface PlanNode {
  readonly key: string;
  readonly name: string;
  readonly title: string;
  readonly word: string;
  readonly tone: Tone;
  readonly column: number;
  readonly row: number;
}

export interface PlanGraph {
  readonly session: string | null;
  readonly columns: number;
  readonly nodes: readonly PlanNode[];
  readonly edges: readonly (readonly [from: number, to: number])[];
  readonly hidden: number;
}

/** A live message: the ledger has changed. */
export interface Changed {
  readonly seq: number;
  /** Tasks with new events; null if there are too many to name. */
  readonly tasks: readonly string[] | null;
  /** Questions were asked or settled. */
  readonly needs: boolean;
}

export type ActRequest =
  | { readonly do: "decide"; readonly id: string; readonly answer: string }
  | { readonly do: "stop" | "take" | "retry"; readonly task: string }
  | { readonly do: "resolve"; readonly task: string; readonly note: string }
  | { readonly do: "widen"; readonly task: string; readonly paths: readonly string[]; readonly why: string }
  | { readonly do: "rollback"; readonly task: string; readonly dryRun: boolean };

export interface Acted {
  readonly ok: boolean;
  readonly code: string;
  readonly text: string;
  /** Further lines: where the work is, how to continue. */
  readonly lines: readonly string[];
}
