import { join } from "node:path";
import type { CheckRun } from "../../core/proof/check-record.ts";
import { type Deny, deny } from "../../core/rules/verdict.ts";
import type { Prover } from "../../proof/prover.ts";
import type { RecordedCheck } from "../../workspace/state/check-outputs.ts";
import { openProver } from "../landing/checks/open-prover.ts";
import { flakyBase, printed, projectChecks } from "../landing/checks/prove-checks.ts";
import { refuseUnset } from "../landing/checks/refuse-unset.ts";
import { refusedWrite } from "../landing/checks/refused-write.ts";
import { gateCommands, needConventions } from "../landing/checks/run-gate.ts";
import { settledRun, tryCheck } from "../landing/checks/try-check.ts";
import { recordChecks } from "../landing/evidence/record-proofs.ts";
import type { IntegrationContext } from "../landing/integration.ts";

/** A project check that fails on the base. */
export interface RedCheck {
  readonly command: string;
  readonly run: CheckRun;
}

/**
 * Runs the project's checks on the base before any agent is started. A pass is reused by the first integration. If a
 * check fails, no work could be verified, so the run is refused unless `--allow-red` compares failures. Throws the
 * reason of `end` once that is aborted and the check at work has ended.
 */
export async function checkBase(
  context: IntegrationContext,
  end?: AbortSignal,
): Promise<readonly RedCheck[] | Deny> {
  const { repository, config, onProgress, allowRed = false } = context;
  const { root, base, baseCommit } = repository;
  await needConventions(root, baseCommit);
  const listed = [...config.checks.default, ...config.checks.full];
  const own = await projectChecks(root, baseCommit, listed);
  const commands = [...own.map(({ command }) => command), ...gateCommands(config.gate)];
  if (commands.length === 0) return [];
  using prover = await openProver(context);
  end?.addEventListener("abort", () => prover.stop(), { once: true });
  const red: RedCheck[] = [];
  for (const command of new Set(commands)) {
    end?.throwIfAborted();
    onProgress(`running on \`${base}\`: ${command}`, "running");
    const tried = await tryCheck(prover, { commit: baseCommit, command, onProgress });
    end?.throwIfAborted();
    if ("error" in tried) return deny("R-PC-003", tried.error, { command });
    const run = settledRun(tried);
    if (run.earlier !== undefined && !config.checks.flaky.includes(command))
      onProgress(flakyBase(command, run));
    if (run.exit === 0) continue;
    if (!allowRed) return await refused(context, prover, { command, run });
    red.push({ command, run });
  }
  return red;
}

/** Refuses the run. `lockstep log BASE` finds the output of the check. */
async function refused(
  { engine, repository, onProgress }: IntegrationContext,
  prover: Prover,
  { command, run }: RedCheck,
): Promise<Deny> {
  const { base, baseCommit, commonFolder } = repository;
  const check: RecordedCheck = { command, on: "base", outcome: "fail", exit: run.exit, log: run.log ?? null };
  await recordChecks({ engine, stateFolder: join(commonFolder, "lockstep"), onProgress }, { branch: base }, [
    check,
  ]);
  const unset = await refuseUnset(prover, baseCommit, { command, run });
  const details = { command, exit: run.exit, ...printed(run), check: 1 };
  if (unset !== undefined) return { ...unset, details: { ...unset.details, ...details } };
  const reason =
    refusedWrite(prover, { command, base: `\`${base}\``, run }) ??
    `\`${command}\` already fails on \`${base}\` (exit ${run.exit}), so nothing can be verified: fix \`${base}\` first, or pass --allow-red to tolerate checks that fail the same way before and after`;
  return deny("R-GT-001", reason, details);
}
