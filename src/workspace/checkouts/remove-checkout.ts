import { randomBytes } from "node:crypto";
import { existsSync, readdirSync, renameSync } from "node:fs";
import { dirname, join } from "node:path";
import { changeRefs } from "../git/ref-writer.ts";
import { readTaskRefs } from "./attempt-refs.ts";
import { type Checkout, repositoryFolder } from "./checkout.ts";
import { giveToPool } from "./checkout-pool.ts";
import { deleteLater } from "./delete-later.ts";
import { type KeepOptions, type Kept, keepAll } from "./keep-everything.ts";

/** The suffix of removed checkouts. Their content is kept elsewhere, so they can be deleted at any time. */
const removedSuffix = ".removed";

/** Deletes a checkout after all its work is kept. If that fails, nothing is deleted. */
export async function removeCheckout(
  checkout: Checkout,
  options: KeepOptions = {},
): Promise<readonly Kept[]> {
  const [kept = []] = await removeCheckouts([checkout], options);
  return kept;
}

/** Deletes several checkouts of one repository. If one cannot be kept, it and the following ones stay. */
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
    const finished = done.flatMap(({ bases }) =>
      bases.map(({ ref, object }) => ({ ref, to: undefined, from: object })),
    );
    await changeRefs(repositoryFolder(commonFolder), finished);
    for (const { checkout } of done) setAside(checkout);
    deleteLater(removedIn(dirname(dirname(first.folder))));
  }
  return done.map(({ kept }) => kept);
}

/** Renames a checkout for deletion. One in which only sandboxed agents have worked can be used again. */
function setAside({ commonFolder, folder, isContained }: Checkout): void {
  const slot = dirname(folder);
  if (!existsSync(slot)) return;
  const removed = `${slot}-${randomBytes(4).toString("hex")}${removedSuffix}`;
  renameSync(slot, removed);
  if (isContained) giveToPool(commonFolder, removed);
}

/** The checkouts to delete, including those of an earlier removal that was interrupted. */
function removedIn(attempts: string): readonly string[] {
  const names = existsSync(attempts) ? readdirSync(attempts).filter(isRemoved) : [];
  return names.map((name) => join(attempts, name));
}

export function isRemoved(name: string): boolean {
  return name.endsWith(removedSuffix);
}
