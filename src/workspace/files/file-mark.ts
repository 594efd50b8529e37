import { lstatSync } from "node:fs";
import { ifThere } from "./if-there.ts";

/**
 * A fingerprint of a file from its metadata: while it is unchanged, so is the content. The ctime cannot be set by a
 * program. Undefined if the file does not exist.
 */
export function fileMark(path: string | Buffer): string | undefined {
  const found = ifThere(() => lstatSync(path, { bigint: true, throwIfNoEntry: false }));
  return found && `${found.ino} ${found.size} ${found.ctimeNs}`;
}
