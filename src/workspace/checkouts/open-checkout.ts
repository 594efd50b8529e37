import { existsSync, lstatSync, mkdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import type { AttemptName } from "../../core/names/ref-names.ts";
import { refsOf } from "../../core/names/ref-names.ts";
import { quoted } from "../../core/text/quoted.ts";
import { removeFolder } from "../files/remove-folder.ts";
import { keepOnRef } from "../git/refs.ts";
import { locksIn, removeStaleLocks } from "../git/stale-locks.ts";
import { hasBegun, type KeptRef, nothing, readTaskRefs } from "./attempt-refs.ts";
import {
  attemptsFolder,
  type Checkout,
  CheckoutFault,
  placesIn,
  readRecord,
  refuseReplaced,
  repositoryFolder,
  slotOf,
  writeRecord,
} from "./checkout.ts";
import { keepEverything } from "./keep-everything.ts";
import { makeCheckout } from "./make-checkout.ts";
import { excludedByDefault } from "./snapshot-tree.ts";

export interface OpenOptions extends AttemptName {
  readonly commonFolder: string;
  /** The main checkout, and the untracked files to copy from it. */
  readonly root: string;
  readonly include: readonly string[];
  /** The base of a new checkout; an existing one keeps its own. */
  readonly base: string;
  readonly exclude?: readonly string[];
  /** True if its agent works in the sandbox. */
  readonly isContained: boolean;
}

export interface OpenedCheckout {
  readonly checkout: Checkout;
  /** Messages for the user: that it was created again, and what was found. */
  readonly notes: readonly string[];
}

/** The checkout of an attempt: the unchanged one of the attempt before, or a new one. */
export async function openCheckout(options: OpenOptions): Promise<OpenedCheckout> {
  const { commonFolder, session, task, attempt } = options;
  refuseInsideWorkingTree(attemptsFolder(commonFolder));
  const slot = slotOf(commonFolder, options);
  const { folder, temporary } = placesIn(slot);
  for (const place of [slot, folder, temporary]) refuseReplaced(place);
  const record = readRecord(commonFolder, slot);
  const opened =
    record !== undefined && isWhole(folder)
      ? await findAgain({
          ...{ ...record, session, task, attempt },
          isContained: record.isContained && options.isContained,
        })
      : await make(options, slot, record);
  await keepOnRef(repositoryFolder(commonFolder), refsOf(options).base, opened.checkout.base);
  return opened;
}

async function findAgain(checkout: Checkout): Promise<OpenedCheckout> {
  const { folder, temporary } = checkout;
  const locks = locksIn(join(folder, ".git"));
  const removed = await removeStaleLocks({ folders: [folder], locks });
  mkdirSync(temporary, { recursive: true, mode: 0o700 });
  writeRecord(checkout);
  return {
    checkout,
    notes: removed.map((lock) => `removed the stale lock ${quoted(lock, 300)} of a git that has ended`),
  };
}

async function make(
  options: OpenOptions,
  slot: string,
  record: Checkout | undefined,
): Promise<OpenedCheckout> {
  const { commonFolder, session, task, attempt, root, include, isContained } = options;
  const name = { session, task, attempt };
  // A checkout that was removed on purpose has no base ref left: then the task starts anew.
  const vanished = await hasBegun(commonFolder, name);
  const isNew = !vanished && !existsSync(placesIn(slot).folder);
  const [{ bases, made } = nothing] = isNew ? [] : await readTaskRefs(commonFolder, [name]);
  const last = vanished ? lastWork(made) : undefined;
  const earlier = bases.find(({ ref }) => ref === (last && refsOf({ ...name, attempt: last.attempt }).base));
  const base = earlier?.object ?? options.base;
  mkdirSync(slot, { recursive: true, mode: 0o700 });
  const left = {
    ...placesIn(slot),
    ...name,
    commonFolder,
    base: record?.base ?? base,
    included: record?.included ?? {},
    isContained: false,
  };
  const notes = await keepLeft(left, made, options.exclude);
  const checkout = await makeCheckout({
    commonFolder,
    slot,
    name,
    base,
    start: last?.object ?? base,
    root,
    include,
    isContained,
  });
  if (vanished)
    notes.unshift(
      `the checkout of \`${task}\` was missing or damaged: created again from \`${last?.ref ?? base}\``,
    );
  return { checkout, notes };
}

/** The work of the latest attempt that has any. */
function lastWork(made: readonly KeptRef[]): (KeptRef & { readonly attempt: number }) | undefined {
  const works = made.flatMap((kept) => {
    const attempt = /\/(\d+)$/.exec(kept.ref)?.[1];
    return attempt === undefined ? [] : [{ ...kept, attempt: Number(attempt) }];
  });
  return works.sort((one, other) => other.attempt - one.attempt)[0];
}

/** Keeps the files of a damaged checkout, then removes it. */
async function keepLeft(
  left: Checkout,
  made: readonly KeptRef[],
  exclude = excludedByDefault,
): Promise<string[]> {
  if (!existsSync(left.folder)) return [];
  const kept = await keepEverything(left, { exclude });
  const known = new Set(made.map(({ ref }) => ref));
  const added = kept.filter(({ ref }) => !known.has(ref));
  removeFolder(left.folder);
  return added.map(({ ref, command }) => `its remaining files are on \`${ref}\`: run \`${command}\``);
}

/** True if everything that git needs is there. */
function isWhole(folder: string): boolean {
  const gitFolder = join(folder, ".git");
  if (!lstatSync(gitFolder, { throwIfNoEntry: false })?.isDirectory()) return false;
  return ["HEAD", "config", "refs", "objects", "objects/info/alternates"].every((name) =>
    existsSync(join(gitFolder, name)),
  );
}

/** Inside another working tree, tools would find its packages, and a test could pass on the wrong code. */
function refuseInsideWorkingTree(folder: string): void {
  for (let at = folder; at !== dirname(at); at = dirname(at)) {
    if (isGitFolder(at)) return;
    if (existsSync(join(at, ".git")))
      throw new CheckoutFault(
        `checkouts would be inside the working tree ${quoted(at, 300)}: set XDG_STATE_HOME to a folder outside any repository`,
      );
  }
}

function isGitFolder(folder: string): boolean {
  const found = ["HEAD", "objects", "refs"].map((name) =>
    statSync(join(folder, name), { throwIfNoEntry: false }),
  );
  return found.every((each) => each !== undefined);
}
