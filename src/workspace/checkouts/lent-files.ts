import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Checkout, digestOf } from "./checkout.ts";
import { asBytes, onDisk, sizeAt } from "./walk-tree.ts";

type Place = Pick<Checkout, "folder">;

/**
 * Files of a checkout that others have as they are now: what was lent to it, what was collected from it. Only if an
 * agent changes one of them is there something to keep.
 */
export function rememberLent(place: Place, digests: Readonly<Record<string, string>>): void {
  const file = lentFile(place);
  writeFileSync(`${file}.new`, JSON.stringify({ ...readLent(place), ...digests }), { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

export function readLent(place: Place): Readonly<Record<string, string>> {
  const file = lentFile(place);
  return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : {};
}

export function digestAt(folder: string, path: string): string | undefined {
  const bytes = asBytes(path);
  return sizeAt(folder, bytes)?.isFile() ? digestOf(readFileSync(onDisk(folder, bytes))) : undefined;
}

/** Beside the checkout: in it the agent could write. */
function lentFile({ folder }: Place): string {
  return join(dirname(folder), "lent.json");
}
