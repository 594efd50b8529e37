import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chmodSync, existsSync, readdirSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { changeRefs } from "../git/ref-writer.ts";
import { readTaskRefs } from "./attempt-refs.ts";
import { type Checkout, repositoryFolder } from "./checkout.ts";
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
    for (const { checkout } of done) doom(dirname(checkout.folder));
    await deleteDoomed(dirname(dirname(first.folder)));
  }
  return done.map(({ kept }) => kept);
}

function doom(slot: string): void {
  if (existsSync(slot)) renameSync(slot, `${slot}-${randomBytes(4).toString("hex")}${doomed}`);
}

/** Also those of an earlier removal that did not come to its end. By a program of its own: it can take a while. */
async function deleteDoomed(attempts: string): Promise<void> {
  const folders = existsSync(attempts) ? readdirSync(attempts).filter(isDoomed) : [];
  const paths = folders.map((name) => join(attempts, name));
  if (paths.length === 0) return;
  try {
    await promisify(execFile)("rm", ["-rf", "--", ...paths]);
  } catch {
    for (const path of paths) deleteFolder(path); // it says what is in the way, and opens what was closed
  }
}

export function isDoomed(name: string): boolean {
  return name.endsWith(doomed);
}

/** Caches of some tools are folders that nobody may write, their owner neither. */
export function deleteFolder(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== "EACCES" && code !== "EPERM") throw error;
    makeWritable(Buffer.from(folder));
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

function makeWritable(folder: Buffer): void {
  chmodSync(folder, 0o700);
  for (const entry of readdirSync(folder, { withFileTypes: true, encoding: "buffer" })) {
    if (entry.isDirectory()) makeWritable(Buffer.concat([folder, Buffer.from("/"), entry.name]));
  }
}
