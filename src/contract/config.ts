import * as z from "zod";
import { field } from "../core/values/fields.ts";
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
  ledgerUrl,
  name,
  projectPath,
  remoteName,
  variableName,
} from "./config-parts.ts";
import { programs } from "./config-programs.ts";

/**
 * `.lockstep/config.yaml`. Every key is optional; null selects the default if the default is null. The defaults
 * are also in default-config.ts, which does not import zod.
 */

type Context = z.core.$RefinementCtx;

interface Thresholds {
  readonly warn: number | null;
  readonly halt: number | null;
}

function warnBeforeHalt({ warn, halt }: Thresholds, context: Context): void {
  if (warn !== null && halt !== null) atMost(context, { warn, halt }, ["warn", "halt"]);
}

/** The default of `warn`: if `halt` is below the usual warning, the warning comes at 70 % of `halt`. */
function warningAt(usual: number) {
  return ({ warn, halt }: { readonly warn?: number | undefined; readonly halt: number }) => ({
    warn: warn ?? (usual <= halt ? usual : Math.ceil(halt * 7) / 10),
    halt,
  });
}

/** The error can involve a default, so the message names the value. */
function atMost<Key extends string>(
  context: Context,
  values: Readonly<Record<Key, number>>,
  [smaller, larger]: readonly [Key, Key],
): void {
  if (values[smaller] <= values[larger]) return;
  const message = `at most \`${larger}\`, which is ${values[larger]}`;
  context.addIssue({ code: "custom", path: [smaller], message, params: { value: values[smaller] } });
}

const cost = (what: string) => amount.nullable().default(null).describe(what);

const limits = z
  .strictObject({
    max_parallel: count.default(4).describe("maximum number of tasks in progress"),
    max_review: count.default(4).describe("maximum number of tasks in review; no more are started above it"),
    max_active: count.default(8).describe("maximum number of tasks in progress and in review together"),
    max_proofs: count
      .nullable()
      .default(null)
      .describe(
        "maximum number of checks that run in parallel; with more than 1, each has only a loopback network of its own, which needs the sandbox; null: 1",
      ),
    batching: z
      .enum(["continuous", "batch"])
      .default("continuous")
      .describe("continuous: a free slot is filled at once; batch: one batch after the other"),
    review_retries: countOrNone.default(3).describe("how many times rejected work may be sent back"),
    same_error: count.default(3).describe("the same error this many times in a row is a loop"),
    stalled_cycles: count.default(2).describe("cycles without progress before you are asked"),
    delegation_depth: count.default(2).describe("how deep agents may start further agents"),
    skew_seconds: countOrNone.default(30).describe("how far a clock may be ahead"),
    widen: z
      .enum(["ask", "auto", "never"])
      .default("ask")
      .describe("more scope for a task: ask you, grant it if it is free, or never"),
    tokens: z
      .strictObject({
        warn: count.optional().describe("warn above this: 35000, or less if `halt` is lower"),
        halt: count.default(50_000).describe("stop the task above this, and ask you"),
      })
      .transform(warningAt(35_000))
      .superRefine(warnBeforeHalt)
      .prefault({})
      .describe("token budget of a task: generated plus uncached input"),
    minutes: z
      .strictObject({
        warn: amount.optional().describe("warn after this: 10, or less if `halt` is lower"),
        halt: amount.default(15).describe("stop the attempt after this, and ask you"),
      })
      .transform(warningAt(10))
      .superRefine(warnBeforeHalt)
      .prefault({})
      .describe("time budget of one attempt"),
    cost_usd: z
      .strictObject({
        warn: cost("warn above this; null: never"),
        halt: cost("stop the task above this, and ask you; null: never"),
      })
      .superRefine(warnBeforeHalt)
      .prefault({})
      .describe("cost budget of a task in US dollars, where the client reports its cost"),
  })
  .superRefine((values, context) => atMost(context, values, ["max_parallel", "max_active"]))
  .prefault({})
  .meta({
    description: "How many tasks run in parallel, how often work is retried, and what a task may spend.",
    example: { max_parallel: 2, tokens: { halt: 200_000 }, minutes: { halt: 45 } },
  });

const includedPath = projectPath.overwrite((path) => path.replace(/^(?:\.\/)+|\/+$/g, ""));

