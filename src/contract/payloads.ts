import * as z from "zod";
import { forbiddenScope, isoTime, line, lock, lockScope, locks, scope, seconds, text } from "./parts.ts";

/**
 * The documents that the hook points read from stdin. A payload of another form is always denied; see
 * docs/rules.md.
 */

export const preDispatch = z
  .looseObject({
    task_id: line,
    assignment: z.looseObject({
      lock_scope: lockScope,
      forbidden_scope: forbiddenScope,
      acceptance_criteria: z.array(text).min(1),
      worklog_path: text.describe("the file inside the project to which the agent writes its log"),
      timeout_seconds: seconds.describe("longest time without a heartbeat"),
      heartbeat_interval_seconds: seconds.describe("shorter than the timeout"),
      objective: text
        .nullish()
        .describe("if one of objective, forbidden_actions and evidence is given, all three are required"),
      forbidden_actions: z.array(z.string()).nullish(),
      evidence: z.array(text).min(1).nullish(),
    }),
    active_locks: locks,
  })
  .describe("the assignment packet of a task, before it is dispatched");

export const preExecution = z
  .looseObject({
    task_id: line,
    assignment: z.looseObject({ lock_scope: lockScope }),
    dependencies: z.array(
      z.looseObject({
        task_id: text,
        status: text.describe("complete: done, completed or merged, in any case"),
      }),
    ),
    active_locks: locks,
    sandbox: z.looseObject({
      ready: z.boolean(),
      root: text.describe("an existing folder; relative to the project root, or absolute"),
    }),
  })
  .describe("what a subagent starts with");

const write = z.looseObject({
  resource: line.describe("the path to be written"),
  action: line.describe(
    "what is done to the path; delete, remove, rm, rmdir, move, mv and rename affect a whole folder",
  ),
});

export const preWrite = z
  .looseObject({
    task_id: line,
    session: line.nullish().describe("default: taken from a worklog path under .agents-work/"),
    assignment: z.looseObject({
      lock_scope: scope.describe("what the task may write"),
      forbidden_scope: forbiddenScope,
      worklog_path: z.string().nullish().describe("counts as part of the lock scope"),
    }),
    write: write.nullish(),
    writes: z.array(write).nullish(),
  })
  .refine((payload) => payload.write != null || (payload.writes ?? []).length > 0, "`write` or `writes`")
  .describe("one or more writes before they happen: `write`, `writes`, or both");

export const preComplete = z
  .looseObject({
    task_id: line,
    acceptance_check: z
      .array(z.looseObject({ criterion: text, status: z.literal("pass"), evidence: text }))
      .min(1)
      .describe("every criterion with its evidence; only the status `pass` counts"),
    required_criteria: z.array(text).describe("each must appear in `acceptance_check`, word for word"),
  })
  .describe("the evidence that a task is complete");

export const onLockUpdate = z
  .union([z.array(lock), z.looseObject({ locks })])
  .describe("the whole lock table, as a list or under `locks`");

// In upper or lower case, with `-` or `_`.
const inProgressForm = "\\s*[Ii][Nn][-_][Pp][Rr][Oo][Gg][Rr][Ee][Ss][Ss]\\s*$";

const watchedTask = z.looseObject({
  task_id: text,
  status: z
    .string()
    .regex(new RegExp(`^${inProgressForm}`))
    .describe("in_progress"),
  timeout_seconds: seconds,
  last_heartbeat_at: isoTime,
});

const otherTask = z.looseObject({
  task_id: text,
  status: z
    .string()
    .regex(new RegExp(`^(?!${inProgressForm})[\\s\\S]*\\S`))
    .describe("any other status"),
});

export const watchdogTick = z
  .looseObject({ now: isoTime, tasks: z.array(z.union([watchedTask, otherTask])) })
  .describe("the last heartbeats of all tasks at a point in time");

export const preCompact = z
  .looseObject({
    session: line.nullish(),
    snapshot: z
      .looseObject({
        ledger: z.array(z.unknown()),
        locks: z.array(z.unknown()),
        blockers: z.array(z.unknown()),
        learnings: z.array(z.unknown()),
      })
      .nullish(),
  })
  .describe("what must survive a compaction");
