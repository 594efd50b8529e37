import { lstatSync } from "node:fs";

/**
 * What a file looks like from outside, undefined where there is none: while it is the same, so is what it holds. Nobody
 * can set the time at which the system took note of a change.
 */
export function fileMark(path: string | Buffer): string | undefined {
  const found = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  return found && `${found.ino} ${found.size} ${found.ctimeNs}`;
}
