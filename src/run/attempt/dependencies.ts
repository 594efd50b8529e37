import { readSetup } from "../../proof/read-setup.ts";
import { copyDependencies } from "../../workspace/checkouts/copy-dependencies.ts";
import { openProver } from "../landing/checks/open-prover.ts";
import type { IntegrationContext } from "../landing/integration.ts";

/** Installs dependencies once for each set of manifests, in a proof checkout, and copies them to agents' checkouts. */
export class Dependencies {
  readonly #context: IntegrationContext;
  #last: Promise<unknown> = Promise.resolve();

  constructor(context: IntegrationContext) {
    this.#context = context;
  }

  /** Returns why they cannot be installed; undefined on success. One at a time, because the checkout is shared. */
  install(commit: string, folder: string): Promise<string | undefined> {
    const next = this.#last.then(() => this.#install(commit, folder));
    this.#last = next.catch(() => undefined); // its own caller gets the error
    return next;
  }

  async #install(commit: string, folder: string): Promise<string | undefined> {
    const { config, repository } = this.#context;
    const setup = await readSetup(repository.root, commit, config.workspace);
    if (setup === undefined || setup.commands.length === 0) return undefined;
    using prover = await openProver(this.#context);
    const copied = await prover.inTree(commit, (installed) => copyDependencies(installed, folder));
    return "error" in copied ? copied.error : undefined;
  }
}
