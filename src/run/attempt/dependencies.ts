import { readSetup } from "../../proof/read-setup.ts";
import { copyDependencies } from "../../workspace/checkouts/copy-dependencies.ts";
import type { IntegrationContext } from "../landing/integration.ts";
import { openProver } from "../landing/open-prover.ts";

/** Installed once for each set of manifests, in a place of its own, and copied to every agent that needs them. */
export class Dependencies {
  readonly #context: IntegrationContext;
  #last: Promise<unknown> = Promise.resolve();

  constructor(context: IntegrationContext) {
    this.#context = context;
  }

  /** Why they cannot be had; undefined where they are there. One at a time: the place is shared. */
  install(commit: string, folder: string): Promise<string | undefined> {
    const next = this.#last.then(() => this.#install(commit, folder));
    this.#last = next.catch(() => undefined); // its own caller hears of it
    return next;
  }

  async #install(commit: string, folder: string): Promise<string | undefined> {
    const { config, repository } = this.#context;
    const setup = await readSetup(repository.root, commit, config.workspace);
    if (setup === undefined || setup.commands.length === 0) return undefined;
    using prover = await openProver(this.#context);
    const prepared = await prover.prepare(commit);
    if ("error" in prepared) return prepared.error;
    await copyDependencies(prover.folder, folder);
    return undefined;
  }
}
