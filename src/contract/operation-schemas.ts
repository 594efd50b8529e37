import * as z from "zod";
import type { OperationName } from "./operations.ts";
import { line, text } from "./parts.ts";
import { verdict } from "./verdict.ts";

/** The input and the answer of each operation. Every answer may also be a deny: see `verdict`. */

const task = line.describe("a task id, or SESSION/TASK");
const document = z.unknown().describe("one JSON value, in the form of its own schema");
const count = z.int().nonnegative();
const time = z.iso.datetime();
const maybe = <Type extends z.ZodType>(type: Type) => type.nullable();
const state = z.enum([
  "PENDING",
  "IN_PROGRESS",
  "REVIEW",
  "MERGED",
  "BLOCKED",
  "REJECTED",
  "FAILED",
  "ESCALATED",
]);

const taskStatus = z.looseObject({
  id: line.describe("its name in the plan"),
  key: task.describe("its unique name: SESSION/TASK, or the id alone for a task without a session"),
  title: maybe(z.string()),
  state,
  status: z.string().describe("the plan's word for the state"),
  attempts: count,
  code: maybe(z.string()).describe("the code of the last refusal"),
  reason: maybe(z.string()),
  details: z.record(z.string(), z.unknown()),
  agent: maybe(z.string()),
  model: maybe(z.string()),
  branch: maybe(z.string()),
  base: maybe(z.string()),
  commit: maybe(z.string()),
  started_at: maybe(time),
  elapsed_seconds: maybe(count),
  usage: z.object({
    tokens: count,
    input: maybe(count),
    cached: maybe(count),
    output: maybe(count),
    cost_usd: maybe(z.number()),
  }),
  scope: z.array(z.string()),
  waiting_for: z
    .array(line)
    .describe(
      "what it waits for: tasks, decisions, `agent:NAME`, `slot`, `person`; empty while it is worked on",
    ),
  waits: z
    .array(
      z.looseObject({
        on: z.enum(["person", "dependency", "lock", "limit", "slot", "machine"]),
        task: task.optional().describe("the task, for a dependency or a lock"),
        resource: line.optional().describe("the path or resource that the task holds"),
      }),
    )
    .describe("the same, with the kind of each wait"),
  alive: maybe(
    z.looseObject({
      lease: z.enum(["running", "held", "over", "lapsed"]),
      last_heartbeat_at: time,
      lease_expires_at: maybe(time),
    }),
  ),
  evidence: z.array(z.unknown()),
  unproven_claims: z
    .array(z.string())
    .optional()
    .describe("files that its agent claims to have changed but that are not in its work"),
  unproven_deeds: z
    .array(z.string())
    .optional()
    .describe("what its agent claims to have done outside its tree, without evidence"),
  manual_steps: z.array(z.string()).optional().describe("steps that its agent leaves to be done by hand"),
  tests_added_or_updated: z.array(z.string()).optional().describe("tests as reported by its agent"),
});

const decision = z.looseObject({
  id: line,
  task,
  question: z.string(),
  options: z.array(z.string()),
});

const status = z.looseObject({
  session: maybe(line),
  outcome: maybe(z.enum(["merged", "failed", "waiting", "running", "stopped"])).describe(
    "`stopped`: unfinished, and no process works on it; null: there is no task",
  ),
  tasks: z.array(taskStatus),
  batches: count,
  decisions: z.array(decision),
  landings: z
    .array(
      z.object({ branch: line, code: line, reason: z.string(), at: time, command: z.string().optional() }),
    )
    .describe("branches whose merge waits for a person, but not for a decision"),
  cost_usd: maybe(z.number()),
  walls: z.object({ guard: z.boolean(), sandbox: z.boolean(), diff: z.boolean() }),
  breaker: z.object({
    mode: z.enum(["CLEAR", "PAUSE", "STOP"]),
    reason: maybe(z.string()),
    since: maybe(time),
  }),
  workflow: maybe(
    z.looseObject({
      session: line,
      state: line.describe("one of the sixteen states of a session"),
      mode: z.enum(["full", "lean"]),
      dispatched: maybe(z.looseObject({ role: line, purpose: line, agent: line, at: time })),
      blocker: maybe(z.looseObject({ code: line, reason: z.string(), recovery: z.string(), at: time })),
      over: maybe(z.enum(["done", "abandoned"])),
    }),
  ).describe("the session that was started last; null: there is none"),
});

const machine = z.looseObject({
  id: line,
  name: line,
  lockstep: line.describe("its version"),
  is_this: z.boolean(),
  last_seen_at: time,
  gone: z.boolean().describe("it was not heard from for two leases of a role"),
  slots: count.describe("how many agents it runs at the same time; 0: it offers nothing"),
  labels: z.array(z.string()),
  draining: z.boolean(),
  lacks: z.array(z.string()).describe("why it does not do some tasks"),
  tasks: z.array(task).describe("what it runs now"),
  holds: z.array(task).describe("what it has in review or with a person"),
  conducts: z.array(line).describe("the sessions that it reviews and lands"),
});

