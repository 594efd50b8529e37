import type { ProofRequest, ProofResult } from "../core/proof/proof-request.ts";

/** Lets other machines do runs of this prover. */
export interface ProofSharing {
  /** Undefined if the run cannot be offered; it is then done here. */
  offer(
    run: Pick<ProofRequest, "key" | "commit" | "command" | "change" | "not">,
  ): Promise<SharedRun | undefined>;
}

/** open: no machine does the run. taken: another machine does it. */
export type SharedState = "open" | "taken" | ProofResult;

/** A run that this machine or another one does. Disposing it withdraws it. */
export interface SharedRun extends AsyncDisposable {
  /** Takes the run for this machine. False if another one has taken it. */
  take(): Promise<boolean>;
  until(isReached: (state: SharedState) => boolean): Promise<SharedState>;
  /** Gives other machines a moment to take the run. */
  letOthers(): Promise<void>;
}