const workspace = z
  .strictObject({
    setup: z
      .array(command, 'a list of commands, such as ["npm ci"]')
      .nullable()
      .default(null)
      .describe("commands that set up a new checkout; null: found from manifests and lock files"),
    include: z
      .array(includedPath)
      .default([".env"])
      .describe("ignored files and folders that are copied into a checkout"),
    env_pass: z
      .array(variableName)
      .default(["PATH", "HOME", "LANG"])
      .describe("environment variables that agents and checks see"),
    home: z
      .array(homePath)
      .default([])
      .describe("paths in your home folder that checks and setups may write"),
    keep: z
      .number()
      .nonnegative()
      .default(5)
      .describe("gibibytes of checkouts of finished tasks that are kept for the next ones; 0: none"),
  })
  .prefault({})
  .meta({
    description: "How the checkouts of agents and checks are set up, and what they see of your machine.",
    example: { setup: ["npm ci", "npm run build"], env_pass: ["PATH", "HOME", "LANG", "CI"], home: [".m2"] },
  });

const checkList = z.array(commandLine);

const checks = z
  .strictObject({
    default: checkList
      .default(["auto"])
      .describe("run on the merge of every task; auto: found from the project's files"),
    full: checkList.default([]).describe("run once for what is merged together"),
    flaky: checkList.default([]).describe("checks that may fail once: their second run counts"),
  })
  .prefault({})
  .meta({
    description: "Commands that must pass on the merged tree before the base moves.",
    example: { default: ["npm test"], full: ["npm run e2e"], flaky: ["npm run e2e"] },
  });

const tests = z
  .strictObject({
    weaken: z
      .enum(["ask", "refuse", "allow"])
      .default("ask")
      .describe("a change that weakens what the base's tests verified: ask you, refuse or allow it"),
    material: z.array(projectPath).default([]).describe("further files that belong to the tests (globs)"),
    ignore: z.array(projectPath).default([]).describe("files that look like tests and are not (globs)"),
  })
  .prefault({})
  .meta({
    description: "How changes are treated that weaken the tests that judge them: docs/tests.md.",
    example: { weaken: "refuse", material: ["fixtures/**"], ignore: ["src/testing/**"] },
  });

const gateCheck = (what: string) =>
  z
    .union([z.enum(["auto", "off"]), z.strictObject({ command })], "`auto`, `off` or a map with `command`")
    .default("auto")
    .describe(what);

const gate = z
  .strictObject({
    tests: gateCheck("the project's tests"),
    syntax: gateCheck("every changed file parses"),
    imports: gateCheck("no broken or circular import is added"),
    conventions: gateCheck("the rules in .lockstep/systemPatterns.md hold: docs/conventions.md"),
    cross_reference: gateCheck("calls of the project's API match its endpoints"),
  })
  .prefault({})
  .meta({
    description:
      "What is checked once for everything that is merged together, each: auto, off or { command: [...] }.",
    example: { conventions: "off", imports: { command: ["npx", "tsc", "--noEmit"] } },
  });

const guard = z
  .strictObject({
    root: projectPath
      .nullable()
      .default(null)
      .describe("the folder for logs, reports and tmp; null: in .git/lockstep"),
    on_deny: z
      .enum(["refuse", "block"])
      .default("refuse")
      .describe("after a refused write: the task continues, or it is blocked"),
    unclaimed: z
      .enum(["deny", "locked"])
      .default("deny")
      .describe("a subagent without a task may write: nothing, or only what no task has locked"),
    opaque: z
      .enum(["sandbox", "verify", "deny"])
      .default("sandbox")
      .describe(
        "commands whose writes cannot be known: run them in a sandbox, compare afterwards, or refuse",
      ),
    protected: z.array(projectPath).default([]).describe("further paths that no agent may write"),
    coordination: z
      .array(projectPath)
      .default([])
      .describe("further files that an orchestrator may always read"),
    on_error: z
      .enum(["closed", "open"])
      .default("closed")
      .describe("a guard that fails: refuses the call, or lets it pass with a warning"),
    idle_minutes: amount.default(30).describe("idle time after which the warm process ends"),
    programs,
  })
  .prefault({})
  .meta({
    description: "Hooks in your own sessions with a client: docs/guard.md.",
    example: { protected: ["migrations/**"], unclaimed: "locked", opaque: "verify" },
  });

const notify = z
  .strictObject({
    command: command
      .nullable()
      .default(null)
      .describe(
        "run when a decision starts to wait; it gets the decision as JSON on stdin and as LOCKSTEP_DECISION (its id), " +
          "LOCKSTEP_DECISION_KIND, LOCKSTEP_DECISION_TASK and LOCKSTEP_DECISION_TEXT, and has 10 seconds",
      ),
  })
  .prefault({})
  .meta({
    description: "How you hear that a decision waits, besides the bell of the terminal.",
    example: { command: ["sh", "-c", 'notify-send Lockstep "$LOCKSTEP_DECISION_TEXT"'] },
  });

const unknownHooks = z.enum(["error", "warn"]).default("error").meta({
  description: "What to do with the name of a hook that does not exist: error, or warn and skip it.",
  example: "warn",
});

/** Names are checked even if other checks fail, so that all errors appear at once. */
const always = { when: () => true };

