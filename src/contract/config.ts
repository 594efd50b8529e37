import { z } from "zod";
import { agents, checkAgentNames, taskTypes } from "./config-agents.ts";
import { checkHookNames, hooks } from "./config-hooks.ts";
import {
  amount,
  branchName,
  command,
  commandLine,
  count,
  countOrNone,
  homePath,
  name,
  projectPath,
  variableName,
} from "./config-parts.ts";
import { programs } from "./config-programs.ts";

/**
 * `.lockstep/config.yaml`. Every key may be left out; null stands for the default where the default is null.
 * What the keys come to when all are left out is also in default-config.ts, which costs no import of zod.
 */

type Context = z.core.$RefinementCtx;

interface Thresholds {
  readonly warn: number | null;
  readonly halt: number | null;
}

function warnBeforeHalt({ warn, halt }: Thresholds, context: Context): void {
  if (warn !== null && halt !== null) atMost(context, { warn, halt }, ["warn", "halt"]);
}

/** Who lowers the end alone is warned before it, too. */
function warningAt(usual: number) {
  return ({ warn, halt }: { readonly warn?: number | undefined; readonly halt: number }) => ({
    warn: warn ?? (usual <= halt ? usual : Math.ceil(halt * 7) / 10),
    halt,
  });
}

/** A fault may lie between a value that was written and a default: it says which value was meant. */
function atMost<Key extends string>(
  context: Context,
  values: Readonly<Record<Key, number>>,
  [smaller, larger]: readonly [Key, Key],
): void {
  if (values[smaller] <= values[larger]) return;
  const message = `at most \`${larger}\`, which is ${values[larger]}`;
  context.addIssue({ code: "custom", path: [smaller], message, params: { value: values[smaller] } });
}

const cost = amount.nullable().default(null);

const limits = z
  .strictObject({
    max_parallel: count.default(4).describe("tasks in progress at once"),
    max_review: count.default(4).describe("tasks in review before no more are started"),
    max_active: count.default(8).describe("tasks in progress and in review together"),
    max_proofs: count
      .nullable()
      .default(null)
      .describe("checks that run side by side; null: one for every two cores"),
    batching: z.enum(["continuous", "batch"]).default("continuous"),
    review_retries: countOrNone.default(3),
    same_error: count.default(3).describe("the same error so often in a row is a loop"),
    stalled_cycles: count.default(2).describe("cycles without progress before a person is asked"),
    delegation_depth: count.default(2),
    skew_seconds: countOrNone.default(30).describe("how far a clock may be ahead"),
    widen: z.enum(["ask", "auto", "never"]).default("ask").describe("who grants more scope"),
    tokens: z
      .strictObject({
        warn: count.optional().describe("35000, or less where it halts before"),
        halt: count.default(50_000),
      })
      .transform(warningAt(35_000))
      .superRefine(warnBeforeHalt)
      .prefault({})
      .describe("generated plus uncached input"),
    minutes: z
      .strictObject({
        warn: amount.optional().describe("10, or less where it halts before"),
        halt: amount.default(15),
      })
      .transform(warningAt(10))
      .superRefine(warnBeforeHalt)
      .prefault({}),
    cost_usd: z.strictObject({ warn: cost, halt: cost }).superRefine(warnBeforeHalt).prefault({}),
  })
  .superRefine((values, context) => atMost(context, values, ["max_parallel", "max_active"]))
  .prefault({})
  .describe("a task may set its own");

const includedPath = projectPath.overwrite((path) => path.replace(/^(?:\.\/)+|\/+$/g, ""));

const workspace = z
  .strictObject({
    setup: z
      .array(command, 'a list of commands, such as ["npm ci"]')
      .nullable()
      .default(null)
      .describe("null: found from manifests and lock files"),
    include: z
      .array(includedPath)
      .default([".env"])
      .describe("ignored files and folders that a checkout gets a copy of"),
    env_pass: z.array(variableName).default(["PATH", "HOME", "LANG"]),
    home: z
      .array(homePath)
      .default([])
      .describe("paths in the home folder that checks and set-ups may write"),
    keep: z
      .number()
      .nonnegative()
      .default(5)
      .describe("gibibytes of checkouts that are kept to be used again; 0: none"),
  })
  .prefault({});

const checkList = z.array(commandLine);

