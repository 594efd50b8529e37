import type { ProofRequest } from "../../../core/proof/proof-request.ts";
import {
  finishProof,
  type OfferedProof,
  offeredProofs,
  takeProof,
} from "../../../engine/landing/shared-proofs.ts";
import type { Prover } from "../../../proof/prover.ts";
import { keepInventory } from "../../../proof/reuse.ts";
import { thisMachine } from "../../../workspace/state/this-machine.ts";
import { openProver } from "../checks/open-prover.ts";
import type { IntegrationContext } from "../integration.ts";
import { fetchForProof } from "../integration-ref.ts";
import { keepRole } from "../move/keep-role.ts";

export interface ProofHelp extends Pick<IntegrationContext, "engine" | "call" | "onProgress"> {
  /** The name of this machine. */
  readonly machine: string;
  /** How many machines may take runs at the same time. */
  helpers(): number;
  /** A prover with portable evidence that offers nothing itself. */
  openProver(): Promise<Prover>;
  /** Fetches a ref of the remote. False if it does not lead to the commit. */
  fetchCommit(request: Pick<ProofRequest, "ref" | "commit">): Promise<boolean>;
}

/** The help of this process, in its own clone. */
export function openProofHelp(
  context: Pick<IntegrationContext, "engine" | "call" | "config" | "repository" | "onProgress">,
  helpers: () => number,
): ProofHelper {
  return new ProofHelper({
    ...{ ...context, helpers },
    machine: thisMachine().name,
    openProver: () => openProver(context),
    fetchCommit: (request) => fetchForProof(context, request),
  });
}

/** Does runs of checks for the integrators of other machines. */
export class ProofHelper {
  readonly #with: ProofHelp;
  /** Requests that this machine cannot do: its tools differ, or the commit is gone. */
  readonly #skipped = new Set<string>();

  constructor(help: ProofHelp) {
    this.#with = help;
  }

  /** Whether a run waits that this machine may be able to do. */
  async isAsked(): Promise<boolean> {
    return (await this.#waiting()).length > 0;
  }

  /** Does one of the oldest runs that wait, if this machine can. Returns whether it did one. `stop` ends the run. */
  async helpOnce(stop?: AbortSignal): Promise<boolean> {
    while (stop?.aborted !== true) {
      const request = this.#pick(await this.#waiting());
      if (request === undefined) return false;
      if (await this.#help(request, stop)) return true;
    }
    return false;
  }

  /**
   * One of the oldest runs. Machines that are free at the same time would all prepare the oldest one, and only one of
   * them could take it. Runs of other commands wait: the integrator has offered the longest ones first.
   */
  #pick([oldest, ...others]: readonly OfferedProof[]): ProofRequest | undefined {
    if (oldest === undefined) return undefined;
    const same = others.filter(({ request }) => request.command === oldest.request.command);
    const alike = [oldest, ...same].slice(0, Math.max(1, this.#with.helpers()));
    return alike[Math.floor(Math.random() * alike.length)]?.request;
  }

  async #waiting(): Promise<readonly OfferedProof[]> {
    const { engine, machine } = this.#with;
    return (await offeredProofs(engine)).filter(
      ({ request: { id, result, not }, isTaken }) =>
        result === null && not !== machine && !isTaken && !this.#skipped.has(id),
    );
  }

  async #help(request: ProofRequest, stop: AbortSignal | undefined): Promise<boolean> {
    const { engine, call, machine, onProgress } = this.#with;
    const { id, commit, command, change } = request;
    const cannot = (why: string): false => {
      this.#skipped.add(id);
      onProgress(`cannot run \`${command}\` for another machine: ${why}`);
      return false;
    };
    if (!(await this.#with.fetchCommit(request))) return cannot(`commit ${commit.slice(0, 12)} is gone`);
    await using prover = await this.#with.openProver();
    const key = await prover.keyOf(commit, command, change ?? undefined);
    if (key !== request.key)
      return cannot("the versions of its tools, its platform or its included files differ");
    const held = await takeProof(engine, id, call);
    if (typeof held === "string") return false;
    await using kept = keepRole({ engine, call }, held);
    const end = AbortSignal.any([kept.lost, ...(stop === undefined ? [] : [stop])]);
    end.addEventListener("abort", () => prover.stop());
    onProgress(`running for another machine: ${command}`, "running");
    const proven = await prover.run(commit, command, change ?? undefined);
    if (end.aborted) return false; // its result is no longer needed, or another machine does the run
    if ("error" in proven) return cannot(proven.error);
    const { log: _log, ...run } = proven.run;
    const packed = keepInventory(proven.inventory);
    if (packed === undefined) return cannot("its list of tests is too long to send");
    const result = { machine, run, inventory: packed.inventory ?? null };
    await finishProof(engine, { id, held, result }, call);
    engine.ledger.hints?.give();
    return true;
  }
}
