import { copyFileSync, lstatSync, mkdirSync, renameSync, rmSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { AttemptName } from "../../core/names/ref-names.ts";
import { branchOf } from "../../core/names/ref-names.ts";
import { quoted } from "../../core/text/quoted.ts";
import { removeFolder } from "../files/remove-folder.ts";
import { people } from "../git/commit-writer.ts";
import { git } from "../git/run-git.ts";
import { readTop } from "../git/tree-entries.ts";
import {
  type Checkout,
  CheckoutFault,
  digestOf,
  ownIndex,
  placesIn,
  repositoryFolder,
  writeRecord,
} from "./checkout.ts";
import { isAsIndexed, keepPristine, takeFromPool } from "./checkout-pool.ts";
import { copyIncluded, readIncluded } from "./included-files.ts";
import { rememberIndex } from "./known-index.ts";
import { makeRepository, newConfig, shareObjects, writeBranch, writePerson } from "./new-repository.ts";
import { ownGit, refusedFilters } from "./own-git.ts";
import { liesBehindLink } from "./walk-tree.ts";

export interface CheckoutPlan {
  readonly commonFolder: string;
  readonly slot: string;
  readonly name: AttemptName;
  readonly base: string;
  /** What is checked out: the base, or earlier work on it. */
  readonly start: string;
  /** Where untracked files are copied from, and which. */
  readonly root: string;
  readonly include: readonly string[];
  readonly isContained: boolean;
}

/**
 * What `git clone --shared` makes, but for the remote and its refs: its cost does not grow with them, and there is
 * nothing to push to. It gets its name when it is whole, so that a half-made one is never taken for one.
 */
export async function makeCheckout(plan: CheckoutPlan): Promise<Checkout> {
  const { commonFolder, slot, name, base, start, root, include, isContained } = plan;
  const places = placesIn(slot);
  const making = join(slot, "making");
  mkdirSync(places.temporary, { recursive: true, mode: 0o700 });
  const index = ownIndex(places);
  const [{ author }] = await Promise.all([
    people(repositoryFolder(commonFolder)),
    newConfig({ folder: slot, bare: false, like: base }),
    writeFiles(plan, making, index),
  ]);
  const branch = branchOf(name.task);
  const gitFolder = join(making, ".git");
  await makeRepository({ gitFolder, branch, like: base });
  writePerson(gitFolder, author);
  shareObjects(gitFolder, commonFolder);
  copyFileSync(index, join(gitFolder, "index"));
  rememberIndex(index, { parent: start, tree: (await readTop(repositoryFolder(commonFolder), start)).id });
  writeBranch(gitFolder, branch, start);
  const included = await copyNew(root, making, include);
  const checkout: Checkout = { ...name, ...places, commonFolder, base, included, isContained };
  writeRecord(checkout);
  renameSync(making, places.folder);
  return checkout;
}

/** The files of `start`, and the index that describes them: those of a pooled checkout as far as they are the same. */
async function writeFiles(
  { commonFolder, slot, base, start, isContained }: CheckoutPlan,
  making: string,
  index: string,
): Promise<void> {
  // A filter that runs on the base runs nothing that an agent wrote.
  const filters = start === base ? "run" : "refuse";
  const own = () => ownGit({ commonFolder, folder: making }, { index, filters });
  const write = async () => git(making, ["read-tree", "--reset", "-u", start], await own());
  const clear = () => {
    removeFolder(making);
    rmSync(index, { force: true });
  };
  const isPooled = async () => {
    try {
      if (!(await takeFromPool({ commonFolder, slot, folder: making, index, start, own }))) return false;
      await write();
      return await isAsIndexed(making, await own());
    } catch {
      return false; // a new checkout does not depend on what is wrong with this one
    }
  };
  clear();
  if (!isContained || !(await isPooled())) {
    clear();
    mkdirSync(making);
    await write();
  }
  if ((await refusedFilters(commonFolder)).length > 0) await settle(index);
  await keepPristine(slot, { commit: start, commonFolder, index });
}

/**
 * Git does not trust files of the same second as its index: it would read them again, with the filters that are
 * refused then. Nobody changes them yet, so the index may be a second newer.
 */
async function settle(index: string): Promise<void> {
  await sleep(1_100);
  const now = new Date();
  utimesSync(index, now, now);
}

/** The digests of the files that were copied; of folders that tools fill nothing is kept. */
async function copyNew(
  root: string,
  folder: string,
  include: readonly string[],
): Promise<Record<string, string>> {
  const found = readIncluded(root, include);
  if ("error" in found) throw new CheckoutFault(found.error);
  const isNew = ({ path }: { readonly path: string }) =>
    lstatSync(join(folder, path), { throwIfNoEntry: false }) === undefined;
  const [files, folders] = [found.files.filter(isNew), found.folders.filter(isNew)];
  const behind = [...files, ...folders].find(({ path }) => liesBehindLink(folder, path));
  if (behind !== undefined)
    throw new CheckoutFault(
      `${quoted(behind.path)} in \`workspace.include\` lies behind a link: list the file itself`,
    );
  await copyIncluded({ root, files, folders }, folder);
  return Object.fromEntries(files.map(({ path, bytes }) => [path, digestOf(bytes)]));
}