const checks = z
  .strictObject({
    default: checkList.default(["auto"]).describe("`auto`: found from the project's files"),
    full: checkList.default([]),
    flaky: checkList.default([]).describe("checks whose second run counts"),
  })
  .prefault({});

const tests = z
  .strictObject({
    weaken: z
      .enum(["ask", "refuse", "allow"])
      .default("ask")
      .describe("what happens to a change that weakens what the base's tests verified"),
    material: z.array(projectPath).default([]).describe("further files that tests are made of"),
    ignore: z.array(projectPath).default([]).describe("files that look like tests and are not"),
  })
  .prefault({});

const gateCheck = z
  .union([z.enum(["auto", "off"]), z.strictObject({ command })], "`auto`, `off` or a map with `command`")
  .default("auto");

const gate = z
  .strictObject({
    tests: gateCheck,
    syntax: gateCheck,
    imports: gateCheck,
    conventions: gateCheck,
    cross_reference: gateCheck,
  })
  .prefault({});

const guard = z
  .strictObject({
    root: projectPath.nullable().default(null).describe("where logs, reports and tmp lie, if not in git's"),
    on_deny: z.enum(["refuse", "block"]).default("refuse").describe("refuse the write, or block the task"),
    unclaimed: z.enum(["deny", "locked"]).default("deny").describe("what a subagent without a task may not"),
    opaque: z
      .enum(["sandbox", "verify", "deny"])
      .default("sandbox")
      .describe("commands whose writes cannot be known"),
    protected: z.array(projectPath).default([]).describe("further paths that no agent may write"),
    coordination: z.array(projectPath).default([]).describe("further files an orchestrator may always read"),
    on_error: z.enum(["closed", "open"]).default("closed").describe("whether a failing guard denies"),
    idle_minutes: amount.default(30).describe("when the warm process ends"),
    programs,
  })
  .prefault({});

const notify = z
  .strictObject({
    command: command
      .nullable()
      .default(null)
      .describe(
        "run when a decision begins to wait: the decision as JSON on stdin, and LOCKSTEP_DECISION (its id), " +
          "LOCKSTEP_DECISION_KIND, LOCKSTEP_DECISION_TASK and LOCKSTEP_DECISION_TEXT in the environment; ended after 10 s",
      ),
  })
  .prefault({});

const unknownHooks = z.enum(["error", "warn"]).default("error");

/** Names are compared even where something else is wrong, so that one look shows everything. */
const always = { when: () => true };

export const configSchema = z
  .strictObject({
    version: z.literal(1).default(1),
    base_branch: branchName.nullable().default(null).describe("null: the branch checked out at the start"),
    store: z.enum(["sqlite"]).default("sqlite"),
    integrate: z
      .enum(["local", "pr", "none"])
      .default("local")
      .describe("move the base here, open a pull request, or stop at proven branches"),
    proof: z
      .enum(["tip", "each"])
      .default("tip")
      .describe(
        "tip: the project's checks run once, on the last merge of an integration, and on every merge if that fails; " +
          "each: always on every merge",
      ),
    limits,
    agents,
    hooks,
    unknown_hooks: unknownHooks,
    task_types: taskTypes,
    workspace,
    checks,
    tests,
    gate,
    resources: z.record(name, count).default({}).describe("how many tasks may use each at the same time"),
    guard,
    notify,
    sandbox: z
      .enum(["auto", "required", "strict", "off"])
      .default("auto")
      .describe("strict: tracked paths outside the lock are read-only too; required: no run without one"),
    worklogs: z.enum(["keep", "commit"]).default("keep"),
    session: z.strictObject({ commit: z.boolean().default(false) }).prefault({}),
    project_type: z.enum(["web", "api", "cli", "lib", "mixed"]).default("mixed"),
  })
  .superRefine(checkAgentNames, always)
  .superRefine(checkHookNames, always)
  .describe("`.lockstep/config.yaml`");

/** The keys that are also taken from `.octopoid/config.yaml`; its agents are configured elsewhere. */
export const borrowedSchema = z
  .object({
    hooks: hooks.nullish(),
    task_types: taskTypes.nullish(),
    unknown_hooks: unknownHooks,
  })
  .superRefine(checkHookNames, always);

export type Config = z.output<typeof configSchema>;
