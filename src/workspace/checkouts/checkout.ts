import { createHash } from "node:crypto";
import { existsSync, lstatSync, readFileSync, realpathSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { AttemptName } from "../../core/names/ref-names.ts";
import { taskKey } from "../../core/names/task-name.ts";
import { quoted } from "../../core/text/quoted.ts";
import { replaceFile } from "../files/replace-file.ts";
import { checkoutsFolder } from "../state/state-home.ts";

/** The checkout in which an attempt's agent works. Lockstep's records are next to it, because the agent can write in it. */
export interface Checkout extends AttemptName {
  readonly commonFolder: string;
  readonly folder: string;
  /** The agent's private temporary folder, which is removed with the checkout. */
  readonly temporary: string;
  /** The commit that the work started from. It stays the same when the base branch moves. */
  readonly base: string;
  /** The untracked files that were copied into it, each with its digest at that time. */
  readonly included: Readonly<Record<string, string>>;
  /** True if only sandboxed agents have worked in it, so that none of their processes is left. */
  readonly isContained: boolean;
}

/** A checkout cannot be opened, read, kept or removed. The message ends with the remedy. */
export class CheckoutFault extends Error {
  override readonly name = "CheckoutFault";
  readonly code = "E-GIT";
  readonly retryable = false;
}

/** The folder to run git in for the repository itself. `safe.bareRepository` may forbid the git folder. */
export function repositoryFolder(commonFolder: string): string {
  return basename(commonFolder) === ".git" ? dirname(commonFolder) : commonFolder;
}

export function attemptsFolder(commonFolder: string): string {
  return join(realpathSync.native(checkoutsFolder(commonFolder)), "attempts");
}

/** The folder with a task's checkout and its records. */
export function slotOf(commonFolder: string, { session, task }: AttemptName): string {
  const key = taskKey(session, task);
  return join(attemptsFolder(commonFolder), `${cleaned(key)}-${digestOf(key).slice(0, 8)}`);
}

/** Lockstep's own index for the checkout. */
export function ownIndex({ folder }: Pick<Checkout, "folder">): string {
  return join(dirname(folder), "index");
}

export function recordFile(slot: string): string {
  return join(slot, "checkout.json");
}

/** Undefined if the record is missing or cannot be read. */
export function readRecord(commonFolder: string, slot: string): Checkout | undefined {
  const file = recordFile(slot);
  if (!existsSync(file)) return undefined;
  try {
    const { session, task, attempt, base, included = {}, contained } = JSON.parse(readFileSync(file, "utf8"));
    if (typeof task !== "string" || typeof base !== "string") return undefined;
    const isContained = contained === true;
    return { ...placesIn(slot), commonFolder, session, task, attempt, base, included, isContained };
  } catch {
    return undefined; // a checkout without a record is created again, after its files are kept
  }
}

export function writeRecord(checkout: Checkout): void {
  const { folder, session, task, attempt, base, included, isContained: contained } = checkout;
  const record = { session, task, attempt, base, included, contained };
  replaceFile(recordFile(dirname(folder)), JSON.stringify(record));
}

/** Records that a person took over the checkout: from then on any process may work in it. */
export function openToPerson(checkout: Checkout): void {
  if (checkout.isContained) writeRecord({ ...checkout, isContained: false });
}

export function placesIn(slot: string): Pick<Checkout, "folder" | "temporary"> {
  return { folder: join(slot, "tree"), temporary: join(slot, "tmp") };
}

/** Refuses a link, through which Lockstep would read or delete other files. */
export function refuseReplaced(folder: string): void {
  const found = lstatSync(folder, { throwIfNoEntry: false });
  if (found === undefined) return;
  if (found.isDirectory() && realpathSync.native(folder) === folder) return;
  throw new CheckoutFault(
    `${quoted(folder, 300)} is a link or a file, but a checkout belongs there: move it away`,
  );
}

/** Refuses a `.git` that leads git to another repository. */
export function refuseOtherGit(folder: string): void {
  const path = join(folder, ".git");
  const isFolder = lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ?? true;
  if (!isFolder)
    throw new CheckoutFault(`${quoted(path, 300)} is a link or a file, but it was a folder: move it away`);
}

/** A valid file name that resembles the text. */
function cleaned(text: string): string {
  return text.replace(/[^A-Za-z0-9_-]+/g, "_").slice(0, 60);
}

export function digestOf(content: string | Buffer): string {
  return createHash("sha256").update(content).digest("hex");
}