const lockList = z.object({
  locks: z.array(
    z.looseObject({
      task_id: task,
      resource: line,
      active: z.boolean(),
      epoch: count,
      lease_expires_at: maybe(time).describe("for display only: the ledger's own clock decides"),
      kind: z.enum(["path", "resource"]),
    }),
  ),
});

const event = z.looseObject({
  seq: count,
  at: time,
  type: line,
  actor: line,
  cause: line,
  task: maybe(task),
  from: maybe(state),
  to: maybe(state),
  hash: z.string().regex(/^[0-9a-f]{64}$/),
});

const usage = z.object({
  input: count.optional(),
  cached: count.optional(),
  output: count.optional(),
  cost_usd: z.number().nonnegative().optional(),
});

const shape = z.object({
  segments: z.array(z.union([z.string(), z.object({ glob: z.string() }), z.null()])),
  deep: z.boolean(),
});

const guardFacts = z.object({
  breaker: z.enum(["CLEAR", "PAUSE", "STOP"]),
  holders: z.array(
    z.looseObject({
      key: task,
      epoch: count,
      leaseState: z.enum(["running", "held", "over"]),
      locks: z.array(z.object({ resource: line, shapes: z.array(shape) })),
      forbidden: z.array(z.string()),
    }),
  ),
});

const violation = z.object({
  task,
  kind: z.enum(["refused", "strayed", "sent-back", "let-go"]),
  agent: maybe(z.string()),
  tool: z.string(),
  code: line,
  target: z.string(),
  reason: z.string(),
  bytes: count,
  block: z.boolean().optional().describe("whether it blocks the task"),
});

const none = z.object({});
const reasoned = z.object({ task, reason: text });
const breaker = z.object({ reason: text.optional() });
const verified = z.looseObject({ events: count, problems: z.array(z.looseObject({ problem: z.string() })) });

export const operationSchemas = {
  status: { input: z.object({ task: task.optional() }), output: status },
  "task-list": { input: none, output: z.array(taskStatus) },
  "task-show": { input: z.object({ task }), output: taskStatus.optional() },
  "task-add": { input: z.object({ packet: document }), output: verdict },
  "task-retry": { input: z.object({ task, packet: document.optional() }), output: verdict },
  "task-escalate": { input: reasoned, output: verdict },
  "task-resolve": { input: z.object({ task, note: text }), output: verdict },
  "task-cancel": { input: reasoned, output: verdict },
  stop: { input: z.object({ task }), output: verdict },
  take: {
    input: z.object({ task }),
    output: verdict.describe("on allow `details` has attempt and epoch"),
  },
  dispatch: {
    input: z.object({ packet: document, runnerPid: z.int().positive().optional() }),
    output: verdict.describe(
      "on allow `details` has attempt, epoch, token, lease_expires_at, lock_scope, fix_delta",
    ),
  },
  heartbeat: {
    input: z.object({
      task,
      tokens: count.optional(),
      usage: usage.optional().describe("reported by the process that runs the agent"),
      conversation: line.optional().describe("reported by the process that runs the agent"),
    }),
    output: verdict,
  },
  submit: { input: z.object({ task, document }), output: verdict },
  complete: {
    input: z.object({ task, document: document.optional(), commit: line.optional() }),
    output: verdict,
  },
  release: { input: z.object({ task }), output: verdict },
  widen: { input: z.object({ task, paths: z.array(text).min(1), why: text }), output: verdict },
  "lock-list": { input: z.object({ all: z.boolean().optional() }), output: lockList },
  watchdog: { input: none, output: verdict },
  reconcile: { input: none, output: verified },
  decisions: { input: z.object({ all: z.boolean().optional() }), output: z.array(decision) },
  decide: {
    input: z.union([z.object({ id: line, answer: text }), z.object({ id: line, cancel: text })]),
    output: verdict,
  },
  "audit-list": {
    input: z.object({
      task: task.optional(),
      type: line.optional(),
      after: count.optional(),
      limit: count.optional(),
      newestFirst: z.boolean().optional(),
    }),
    output: z.array(event),
  },
  "audit-verify": { input: none, output: verified },
  pause: { input: breaker, output: verdict },
  "stop-all": { input: breaker, output: verdict },
  clear: { input: breaker, output: verdict },
  "machine-list": { input: none, output: z.object({ machines: z.array(machine) }) },
  "machine-drain": { input: z.object({ machine: line }), output: verdict },
  "machine-forget": { input: z.object({ machine: line }), output: verdict },
  "guard-facts": { input: z.object({ task: task.optional() }), output: guardFacts },
  "guard-record": { input: violation, output: verdict.describe("on allow `details` has times and loops") },
} as const satisfies Record<OperationName, { readonly input: z.ZodType; readonly output: z.ZodType }>;

/** All operations in one published document. */
export const operationsDocument = z
  .object(
    Object.fromEntries(
      Object.entries(operationSchemas).map(([name, { input, output }]) => [
        name,
        z.object({ input, output }),
      ]),
    ),
  )
  .describe("every operation with its input and its answer; an answer may also be a deny");
