import { createHash } from "node:crypto";
import { existsSync, lstatSync, readFileSync, realpathSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { AttemptName } from "../../core/names/ref-names.ts";
import { taskKey } from "../../core/names/task-name.ts";
import { quoted } from "../../core/text/quoted.ts";
import { replaceFile } from "../files/replace-file.ts";
import { checkoutsFolder } from "../state/state-home.ts";

/**
 * Where an attempt's agent works. What Lockstep keeps about it lies beside it, not in it: there the agent
 * could write.
 */
export interface Checkout extends AttemptName {
  readonly commonFolder: string;
  readonly folder: string;
  /** The agent's private temporary folder, which goes with the checkout. */
  readonly temporary: string;
  /** The commit that its contents started from, which stays when the base branch moves. */
  readonly base: string;
  /** The untracked files that were copied into it, each with the digest of what it held. */
  readonly included: Readonly<Record<string, string>>;
  /** Only agents in the sandbox have worked in it, and each sandbox ended every process of its agent. */
  readonly isContained: boolean;
}

/** A checkout cannot be opened, read, kept or removed; the message ends with what to do about it. */
export class CheckoutFault extends Error {
  override readonly name = "CheckoutFault";
  readonly code = "E-GIT";
  readonly retryable = false;
}

/** Where git is run for the repository itself: `safe.bareRepository` may forbid it in the git folder. */
export function repositoryFolder(commonFolder: string): string {
  return basename(commonFolder) === ".git" ? dirname(commonFolder) : commonFolder;
}

export function attemptsFolder(commonFolder: string): string {
  return join(realpathSync(checkoutsFolder(commonFolder)), "attempts");
}

/** The folder that holds a task's checkout and what is kept about it. */
export function slotOf(commonFolder: string, { session, task }: AttemptName): string {
  const key = taskKey(session, task);
  return join(attemptsFolder(commonFolder), `${cleaned(key)}-${digestOf(key).slice(0, 8)}`);
}

/** The index that Lockstep reads the checkout with. */
export function ownIndex({ folder }: Pick<Checkout, "folder">): string {
  return join(dirname(folder), "index");
}

export function recordFile(slot: string): string {
  return join(slot, "checkout.json");
}

/** Undefined where there is none, or none that can be read. */
export function readRecord(commonFolder: string, slot: string): Checkout | undefined {
  const file = recordFile(slot);
  if (!existsSync(file)) return undefined;
  try {
    const { session, task, attempt, base, included = {}, contained } = JSON.parse(readFileSync(file, "utf8"));
    if (typeof task !== "string" || typeof base !== "string") return undefined;
    const isContained = contained === true;
    return { ...placesIn(slot), commonFolder, session, task, attempt, base, included, isContained };
  } catch {
    return undefined; // a checkout without its record is made again, and its contents are kept before
  }
}

export function writeRecord(checkout: Checkout): void {
  const { folder, session, task, attempt, base, included, isContained: contained } = checkout;
  const record = { session, task, attempt, base, included, contained };
  replaceFile(recordFile(dirname(folder)), JSON.stringify(record));
}

/** Said when a person gets the checkout: from then on anything may be at work in it. */
export function openToPerson(checkout: Checkout): void {
  if (checkout.isContained) writeRecord({ ...checkout, isContained: false });
}

export function placesIn(slot: string): Pick<Checkout, "folder" | "temporary"> {
  return { folder: join(slot, "tree"), temporary: join(slot, "tmp") };
}

/** A link in its place would have Lockstep read, or delete, something else. */
export function refuseReplaced(folder: string): void {
  const found = lstatSync(folder, { throwIfNoEntry: false });
  if (found === undefined) return;
  if (found.isDirectory() && realpathSync(folder) === folder) return;
  throw new CheckoutFault(
    `${quoted(folder, 300)} is a link or a file where a checkout belongs: move it away`,
  );
}

/** A name that files may have, near to what it was made from. */
function cleaned(text: string): string {
  return text.replace(/[^A-Za-z0-9_-]+/g, "_").slice(0, 60);
}

export function digestOf(content: string | Buffer): string {
  return createHash("sha256").update(content).digest("hex");
}
