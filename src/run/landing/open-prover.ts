import { ledgerReuse } from "../../engine/landing/reuse-evidence.ts";
import { Prover } from "../../proof/prover.ts";
import type { IntegrationContext } from "./integration.ts";

export interface ProverContext extends Pick<IntegrationContext, "config" | "onProgress"> {
  readonly engine: Pick<IntegrationContext["engine"], "ledger" | "clock">;
  readonly repository: Pick<IntegrationContext["repository"], "root" | "commonFolder">;
}

/** A prover with the configured set-up, environment and sandbox. Reports if the sandbox is not available. */
export async function openProver({ engine, repository, config, onProgress }: ProverContext): Promise<Prover> {
  const { setup, include, env_pass: envPass, home } = config.workspace;
  const prover = await Prover.open({
    ...repository,
    ...{ setup, include, envPass, home, onProgress },
    sandbox: config.sandbox,
    proofsMax: config.limits.max_proofs ?? 1,
    reuse: ledgerReuse(engine),
  });
  const { missing } = prover.isolation;
  if (missing !== undefined) onProgress(`checks run without a sandbox: ${missing}`);
  return prover;
}
