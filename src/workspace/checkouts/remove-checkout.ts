import { randomBytes } from "node:crypto";
import { chmodSync, existsSync, readdirSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { git } from "../git/run-git.ts";
import { readTaskRefs } from "./attempt-refs.ts";
import { type Checkout, repositoryFolder } from "./checkout.ts";
import { type Kept, keepEverything } from "./keep-everything.ts";

/** Marks what was kept whole before it got this name, so that it may be deleted at any time. */
const doomed = ".removed";

/** Deletes a checkout after everything in it was kept; where that fails, nothing is deleted. */
export async function removeCheckout(
  checkout: Checkout,
  options: { readonly exclude?: readonly string[] } = {},
): Promise<readonly Kept[]> {
  const kept = await keepEverything(checkout, options);
  const { bases } = await readTaskRefs(checkout.commonFolder, checkout);
  const input = bases.map(({ ref, object }) => `delete ${ref} ${object}\n`).join("");
  if (input !== "") await git(repositoryFolder(checkout.commonFolder), ["update-ref", "--stdin"], { input });
  const slot = dirname(checkout.folder);
  if (existsSync(slot)) renameSync(slot, `${slot}-${randomBytes(4).toString("hex")}${doomed}`);
  deleteDoomed(dirname(slot));
  return kept;
}

/** Also those of an earlier removal that did not come to its end. */
function deleteDoomed(attempts: string): void {
  if (!existsSync(attempts)) return;
  for (const name of readdirSync(attempts).filter(isDoomed)) deleteFolder(join(attempts, name));
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
