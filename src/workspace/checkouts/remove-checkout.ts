import { randomBytes } from "node:crypto";
import { existsSync, readdirSync, renameSync } from "node:fs";
import { dirname, join } from "node:path";
import { taskKey } from "../../core/names/task-name.ts";
import { quoted } from "../../core/text/quoted.ts";
import { changeRefs } from "../git/ref-writer.ts";
import { readTaskRefs } from "./attempt-refs.ts";
import { type Checkout, repositoryFolder } from "./checkout.ts";
import { giveToPool } from "./checkout-pool.ts";
import { deleteLater } from "./delete-later.ts";
import { type KeepOptions, type Kept, keepAll } from "./keep-everything.ts";

/** The suffix of removed checkouts. Their content is kept elsewhere, so they can be deleted at any time. */
const removedSuffix = ".removed";

/** What is kept of a checkout that was removed, or why it could not be: then it stays as it is. */
export type Removal = { readonly kept: readonly Kept[] } | { readonly fault: Error };

/** Deletes a checkout after all its work is kept. If that fails, nothing is deleted. */
export async function removeCheckout(
  checkout: Checkout,
  options: KeepOptions = {},
): Promise<readonly Kept[]> {
  const [removal = { kept: [] }] = await removeCheckouts([checkout], options);
  if ("fault" in removal) throw removal.fault;
  return removal.kept;
}

/** Deletes several checkouts of one repository. One that cannot be kept stays, and the others are deleted. */
export async function removeCheckouts(
  checkouts: readonly Checkout[],
  options: KeepOptions = {},
): Promise<readonly Removal[]> {
  const [first] = checkouts;
  if (first === undefined) return [];
  const { commonFolder } = first;
  const known = await readTaskRefs(commonFolder, checkouts);
  const tried = [];
  for (const { of: checkout, ...before } of known)
    tried.push({ checkout, how: await orFault(() => keepAll(checkout, before, options)) });
  const finished = tried.flatMap(({ how }) =>
    "fault" in how ? [] : how.bases.map(({ ref, object }) => ({ ref, to: undefined, from: object })),
  );
  await changeRefs(repositoryFolder(commonFolder), finished);
  const removals = tried.map(({ checkout, how }) => ("fault" in how ? how : setAside(checkout, how.kept)));
  deleteLater(removedIn(dirname(dirname(first.folder))));
  return removals;
}

/** Says that a checkout could not be removed. */
export function staysText({ session, task, folder }: Checkout, { message }: Error): string {
  const name = quoted(taskKey(session, task));
  return `the checkout of ${name} could not be removed and stays in ${quoted(folder, 300)}: ${message}`;
}

async function orFault<Result>(act: () => Promise<Result>): Promise<Result | { readonly fault: Error }> {
  try {
    return await act();
  } catch (error) {
    return faultOf(error);
  }
}

function faultOf(error: unknown): { readonly fault: Error } {
  return { fault: error instanceof Error ? error : new Error(String(error)) };
}

/** Renames a checkout for deletion. One in which only sandboxed agents have worked can be used again. */
function setAside({ commonFolder, folder, isContained }: Checkout, kept: readonly Kept[]): Removal {
  const slot = dirname(folder);
  if (!existsSync(slot)) return { kept };
  const removed = `${slot}-${randomBytes(4).toString("hex")}${removedSuffix}`;
  try {
    renameSync(slot, removed);
    if (isContained) giveToPool(commonFolder, removed);
    return { kept };
  } catch (error) {
    return faultOf(error);
  }
}

/** The checkouts to delete, including those of an earlier removal that was interrupted. */
function removedIn(attempts: string): readonly string[] {
  const names = existsSync(attempts) ? readdirSync(attempts).filter(isRemoved) : [];
  return names.map((name) => join(attempts, name));
}

export function isRemoved(name: string): boolean {
  return name.endsWith(removedSuffix);
}
