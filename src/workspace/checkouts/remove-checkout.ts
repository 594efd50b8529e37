import { randomBytes } from "node:crypto";
import { existsSync, readdirSync, renameSync } from "node:fs";
import { dirname, join } from "node:path";
import { changeRefs } from "../git/ref-writer.ts";
import { readTaskRefs } from "./attempt-refs.ts";
import { type Checkout, repositoryFolder } from "./checkout.ts";
import { giveToPool } from "./checkout-pool.ts";
import { deleteLater } from "./delete-later.ts";
import { type KeepOptions, type Kept, keepAll } from "./keep-everything.ts";

/** Marks what was kept whole before it got this name, so that it may be deleted at any time. */
const doomed = ".removed";

/** Deletes a checkout after everything in it was kept; where that fails, nothing is deleted. */
export async function removeCheckout(
  checkout: Checkout,
  options: KeepOptions = {},
): Promise<readonly Kept[]> {
  const [kept = []] = await removeCheckouts([checkout], options);
  return kept;
}

/** Several of one repository; one that cannot be kept stays, and so do those after it. */
export async function removeCheckouts(
  checkouts: readonly Checkout[],
  options: KeepOptions = {},
): Promise<readonly (readonly Kept[])[]> {
  const [first] = checkouts;
  if (first === undefined) return [];
  const { commonFolder } = first;
  const known = await readTaskRefs(commonFolder, checkouts);
  const done: (Awaited<ReturnType<typeof keepAll>> & { readonly checkout: Checkout })[] = [];
  try {
    for (const { of: checkout, ...before } of known)
      done.push({ checkout, ...(await keepAll(checkout, before, options)) });
  } finally {
    const over = done.flatMap(({ bases }) =>
      bases.map(({ ref, object }) => ({ ref, to: undefined, from: object })),
    );
    await changeRefs(repositoryFolder(commonFolder), over);
    for (const { checkout } of done) doom(checkout);
    deleteLater(doomedIn(dirname(dirname(first.folder))));
  }
  return done.map(({ kept }) => kept);
}

/** What only agents in the sandbox have worked in can be used again. */
function doom({ commonFolder, folder, isContained }: Checkout): void {
  const slot = dirname(folder);
  if (!existsSync(slot)) return;
  const gone = `${slot}-${randomBytes(4).toString("hex")}${doomed}`;
  renameSync(slot, gone);
  if (isContained) giveToPool(commonFolder, gone);
}

/** Also those of an earlier removal that did not come to its end. */
function doomedIn(attempts: string): readonly string[] {
  const names = existsSync(attempts) ? readdirSync(attempts).filter(isDoomed) : [];
  return names.map((name) => join(attempts, name));
}

export function isDoomed(name: string): boolean {
  return name.endsWith(doomed);
}
