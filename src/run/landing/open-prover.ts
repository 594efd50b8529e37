import { availableParallelism } from "node:os";
import { ledgerReuse } from "../../engine/landing/reuse-evidence.ts";
import { Prover } from "../../proof/prover.ts";
import type { IntegrationContext } from "./integration.ts";

export interface ProverContext extends Pick<IntegrationContext, "config" | "onProgress"> {
  readonly engine: Pick<IntegrationContext["engine"], "ledger" | "clock">;
  readonly repository: Pick<IntegrationContext["repository"], "root" | "commonFolder">;
}

/** Checks as the configuration wants them; what no sandbox keeps from them is said. */
export async function openProver({ engine, repository, config, onProgress }: ProverContext): Promise<Prover> {
  const { setup, include, env_pass: envPass, home } = config.workspace;
  const prover = await Prover.open({
    ...repository,
    ...{ setup, include, envPass, home, onProgress },
    sandbox: config.sandbox,
    proofsMax: config.limits.max_proofs ?? Math.max(1, Math.floor(availableParallelism() / 2)),
    reuse: ledgerReuse(engine),
  });
  const { missing } = prover.walls;
  if (missing !== undefined) onProgress(`checks run without a sandbox: ${missing}`);
  return prover;
}
