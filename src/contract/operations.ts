/**
 * Everything that can be asked of Lockstep. The command line, the socket, HTTP and MCP are faces of these, so
 * who may do what is said once. Inputs and outputs are in operation-schemas.ts.
 */
export interface Operation {
  readonly effect: "read" | "write" | "destroy";
  readonly callers: readonly Caller[];
  /** An attempt has to be the current one: its epoch, lease and token are looked at before its rights. */
  readonly fenced?: true;
}

/** `subagent`: an agent without a task. */
type Caller = "person" | "orchestrator" | "attempt" | "subagent";

const anyone: readonly Caller[] = ["person", "orchestrator", "attempt", "subagent"];
/** Everybody but an agent without a task. */
const workers: readonly Caller[] = ["person", "orchestrator", "attempt"];
/** People, and the programs they run. An orchestrating agent delegates and looks; it decides nothing. */
const leads: readonly Caller[] = ["person", "orchestrator"];
const people: readonly Caller[] = ["person"];

export const operations = {
  status: { effect: "read", callers: anyone },
  "task-list": { effect: "read", callers: anyone },
  "task-show": { effect: "read", callers: anyone },
  "task-add": { effect: "write", callers: people },
  "task-retry": { effect: "write", callers: people },
  "task-escalate": { effect: "write", callers: workers, fenced: true },
  "task-resolve": { effect: "write", callers: people },
  "task-cancel": { effect: "destroy", callers: people },
  stop: { effect: "write", callers: people },
  take: { effect: "write", callers: people },
  dispatch: { effect: "write", callers: leads },
  heartbeat: { effect: "write", callers: workers, fenced: true },
  submit: { effect: "write", callers: workers, fenced: true },
  complete: { effect: "write", callers: people, fenced: true },
  release: { effect: "destroy", callers: people, fenced: true },
  widen: { effect: "write", callers: workers, fenced: true },
  "lock-list": { effect: "read", callers: leads },
  watchdog: { effect: "write", callers: people },
  reconcile: { effect: "read", callers: people },
  decisions: { effect: "read", callers: leads },
  decide: { effect: "write", callers: people },
  "audit-list": { effect: "read", callers: people },
  "audit-verify": { effect: "read", callers: people },
  pause: { effect: "write", callers: people },
  "stop-all": { effect: "destroy", callers: people },
  clear: { effect: "write", callers: people },
  "guard-facts": { effect: "read", callers: workers, fenced: true },
  "guard-record": { effect: "write", callers: workers, fenced: true },
} as const satisfies Record<string, Operation>;

export type OperationName = keyof typeof operations;
