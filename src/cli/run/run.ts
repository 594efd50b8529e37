import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { beganElsewhere } from "../../run/conduct/fleet/began-elsewhere.ts";
import type { IntegrationContext } from "../../run/landing/integration.ts";
import { type RunTold, reportTogether } from "../look/report-run.ts";
import { inRepository } from "../open/in-repository.ts";
import { CommandFault } from "../output/command-fault.ts";
import { faultVerdict } from "../output/verdicts.ts";
import { choosePlan, chosenPlanText, newOwnPlan } from "./chosen-plan.ts";
import type { RunOptions } from "./run-options.ts";
import { runPlan } from "./run-plan.ts";
import { unfinishedPlans } from "./unfinished-plans.ts";

interface PlanOptions extends RunOptions {
  readonly again?: boolean;
}

/** Exit 0: everything merged; 1: something failed; 3: a person has to decide, or the run was stopped. */
export function runCommand(file: string | undefined, options: PlanOptions): Promise<number> {
  return inRepository("run", options, (context) => {
    if (options.json === true && options.jsonLines === true)
      throw new CommandFault("R-IN-001", "--json and --json-lines cannot be combined: use one of them");
    return file === undefined ? runUnfinished(context, options) : runFile(context, file, options);
  });
}

async function runFile(context: IntegrationContext, file: string, options: PlanOptions, named = true) {
  // Relative to the current folder, else to the project's root.
  const path = [resolve(file), join(context.repository.root, file)].find(existsSync);
  if (path === undefined)
    throw new CommandFault("E-PLAN", `there is no plan file \`${file}\`: create it, or name another one`);
  const goOn = () => `lockstep run${named ? ` ${file}` : ""}`;
  const again = options.again === true;
  const chosen = await choosePlan(context.engine, context.repository.root, { file: path, again });
  return runPlan(context, { file: path, again, options, goOn, first: chosenPlanText(chosen) });
}

/**
 * Runs `tasks.yaml` if it is new or has changed. Otherwise it continues every unfinished session that can move, one
 * after the other, because the end of one may unblock the next. If none can move, it runs the newest, whose report says
 * what it waits for. Sessions that began on another branch are named and not continued.
 */
async function runUnfinished(context: IntegrationContext, options: PlanOptions) {
  const own = newOwnPlan(context.repository.root);
  if (own !== undefined) return runFile(context, own, options, false);
  const ran = new Set<string>();
  const told: RunTold[] = [];
  for (;;) {
    const unfinished = await unfinishedPlans(context.engine, context.repository.root);
    const elsewhere = unfinished.flatMap(({ session }) => beganElsewhere(context, session)?.why ?? []);
    const plans = unfinished.filter(({ session }) => beganElsewhere(context, session) === undefined);
    if (ran.size === 0 && plans.length > 0)
      for (const why of elsewhere) context.onProgress(`${why}: not continued`);
    const next = plans.find(({ session, canMove }) => canMove && !ran.has(session));
    if (next === undefined && told.length > 0) return reportTogether(told);
    const one = await runFile(
      context,
      (next ?? plans[0] ?? unfinished[0])?.file ?? "tasks.yaml",
      options,
      false,
    ).catch((error: unknown) => ({ error }));
    if ("error" in one) return afterFault(told, { name: next?.session ?? "", error: one.error });
    if (!("outcome" in one)) return one;
    told.push(one);
    if (next === undefined || options.again === true || !mayContinue(one)) return reportTogether(told);
    ran.add(next.session);
  }
}

/** The sessions that ran before the fault are still reported. */
function afterFault(told: readonly RunTold[], { name, error }: { name: string; error: unknown }) {
  if (told.length === 0) throw error;
  const report = reportTogether(told);
  return { ...report, exit: 1, refusals: [...report.refusals, { name, refused: faultVerdict(error) }] };
}

/** False if the person stopped the run, or if the base is red, which would stop the other sessions too. */
function mayContinue({ outcome, refusals }: RunTold): boolean {
  return outcome !== "stopped" && outcome !== "running" && refusals.length === 0;
}
