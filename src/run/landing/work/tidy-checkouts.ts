import { isKeptOrIgnored } from "../../../core/names/ref-names.ts";
import { taskKey } from "../../../core/names/task-name.ts";
import type { Checkout } from "../../../workspace/checkouts/checkout.ts";
import { trimPool } from "../../../workspace/checkouts/checkout-pool.ts";
import { listCheckouts } from "../../../workspace/checkouts/list-checkouts.ts";
import { removeCheckouts, staysText } from "../../../workspace/checkouts/remove-checkout.ts";
import type { IntegrationContext } from "../integration.ts";

type TidyContext = Pick<IntegrationContext, "engine" | "repository" | "config">;

/** Tidies in the background, so that no integration waits for it. */
export class Tidier implements AsyncDisposable {
  readonly #context: TidyContext & Pick<IntegrationContext, "onProgress">;
  #isWanted = false;
  #running: Promise<void> | undefined;

  constructor(context: TidyContext & Pick<IntegrationContext, "onProgress">) {
    this.#context = context;
  }

  readonly start = (): void => {
    this.#isWanted = true;
    this.#running ??= this.#tidy();
  };

  async #tidy(): Promise<void> {
    const { onProgress } = this.#context;
    while (this.#isWanted) {
      this.#isWanted = false;
      try {
        for (const line of await tidyCheckouts(this.#context)) onProgress(line);
      } catch (error) {
        // The work is merged; `lockstep clean` removes what is left.
        onProgress(`checkouts of finished tasks could not be removed: ${(error as Error).message}`);
      }
    }
    this.#running = undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#running;
  }
}

/**
 * Removes the checkouts of tasks that are over, after everything in them is kept on a ref (INV-9: no work is lost).
 * Returns lines that say what was kept, and where.
 */
async function tidyCheckouts({
  engine: { ledger },
  repository: { commonFolder },
  config,
}: TidyContext): Promise<readonly string[]> {
  const over: { readonly checkout: Checkout; readonly key: string; readonly isMerged: boolean }[] = [];
  for (const { checkout } of listCheckouts(commonFolder)) {
    if (checkout === undefined) continue;
    const { session, task } = checkout;
    const key = taskKey(session, task);
    const state = (await ledger.task(key))?.state;
    if (state === "MERGED" || state === "FAILED") over.push({ checkout, key, isMerged: state === "MERGED" });
  }
  const removed = await removeCheckouts(over.map(({ checkout }) => checkout));
  trimPool(commonFolder, config.workspace.keep * 2 ** 30);
  return over.flatMap(({ checkout, key, isMerged }, at) => {
    const removal = removed[at] ?? { kept: [] };
    if ("fault" in removal) return [staysText(checkout, removal.fault)];
    return (
      removal.kept
        // Merged work needs no message; other content of the checkout does.
        .filter(({ ref }) => !isMerged || isKeptOrIgnored(ref))
        .map(({ holds, command }) => `removed the checkout of \`${key}\`; ${holds} is kept: ${command}`)
    );
  });
}
