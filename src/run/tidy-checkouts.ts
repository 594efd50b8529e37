import type { Engine } from "../engine/engine.ts";
import { listCheckouts } from "../workspace/checkouts/list-checkouts.ts";
import { removeCheckout } from "../workspace/checkouts/remove-checkout.ts";

/** Checkouts of tasks that are over go, once everything in them is on a ref; says what was kept, and where (INV-9). */
export async function tidyCheckouts({ ledger }: Engine, commonFolder: string): Promise<readonly string[]> {
  const told: string[] = [];
  for (const { checkout } of listCheckouts(commonFolder)) {
    if (checkout === undefined) continue;
    const { session, task } = checkout;
    const found = await ledger.task(session === null ? task : `${session}/${task}`);
    if (found?.state !== "MERGED" && found?.state !== "FAILED") continue;
    // What was merged needs no word; what was in the checkout besides does.
    for (const { ref, holds, command } of await removeCheckout(checkout))
      if (found.state !== "MERGED" || /-(?:kept|ignored)(?:\/|$)/.test(ref))
        told.push(`removed the checkout of \`${found.key}\`; ${holds} is kept: ${command}`);
  }
  return told;
}