function checkRemote(config: unknown, context: Context): void {
  if (field(config, "integrate") !== "push" || field(config, "remote") != null) return;
  const message = "the name of a git remote such as `origin`, because `integrate: push` moves the base there";
  context.addIssue({ code: "custom", path: ["remote"], message });
}

export const configSchema = z
  .strictObject({
    version: z.literal(1).default(1).meta({ description: "The version of this format.", example: 1 }),
    base_branch: branchName.nullable().default(null).meta({
      description: "The branch that work is merged into. null: the one checked out when a session starts.",
      example: "main",
    }),
    store: z.enum(["sqlite"]).default("sqlite").meta({
      description: "Where tasks, locks and events are kept: a SQLite file in .git/lockstep.",
      example: "sqlite",
    }),
    ledger: z
      .strictObject({
        url: ledgerUrl
          .nullable()
          .default(null)
          .describe(
            "the database that several machines share, without a password; null: this machine's own ledger",
          ),
      })
      .prefault({})
      .meta({
        description:
          "A ledger on PostgreSQL that several machines share: docs/machines.md. LOCKSTEP_LEDGER_URL comes before it.",
        example: { url: "postgres://lockstep@db.example.com/lockstep" },
      }),
    remote: remoteName.nullable().default(null).meta({
      description:
        "The git remote that several machines share: agents' work is pushed there before it is handed in. null: nothing is pushed.",
      example: "origin",
    }),
    transport: z.enum(["refs", "heads"]).default("refs").meta({
      description:
        "How agents' work and the proofs are named at the remote. refs: as refs of their own, which are not branches; heads: as branches `lockstep/…`, for hosts that accept only branches.",
      example: "heads",
    }),
    integrate: z.enum(["local", "push", "pr", "none"]).default("local").meta({
      description:
        "What happens to proven work. local: the base branch moves here; push: it moves at the `remote`; pr: a branch is pushed and a pull request opened; none: it stays on its branch.",
      example: "pr",
    }),
    proof: z.enum(["tip", "each"]).default("tip").meta({
      description:
        "Where the project's checks run when several changes are integrated together. tip: once, on the last merge; only if that fails, on every merge, to find the change to refuse. each: always on every merge.",
      example: "each",
    }),
    limits,
    agents,
    hooks: hooks.meta({
      description: [
        "What runs around a task's work, in this order, at four points. A hook is",
        "- a name: rebase_on_main (merges the base in), run_tests (the project's tests must pass), create_pr (a pull request, with `integrate: pr`), gatekeeper (other agents review the work)",
        "- a name with parameters: { gatekeeper: [qa, architecture] }",
        '- a program that speaks the hook contract: { command: ["node", "hooks/mine.mjs"] }',
        "A hook that fails before a submission goes back to the agent once; before a merge it rejects the work. An agent's hooks come before those of its task type, and those before these. null continues with the next level, an empty list does not.",
      ].join("\n"),
      example: { before_submit: ["rebase_on_main", "create_pr"] },
    }),
    unknown_hooks: unknownHooks,
    task_types: taskTypes,
    workspace,
    checks,
    tests,
    gate,
    resources: z
      .record(name, count)
      .default({})
      .meta({
        description: "Named things, and how many tasks may use each of them at the same time.",
        example: { database: 1 },
      }),
    guard,
    notify,
    sandbox: z.enum(["auto", "required", "strict", "off"]).default("auto").meta({
      description:
        "The sandbox (bubblewrap) around agents and checks. auto: where it works; required: nothing runs without one; strict: as auto, and tracked paths outside the lock are read-only; off: none.",
      example: "required",
    }),
    worklogs: z.enum(["keep", "commit"]).default("keep").meta({
      description: "Agents' worklogs. keep: beside the session; commit: merged with the work.",
      example: "commit",
    }),
    session: z
      .strictObject({
        commit: z
          .boolean()
          .default(false)
          .describe("whether the session's folder in .agents-work/ is committed"),
      })
      .prefault({})
      .meta({ description: "The folder of a session.", example: { commit: true } }),
    project_type: z.enum(["web", "api", "cli", "lib", "mixed"]).default("mixed").meta({
      description: "The kind of project, for the prompts of the roles of `lockstep start`.",
      example: "api",
    }),
  })
  .superRefine(checkAgentNames, always)
  .superRefine(checkHookNames, always)
  .superRefine(checkRemote, always)
  .describe("`.lockstep/config.yaml`");

/** The keys that are also read from `.octopoid/config.yaml`; its agents are configured elsewhere. */
export const borrowedSchema = z
  .object({
    hooks: hooks.nullish(),
    task_types: taskTypes.nullish(),
    unknown_hooks: unknownHooks,
  })
  .superRefine(checkHookNames, always);

export type Config = z.output<typeof configSchema>;
