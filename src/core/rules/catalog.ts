/** The meaning of a code. `from`: the hook specification (S0), or Lockstep's extension of it. */
export interface RuleText {
  readonly from: "S0" | "Lockstep";
  readonly cause: string;
  readonly remedy: string;
}

const s0 = (cause: string, remedy: string): RuleText => ({ from: "S0", cause, remedy });
const own = (cause: string, remedy: string): RuleText => ({ from: "Lockstep", cause, remedy });

/** Every code that a verdict can carry, with its cause and the next step. */
const catalog = {
  "R-IN-001": own(
    "the input is not one JSON document of the right kind, or the hook point is unknown",
    "send one UTF-8 JSON document of at most 1 MiB and name one of the eight hook points exactly",
  ),
  "R-PD-001": s0(
    "a required field of the assignment is missing",
    "add the field that `details.field` names and dispatch again",
  ),
  "R-PD-002": s0(
    "the lock scope is empty, of the wrong type, or has an entry that is blank or leaves the project",
    "list at least one path or glob inside the project, relative to its root",
  ),
  "R-PD-003": s0(
    "the lock scope overlaps an active lock of another task",
    "wait until that task releases its lock, or choose a scope that does not overlap",
  ),
  "R-PD-004": s0(
    "the forbidden scope is missing or invalid, or it equals or contains a lock entry",
    "give a list of paths (it may be empty); to carve out, name something strictly inside the lock",
  ),
  "R-PD-005": s0(
    "the worklog path is missing",
    "name the file, inside the project, that the agent writes its log to",
  ),
  "R-PD-006": s0(
    "timeout or heartbeat is missing or invalid",
    "give both as positive whole seconds, the heartbeat shorter than the timeout",
  ),
  "R-PD-007": s0(
    "a record in active_locks is malformed",
    "give each lock as {task_id, resource, active}: `active` is a JSON boolean, and `resource` a path inside the project",
  ),
  "R-PE-001": s0("a dependency is not complete", "finish the tasks that `details.waiting_for` names first"),
  "R-PE-002": own(
    "the task's lock is not valid: lost, inactive, or overlapped by another task",
    "dispatch the task again so that it takes its whole scope",
  ),
  "R-PE-003": own(
    "the sandbox is not ready or its folder does not exist",
    "prepare the sandbox and give its existing folder as `sandbox.root`",
  ),
  "R-PW-001": s0(
    "a write outside the lock scope, or one whose target cannot be known",
    "write inside the scope, or ask for more with `lockstep widen TASK PATH --why TEXT`",
  ),
  "R-PW-002": s0(
    "a write inside the forbidden scope or to a path that no agent may write",
    "leave the path alone; if the task needs it, a person has to change the assignment",
  ),
  "R-PO-001": s0(
    "the result does not have the required form",
    "answer with status done, blocked or failed and the fields of the result schema",
  ),
  "R-PO-002": s0(
    "a changed resource lies outside the lock scope",
    "undo that change, or ask for more scope before making it",
  ),
  "R-PO-003": s0(
    "the worklog file is missing, empty, a folder, or outside the project",
    "append to the worklog at the path the assignment names",
  ),
  "R-PO-004": s0(
    "sensitive content in notes_for_orchestrator",
    "remove the secret from the notes, and rotate it if it was real",
  ),
  "R-PC-001": s0("an acceptance criterion is missing", "report on every required criterion, word for word"),
  "R-PC-002": s0(
    "an acceptance criterion has not passed",
    "make it pass; only the exact status `pass` counts",
  ),
  "R-PC-003": s0("evidence for a criterion is missing", "give the command or record that shows it"),
  "R-LK-001": s0(
    "two active locks of different tasks overlap, or the lock table is malformed",
    "release one of the two locks that `details` names",
  ),
  "R-WD-001": s0(
    "a task's heartbeat is older than its timeout",
    "release its locks and block it, as `details.actions` says",
  ),
  "R-WD-002": s0(
    "a timestamp or timeout is invalid, missing, or too far in the future",
    "send ISO 8601 times from one clock, and a positive timeout for every task in progress",
  ),
  "R-CP-001": own(
    "the snapshot lacks one of ledger, locks, blockers, learnings, or one is not a list",
    "send all four lists; an empty one is fine",
  ),
  "R-CP-002": own(
    "the snapshot cannot be written",
    "free space or fix the permissions of the folder named in the reason",
  ),
  "R-LS-001": own("the epoch, lease or token is stale", "stop: another attempt has taken the task over"),
  "R-ST-001": own(
    "the task cannot go from its state to that one",
    "take one of the transitions listed in `details`",
  ),
  "R-RT-001": own(
    "the retry is refused: the budget is spent or the assignment is unchanged",
    "change the assignment, or ask a person to resolve the task",
  ),
  "R-AU-001": own(
    "the caller may not do this",
    "the reason names who may do it: an agent acts only on its own task, and only people decide",
  ),
  "R-CB-001": own("a person paused or stopped all work", "wait until a person runs `lockstep clear`"),
  "R-OR-001": own("an orchestrator tries to do work that it must delegate", "spawn a subagent for it"),
  "R-BG-001": own(
    "a budget is spent or a loop was halted",
    "ask a person to decide (`lockstep decide`: continue or stop), raise the limit, or split the task",
  ),
  "R-AG-001": own(
    "the agent failed to start, ended badly or gave an answer that cannot be used",
    "look at its log and retry",
  ),
  "R-HK-001": own("a lifecycle hook failed", "do what its remediation says and submit again"),
  "R-GT-001": own("the integration gate failed", "fix the problem that the gate's record names"),
  "R-TW-001": own(
    "the change weakens what the base's tests verified",
    "keep the base's tests passing, or ask a person to accept the change with `lockstep decide`",
  ),
  "R-DP-001": own("a task that this one depends on failed", "resolve that task first"),
  "E-CONFIG": own("the configuration is invalid", "fix the line that the message names"),
  "E-PLAN": own("the plan is invalid", "fix the line that the message names"),
  "E-STORE": own(
    "the ledger, or a folder that Lockstep needs, cannot be read or written",
    "do what the reason says; `lockstep audit verify` shows what is damaged",
  ),
  "E-GIT": own(
    "git, or a checkout, cannot do what is needed",
    "do what the reason says, then run the command again",
  ),
  "E-NODE": own("the Node.js version that runs Lockstep is too old", "use Node 22.18 or newer"),
  "E-INTERNAL": own(
    "Lockstep itself failed, so the request is denied",
    "call it again; if it still fails, report the payload and the reason",
  ),
} as const satisfies Record<string, RuleText>;

export type RuleCode = keyof typeof catalog;

export const ruleCodes = Object.keys(catalog) as RuleCode[];

export function ruleText(code: RuleCode): RuleText {
  return catalog[code];
}
