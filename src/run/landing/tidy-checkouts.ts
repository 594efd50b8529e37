import { isKeptOrIgnored } from "../../core/names/ref-names.ts";
import { taskKey } from "../../core/names/task-name.ts";
import type { Checkout } from "../../workspace/checkouts/checkout.ts";
import { trimPool } from "../../workspace/checkouts/checkout-pool.ts";
import { listCheckouts } from "../../workspace/checkouts/list-checkouts.ts";
import { removeCheckouts } from "../../workspace/checkouts/remove-checkout.ts";
import type { IntegrationContext } from "./integration.ts";

/**
 * Removes the checkouts of tasks that are over, after everything in them is kept on a ref (INV-9: no work is lost).
 * Returns lines that say what was kept, and where.
 */
export async function tidyCheckouts({
  engine: { ledger },
  repository: { commonFolder },
  config,
}: Pick<IntegrationContext, "engine" | "repository" | "config">): Promise<readonly string[]> {
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
  return over.flatMap(({ key, isMerged }, at) =>
    (removed[at] ?? [])
      // Merged work needs no message; other content of the checkout does.
      .filter(({ ref }) => !isMerged || isKeptOrIgnored(ref))
      .map(({ holds, command }) => `removed the checkout of \`${key}\`; ${holds} is kept: ${command}`),
  );
}
