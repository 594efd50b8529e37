import * as z from "zod";
import { plannedIdForm } from "../core/names/task-name.ts";
import { commandLine, count, line, name, plainText, projectPath } from "./config-parts.ts";
import { heartbeatFor } from "./heartbeat.ts";

/** `tasks.yaml`. Checks that need the whole plan, the configuration or the disk run where the plan is loaded. */

const tasksMax = 10_000;
const entriesMax = 1000;

// biome-ignore lint/suspicious/noControlCharactersInRegex: tabs and ends of lines are text, the rest is not
const textForm = /^(?=[\s\S]*\S)[^\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]+$/;
/** JSON Schema has no regular expression flags, so both cases are spelled out. */
const checkForm =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a line has none
  /^ *(?:[cC][mM][dD]|[mM][aA][nN][uU][aA][lL]) *: *[^\s\u0000-\u001f\u007f][^\u0000-\u001f\u007f]*$/;

const taskId = z
  .string("an id: a letter, then letters, digits, `-` and `_`, at most 100, and not the reserved word meta")
  .regex(plannedIdForm);

const text = plainText(textForm);

const lines = z.array(line).default([]);

const scope = z.array(
  z
    .string("a path or glob inside the project")
    .describe("a path (itself and everything below) or a glob, inside the project"),
);

const contextFile = projectPath.regex(
  /^(?!.*<session>)/,
  "a path with the name of the session instead of a placeholder",
);

const acceptanceCheck = z
  .string('a check in quotes: "cmd: npm test" is run, "manual: it reads well" is decided by a person')
  .regex(checkForm);

const riskFlags = z
  .array(z.enum(["security", "perf", "breaking-change", "none"]))
  .default(["none"])
  .superRefine((flags, context) => {
    if (flags.length > 1 && flags.includes("none"))
      context.addIssue({
        code: "custom",
        path: [flags.indexOf("none")],
        message: "no other flag together with this one",
      });
  });

/** The names of the task states in a plan. */
const planStatus = z.enum(["not-started", "in-progress", "implemented", "completed", "blocked"]);

const task = z
  .strictObject({
    id: taskId,
    status: planStatus.default("not-started"),
    title: line.optional().describe("default: the first line of the goal"),
    goal: text,
    type: name.nullable().default(null).describe("a key of `task_types`"),
    agent: line
      .nullable()
      .default(null)
      .describe("an agent or a role; null: the only agent, or the implementers of the task type"),
    depends_on: z.array(taskId).max(entriesMax, `at most ${entriesMax} ids`).default([]),
    lock_scope: scope
      .min(1, "at least one path, or leave the key out for the whole repository")
      .max(entriesMax, `at most ${entriesMax} entries`)
      .default(["."])
      .describe("what the task may write; without this key: the whole repository, so the task runs alone"),
    forbidden_scope: scope.max(entriesMax, `at most ${entriesMax} entries`).default([]),
    uses: z.array(name).max(100, "at most 100 resources").default([]).describe("named resources"),
    forbidden_actions: lines,
    acceptance_checks: z
      .array(acceptanceCheck, 'a list of checks, such as ["cmd: npm test"]')
      .min(1, 'at least one check, such as "cmd: npm test"'),
    proves: z
      .array(commandLine)
      .default([])
      .describe("commands that must fail on the base and pass on the result"),
    may_change_tests: scope
      .max(entriesMax, `at most ${entriesMax} entries`)
      .default([])
      .describe("tests that the task may change without asking a person"),
    evidence: lines,
    risk_flags: riskFlags,
    timeout_seconds: z
      .int("a whole number above 1")
      .min(2)
      .default(900)
      .describe("longest time since the last heartbeat"),
    heartbeat_interval_seconds: count.optional().describe("default: a third of the timeout, at most 60"),
    non_goals: lines,
    constraints: lines,
    context_files: z.array(contextFile).default([]),
    files_expected: z
      .array(projectPath)
      .max(entriesMax, `at most ${entriesMax} paths`)
      .default([])
      .describe("files that the task will probably change"),
    done_when: lines.describe("how to recognise that the task is done, in addition to its checks"),
    skip_pr: z.boolean().default(false),
    label: name
      .nullable()
      .default(null)
      .describe("with several machines: only one with this label does the task"),
  })
  .transform(({ heartbeat_interval_seconds: beat, ...task }) => ({
    ...task,
    heartbeat_interval_seconds: beat ?? heartbeatFor(task.timeout_seconds),
  }))
  .superRefine(({ heartbeat_interval_seconds: beat, timeout_seconds: timeout }, context) => {
    if (beat < timeout) return;
    context.addIssue({
      code: "custom",
      path: ["heartbeat_interval_seconds"],
      message: `less than \`timeout_seconds\`, which is ${timeout}`,
      params: { value: beat },
    });
  });

export const planSchema = z
  .strictObject({
    project: z
      .strictObject({
        name: line.nullable().default(null),
        definition_of_done: lines,
      })
      .prefault({}),
    tasks: z
      .array(task, "a list of tasks")
      .min(1, "at least one task")
      .max(tasksMax, `at most ${tasksMax} tasks`),
  })
  .describe("`tasks.yaml`");

export type Plan = z.output<typeof planSchema>;
export type PlanTask = Plan["tasks"][number];
