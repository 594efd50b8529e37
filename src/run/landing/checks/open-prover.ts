import { ledgerReuse } from "../../../engine/landing/reuse-evidence.ts";
import type { ProofSharing } from "../../../proof/proof-sharing.ts";
import { Prover } from "../../../proof/prover.ts";
import { thisMachine } from "../../../workspace/state/this-machine.ts";
import type { IntegrationContext } from "../integration.ts";
import { provesTogether } from "../integration-ref.ts";

export interface ProverContext extends Pick<IntegrationContext, "config" | "onProgress"> {
  readonly engine: Pick<IntegrationContext["engine"], "ledger" | "clock" | "machine">;
  readonly repository: Pick<IntegrationContext["repository"], "root" | "commonFolder">;
}

/**
 * A prover with the configured setup, environment and sandbox. Reports if the sandbox is not available. `share` lets
 * other machines do its runs.
 */
export async function openProver(context: ProverContext, share?: ProofSharing): Promise<Prover> {
  const { engine, repository, config, onProgress } = context;
  const { setup, include, env_pass: envPass, home } = config.workspace;
  const prover = await Prover.open({
    ...repository,
    ...{ setup, include, envPass, home, onProgress },
    sandbox: config.sandbox,
    proofsMax: config.limits.max_proofs ?? 1,
    reuse: ledgerReuse(engine),
    ...(provesTogether(context) ? { isPortable: true, machine: thisMachine().name } : {}),
    ...(share === undefined ? {} : { share }),
  });
  const { missing } = prover.isolation;
  if (missing !== undefined) onProgress(`checks run without a sandbox: ${missing}`);
  return prover;
}
