import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { copyName, planCommand } from "../../core/names/session-paths.ts";
import { taskSlug } from "../../core/names/slugs.ts";
import { numberedId } from "../../core/names/task-name.ts";
import { asCriterion } from "../../core/proof/criterion.ts";
import { projectChecks, whyNoChecks } from "../../run/landing/checks/prove-checks.ts";
import type { IntegrationContext } from "../../run/landing/integration.ts";
import { inRepository } from "../open/in-repository.ts";
import { scopeFromHere, tellScope } from "../open/scope-from-here.ts";
import { CommandFault } from "../output/command-fault.ts";
import { optionFault, type RunOptions } from "./run-options.ts";
import { runPlan } from "./run-plan.ts";
import { unfinishedPlans } from "./unfinished-plans.ts";

interface DoOptions extends RunOptions {
  readonly scope?: readonly string[];
  readonly check?: readonly string[];
  readonly proves?: readonly string[];
  readonly mayChangeTests?: readonly string[];
  readonly new?: boolean;
}

/** One task without a plan file: a plan with this task alone is generated. */
export function doCommand(goal: string, options: DoOptions): Promise<number> {
  return inRepository("do", options, async (context) => {
    const { root, baseCommit } = context.repository;
    const { check = [], proves = [], agent } = options;
    const scope = tellScope(options.scope, context.onProgress) ?? ["."];
    const mayChangeTests = scopeFromHere(options.mayChangeTests ?? []);
    const found = await projectChecks(root, baseCommit, context.config.checks.default);
    const checks = check.length > 0 ? check : found.map(({ command }) => command);
    if (checks.length === 0)
      throw new CommandFault(
        "E-PLAN",
        `there is no check to verify the work: ${await whyNoChecks(root, baseCommit)}; name a command with --check`,
      );
    const task = {
      ...{ id: await freeId(context), goal, lock_scope: scope, proves },
      acceptance_checks: checks.map(asCriterion),
      may_change_tests: mayChangeTests,
      // A later run uses the same agent. A default agent that is not configured is looked up again.
      ...(agent !== undefined && Object.hasOwn(context.config.agents, agent) ? { agent } : {}),
    };
    const same = options.new === true ? undefined : await findSame(context, task);
    if (same !== undefined) {
      context.onProgress(
        `${same.session} has the same goal and is unfinished: continuing it (--new starts over)`,
      );
      return runPlan(context, { file: same.file, again: false, options, goOn: planCommand });
    }
    const folder = mkdtempSync(join(tmpdir(), "lockstep-do-"));
    try {
      const file = join(folder, copyName);
      writeFileSync(file, JSON.stringify({ project: { name: taskSlug(goal) }, tasks: [task] }, null, 2));
      return await runPlan(context, { file, again: true, options, goOn: planCommand, told: optionFault });
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
}

interface WantedTask {
  readonly goal: string;
  readonly lock_scope: readonly string[];
  readonly acceptance_checks: readonly string[];
  readonly proves: readonly string[];
}

/** An unfinished session whose only task is this one: the same `do` was killed, or waits for an answer. */
async function findSame({ engine, repository }: IntegrationContext, wanted: WantedTask) {
  const { goal, lock_scope, acceptance_checks, proves } = wanted;
  const words = JSON.stringify([goal, lock_scope, acceptance_checks, proves]);
  for (const plan of await unfinishedPlans(engine, repository.root)) {
    const [task, ...others] = await engine.ledger.tasks({ session: plan.session });
    const { objective, lock_scope: scope, acceptance_criteria, proves: shown } = task?.assignment ?? {};
    const own = JSON.stringify([objective, scope, acceptance_criteria, shown]);
    if (others.length === 0 && own === words) return plan;
  }
  return undefined;
}

/** Branches are named after tasks, so two single tasks must not share an id. */
async function freeId({ engine }: IntegrationContext): Promise<string> {
  const taken = new Set((await engine.ledger.tasks()).map(({ id }) => id));
  for (let number = 1; ; number += 1) {
    const id = numberedId(number);
    if (!taken.has(id)) return id;
  }
}
