import type { PointName } from "../src/core/points/points.ts";

const taskId = "T-123";
const lockScope = ["src/orders", "tests/orders.test.ts"];
const assignment = { lock_scope: lockScope, forbidden_scope: ["src/orders/generated"] };

export const worklogPath = "worklogs/T-123.md";

const ordinaryNote =
  "Rounded prices half-even in src/orders/price.ts and added the edge cases that the issue lists. " +
  "All 214 tests pass; the slowest one takes 1.2 s, as before. Ready for review, nothing left open.";

/** A connection string with a user but no password: clean, but only the preset of secretlint can decide that. */
const noteForPreset = `${ordinaryNote} The docs now say postgres://app@db.internal:5432/orders in step 2.`;

const result = (note: string) => ({
  task_id: taskId,
  result: {
    status: "done",
    changes: [
      { resource: "src/orders/price.ts", action: "edit" },
      { resource: "tests/orders.test.ts", action: "edit" },
    ],
    acceptance_check: [{ criterion: "tests pass", status: "pass", evidence: "npm test" }],
    worklog_path: worklogPath,
    notes_for_orchestrator: [note],
  },
  assignment: { ...assignment, acceptance_criteria: ["tests pass"] },
});

export interface OrdinaryCall {
  readonly name: string;
  readonly point: PointName;
  readonly payload: unknown;
}

const dispatch = {
  task_id: taskId,
  assignment: {
    ...assignment,
    acceptance_criteria: ["tests pass"],
    worklog_path: worklogPath,
    timeout_seconds: 1200,
    heartbeat_interval_seconds: 120,
  },
  active_locks: [{ task_id: "T-101", resource: "src/cart", active: true }],
};

const locks = [
  { task_id: taskId, resource: "src/orders", active: true },
  { task_id: taskId, resource: "tests/orders.test.ts", active: true },
];

const tick = {
  now: "2026-02-14T20:00:00Z",
  tasks: [
    {
      task_id: taskId,
      status: "in_progress",
      timeout_seconds: 1200,
      last_heartbeat_at: "2026-02-14T19:55:00Z",
    },
  ],
};

const snapshot = {
  ledger: [{ task_id: taskId, status: "in_progress" }],
  locks,
  blockers: [],
  learnings: ["prices are kept in cents", "the test database needs a free port"],
};

/** One allowed call of every point, and the second kind of note for PostExecution. */
export const ordinaryCalls: readonly OrdinaryCall[] = [
  { name: "PreDispatch", point: "PreDispatch", payload: dispatch },
  {
    name: "PreExecution",
    point: "PreExecution",
    payload: {
      task_id: taskId,
      assignment,
      dependencies: [{ task_id: "T-100", status: "done" }],
      active_locks: [...locks, { task_id: "T-101", resource: "src/cart", active: true }],
      sandbox: { ready: true, root: "." },
    },
  },
  {
    name: "PreWrite",
    point: "PreWrite",
    payload: { task_id: taskId, assignment, write: { resource: "src/orders/price.ts", action: "edit" } },
  },
  { name: "PostExecution", point: "PostExecution", payload: result(ordinaryNote) },
  { name: "PostExecution, note for the preset", point: "PostExecution", payload: result(noteForPreset) },
  {
    name: "PreComplete",
    point: "PreComplete",
    payload: {
      task_id: taskId,
      acceptance_check: [{ criterion: "tests pass", status: "pass", evidence: "npm test" }],
      required_criteria: ["tests pass"],
    },
  },
  {
    name: "OnLockUpdate",
    point: "OnLockUpdate",
    payload: { locks: [...locks, { task_id: "T-101", resource: "src/cart", active: true }] },
  },
  { name: "WatchdogTick", point: "WatchdogTick", payload: tick },
  { name: "PreCompact", point: "PreCompact", payload: { session: "bench", snapshot } },
];

/** The dispatch of the table, with other locks. */
export function dispatchWith(activeLocks: readonly unknown[]): unknown {
  return { ...dispatch, active_locks: activeLocks };
}
