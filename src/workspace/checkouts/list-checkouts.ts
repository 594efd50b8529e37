import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { attemptsFolder, type Checkout, ownIndex, placesIn, readRecord, recordFile } from "./checkout.ts";
import { isRemoved } from "./remove-checkout.ts";
import { diskUse } from "./walk-tree.ts";

export interface ListedCheckout {
  readonly name: string;
  /** Undefined for a checkout whose creation did not finish. */
  readonly checkout: Checkout | undefined;
  /** Its size on the disk, computed on access. */
  readonly bytes: number;
  /** When it was last opened or read. */
  readonly lastUse: Date;
}

export function listCheckouts(commonFolder: string): readonly ListedCheckout[] {
  const attempts = attemptsFolder(commonFolder);
  if (!existsSync(attempts)) return [];
  const names = readdirSync(attempts).filter((name) => !isRemoved(name));
  return names.sort().map((name) => {
    const slot = join(attempts, name);
    return {
      name,
      checkout: readRecord(commonFolder, slot),
      get bytes() {
        return diskUse(slot);
      },
      lastUse: lastUseOf(slot),
    };
  });
}

function lastUseOf(slot: string): Date {
  const times = [slot, recordFile(slot), ownIndex(placesIn(slot))].map(
    (path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0,
  );
  return new Date(Math.max(...times));
}
