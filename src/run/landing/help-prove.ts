import type { ProofRequest } from "../../core/proof/proof-request.ts";
import {
  finishProof,
  type OfferedProof,
  offeredProofs,
  takeProof,
} from "../../engine/landing/shared-proofs.ts";
import type { Prover } from "../../proof/prover.ts";
import { keepInventory } from "../../proof/reuse.ts";
import type { IntegrationContext } from "./integration.ts";
import { keepRole } from "./keep-role.ts";

export interface ProofHelp extends Pick<IntegrationContext, "engine" | "call" | "onProgress"> {
  /** The name of this machine. */
  readonly machine: string;
  /** A prover with portable evidence that offers nothing itself. */
  openProver(): Promise<Prover>;
  /** Fetches a ref of the remote. False if it does not lead to the commit. */
  fetchCommit(request: Pick<ProofRequest, "ref" | "commit">): Promise<boolean>;
}

/** Does runs of checks for the integrators of other machines. */
export class ProofHelper {
  readonly #with: ProofHelp;
  /** Requests that this machine cannot do: its tools differ, or the commit is gone. */
  readonly #skipped = new Set<string>();

  constructor(help: ProofHelp) {
    this.#with = help;
  }

  /** Does the oldest run that waits, if this machine can. Returns whether it did one. */
  async helpOnce(): Promise<boolean> {
    const { engine, machine } = this.#with;
    const isWaiting = ({ request: { id, result, not }, isTaken }: OfferedProof) =>
      result === null && not !== machine && !isTaken && !this.#skipped.has(id);
    for (const { request } of (await offeredProofs(engine)).filter(isWaiting))
      if (await this.#help(request)) return true;
    return false;
  }

  async #help(request: ProofRequest): Promise<boolean> {
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
    kept.lost.addEventListener("abort", () => prover.stop());
    onProgress(`running for another machine: ${command}`);
    const proven = await prover.run(commit, command, change ?? undefined);
    if (kept.lost.aborted) return false; // its result is no longer needed
    if ("error" in proven) return cannot(proven.error);
    const { log: _log, ...run } = proven.run;
    const packed = keepInventory(proven.inventory);
    if (packed === undefined) return cannot("its list of tests is too long to send");
    const result = { machine, run, inventory: packed.inventory ?? null };
    await finishProof(engine, { id, held, result }, call);
    return true;
  }
}
