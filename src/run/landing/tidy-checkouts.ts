import { isBesideWork } from "../../core/names/ref-names.ts";
import { taskKey } from "../../core/names/task-name.ts";
import type { Engine } from "../../engine/change/engine.ts";
import type { Checkout } from "../../workspace/checkouts/checkout.ts";
import { listCheckouts } from "../../workspace/checkouts/list-checkouts.ts";
import { removeCheckouts } from "../../workspace/checkouts/remove-checkout.ts";

/** Checkouts of tasks that are over go, once everything in them is on a ref; says what was kept, and where (INV-9). */
export async function tidyCheckouts({ ledger }: Engine, commonFolder: string): Promise<readonly string[]> {
  const over: { readonly checkout: Checkout; readonly key: string; readonly isMerged: boolean }[] = [];
  for (const { checkout } of listCheckouts(commonFolder)) {
    if (checkout === undefined) continue;
    const { session, task } = checkout;
    const key = taskKey(session, task);
    const state = (await ledger.task(key))?.state;
    if (state === "MERGED" || state === "FAILED") over.push({ checkout, key, isMerged: state === "MERGED" });
  }
  const removed = await removeCheckouts(over.map(({ checkout }) => checkout));
  return over.flatMap(({ key, isMerged }, at) =>
    (removed[at] ?? [])
      // What was merged needs no word; what was in the checkout besides does.
      .filter(({ ref }) => !isMerged || isBesideWork(ref))
      .map(({ holds, command }) => `removed the checkout of \`${key}\`; ${holds} is kept: ${command}`),
  );
}
