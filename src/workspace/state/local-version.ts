import { statSync } from "node:fs";
import { join } from "node:path";
import { replaceFile } from "../files/replace-file.ts";

/** How this machine's processes learn at once of each other's commits to a shared ledger: a file that each replaces. */
export function localVersion(folder: string) {
  const file = join(folder, "ledger-version");
  return {
    read: () => {
      const found = statSync(file, { bigint: true, throwIfNoEntry: false });
      return found === undefined ? "" : `${found.ino} ${found.mtimeNs}`;
    },
    bump: () => replaceFile(file, ""),
  };
}
