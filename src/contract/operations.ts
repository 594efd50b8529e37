/**
 * Everything that can be requested from Lockstep. The command line, the socket, HTTP and MCP all offer these
 * operations, so permissions are defined once, here. Inputs and outputs are in operation-schemas.ts.
 */
export interface Operation {
  readonly effect: "read" | "write" | "destroy";
  readonly callers: readonly Caller[];
  /** The attempt must be the current one: its epoch, lease and token are checked before its permissions. */
  readonly fenced?: true;
}

/**
 * `subagent`: an agent without a task. `runner`: a run that a person started, which dispatches, merges and asks
 * questions on its own. `guard`: the guard of a client's session.
 */
export type Caller = "person" | "orchestrator" | "attempt" | "subagent" | "runner" | "guard";

const anyone: readonly Caller[] = ["person", "orchestrator", "attempt", "subagent", "runner"];
/** All but an agent without a task. */
const workers: readonly Caller[] = ["person", "orchestrator", "attempt", "runner"];
/** People and the programs they run. An orchestrating agent delegates and reads; it decides nothing. */
const leads: readonly Caller[] = ["person", "orchestrator", "runner"];
const people: readonly Caller[] = ["person"];
/** A person, or the run that a person started. */
const owners: readonly Caller[] = ["person", "runner"];

export const operations = {
  status: { effect: "read", callers: anyone },
  "task-list": { effect: "read", callers: anyone },
  "task-show": { effect: "read", callers: anyone },
  "task-add": { effect: "write", callers: owners },
  "task-retry": { effect: "write", callers: owners },
  "task-escalate": { effect: "write", callers: workers, fenced: true },
  "task-resolve": { effect: "write", callers: owners },
  "task-cancel": { effect: "destroy", callers: owners },
  stop: { effect: "write", callers: people },
  take: { effect: "write", callers: people },
  dispatch: { effect: "write", callers: leads },
  heartbeat: { effect: "write", callers: workers, fenced: true },
  submit: { effect: "write", callers: workers, fenced: true },
  complete: { effect: "write", callers: owners, fenced: true },
  release: { effect: "destroy", callers: people, fenced: true },
  widen: { effect: "write", callers: workers, fenced: true },
  "lock-list": { effect: "read", callers: leads },
  watchdog: { effect: "write", callers: owners },
  reconcile: { effect: "read", callers: people },
  decisions: { effect: "read", callers: leads },
  decide: { effect: "write", callers: people },
  "audit-list": { effect: "read", callers: people },
  "audit-verify": { effect: "read", callers: people },
  pause: { effect: "write", callers: people },
  "stop-all": { effect: "destroy", callers: people },
  clear: { effect: "write", callers: people },
  "machine-list": { effect: "read", callers: leads },
  "machine-drain": { effect: "write", callers: people },
  "machine-forget": { effect: "destroy", callers: people },
  "guard-facts": { effect: "read", callers: workers, fenced: true },
  "guard-record": { effect: "write", callers: workers, fenced: true },
} as const satisfies Record<string, Operation>;

export type OperationName = keyof typeof operations;

/** Operations of Lockstep's own processes on the ledger. They cannot be called from outside. */
export const internalOperations = {
  "check-start": ["runner"],
  "refuse-attempt": ["runner", "guard"],
  "put-back": ["runner"],
  halt: ["runner"],
  warn: ["runner"],
  "record-usage": ["runner"],
  "record-limit": ["runner"],
  "record-review": ["runner"],
  "record-violation": ["runner", "guard"],
  "keep-hook-context": ["runner"],
  replan: ["runner"],
  claim: ["guard"],
  "claim-client": ["subagent", "attempt", "orchestrator"],
  ask: owners,
  "reopen-gate": owners,
  "cancel-decisions": owners,
  "skip-decisions": owners,
  "open-session": owners,
  "move-session": owners,
  "share-session": owners,
  "take-role": owners,
  "renew-role": owners,
  "offer-proof": owners,
  "take-proof": owners,
  "finish-proof": owners,
  "withdraw-proof": owners,
  "prepare-move": owners,
  "abandon-move": owners,
  "finish-landing": owners,
  "refuse-landing": owners,
  "roll-back": owners,
} as const satisfies Record<string, readonly Caller[]>;

export type InternalOperation = keyof typeof internalOperations;
