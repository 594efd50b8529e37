import { quoted } from "../../core/text/quoted.ts";

const pathLengthMax = 300;

/** A folder or file that Lockstep needs cannot be used. The message ends with the remedy. */
export class DiskFault extends Error {
  override readonly name: string = "DiskFault";
  readonly code = "E-STORE";
  readonly retryable = false;

  constructor(message: string, options?: ErrorOptions) {
    super(message.replace(/[\p{Cc}\u2028\u2029]+/gu, " "), options);
  }
}

/** Error codes of the system, each with its cause and remedy. */
const remedies: Readonly<Record<string, readonly [cause: string, remedy: string]>> = {
  EACCES: [
    "permission denied",
    "give yourself read and write permission there, or run lockstep as its owner",
  ],
  EPERM: [
    "the operation is not permitted",
    "check that you own the folder and that its disk supports file modes",
  ],
  EROFS: ["the disk is read-only", "mount it writable"],
  ENOENT: ["its parent folder does not exist", "check that the project was not moved"],
  ENOTDIR: ["a file is in the place of a folder", "move that file away"],
  ENOSPC: ["the disk is full", "free some space"],
  EDQUOT: ["the disk quota is used up", "free some space"],
};

/** Replaces a system error of `act` by a `DiskFault`. `action` and `path` name what failed; `way` is another remedy. */
export function orDiskFault<Result>(action: string, path: string, act: () => Result, way?: string): Result {
  try {
    return act();
  } catch (cause) {
    if (cause instanceof DiskFault) throw cause;
    const { code = "", message } = cause as NodeJS.ErrnoException;
    const [why, remedy] = remedies[code] ?? [message, "see `lockstep doctor`"];
    const next = way === undefined ? remedy : `${remedy}, or ${way}`;
    throw new DiskFault(`cannot ${action} ${shownPath(path)}: ${why}; ${next}`, { cause });
  }
}

/** A system error as a `DiskFault`; undefined for errors that do not come from the disk. */
export function asDiskFault(error: unknown): DiskFault | undefined {
  const { code = "", path, syscall = "use" } = error as NodeJS.ErrnoException;
  const known = (path === undefined ? fullDisk : refusals).includes(code) ? remedies[code] : undefined;
  if (!(error instanceof Error) || known === undefined) return undefined;
  const [why, remedy] = known;
  const what = path === undefined ? syscall : `${syscall} ${shownPath(path)}`;
  return new DiskFault(`cannot ${what}: ${why}; ${remedy}`, { cause: error });
}

/** Only a disk says these. An error of write(2) has no path, because it is given a descriptor. */
const fullDisk: readonly string[] = ["ENOSPC", "EDQUOT"];

/** Without a path, processes and sockets say the others too. */
const refusals: readonly string[] = [...fullDisk, "EACCES", "EPERM", "EROFS"];

export function shownPath(path: string): string {
  return quoted(path, pathLengthMax);
}
