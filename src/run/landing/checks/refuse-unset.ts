import type { CheckRun } from "../../../core/proof/check-record.ts";
import { missingIn, missingSetup } from "../../../core/proof/missing-setup.ts";
import { type Deny, deny } from "../../../core/rules/verdict.ts";
import type { Prover } from "../../../proof/prover.ts";

/**
 * A check failed on the base because a program or package is missing, and no setup was configured or found: the
 * refusal names the setup. Undefined if the check failed for another reason.
 */
export async function refuseUnset(
  prover: Prover,
  base: string,
  { command, run }: { readonly command: string; readonly run: CheckRun },
): Promise<Deny | undefined> {
  const plan = await prover.setupOf(base);
  if (plan === undefined || plan.commands.length > 0) return undefined;
  const missing = missingIn(run.exit, `${run.excerpt ?? ""}\n${run.tail}`);
  if (missing === undefined) return undefined;
  const { why, next } = plan;
  return deny("R-PC-003", missingSetup(command, missing, plan), {
    ...{ command, missing: missing.what, setup: { why, next } },
  });
}
