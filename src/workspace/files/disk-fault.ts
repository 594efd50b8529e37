import { quoted } from "../../core/text/quoted.ts";

const pathLengthMax = 300;

/** A folder or file that Lockstep needs cannot be used; the message ends with what to do about it. */
export class DiskFault extends Error {
  override readonly name: string = "DiskFault";
  readonly code = "E-STORE";
  readonly retryable = false;

  constructor(message: string, options?: ErrorOptions) {
    super(message.replace(/[\p{Cc}\u2028\u2029]+/gu, " "), options);
  }
}

/** What the disk says, and what to do about it. */
const remedies: Readonly<Record<string, readonly [cause: string, remedy: string]>> = {
  EACCES: [
    "permission denied",
    "give yourself read and write permission there, or run lockstep as its owner",
  ],
  EPERM: ["the operation is not permitted", "see that the folder is yours and its disk keeps modes"],
  EROFS: ["the disk is read-only", "mount it writable"],
  ENOENT: ["the folder above it does not exist", "see that the project was not moved meanwhile"],
  ENOTDIR: ["a file lies where a folder belongs", "move that file away"],
  ENOSPC: ["the disk is full", "free some space"],
  EDQUOT: ["the disk quota is used up", "free some space"],
};

/** Says what could not be done where, in place of the system's own words; `way` is another way than to mend it. */
export function orDiskFault<Result>(what: string, path: string, act: () => Result, way?: string): Result {
  try {
    return act();
  } catch (cause) {
    if (cause instanceof DiskFault) throw cause;
    const { code = "", message } = cause as NodeJS.ErrnoException;
    const [why, remedy] = remedies[code] ?? [message, "see `lockstep doctor`"];
    const next = way === undefined ? remedy : `${remedy}, or ${way}`;
    throw new DiskFault(`cannot ${what} ${shownPath(path)}: ${why}; ${next}`, { cause });
  }
}

/** The same of an error that came from anywhere; undefined where the disk did not refuse anything. */
export function asDiskFault(error: unknown): DiskFault | undefined {
  const { code = "", path, syscall = "use" } = error as NodeJS.ErrnoException;
  const told = ["EACCES", "EPERM", "EROFS", "ENOSPC", "EDQUOT"].includes(code) ? remedies[code] : undefined;
  if (!(error instanceof Error) || path === undefined || told === undefined) return undefined;
  const [why, remedy] = told;
  return new DiskFault(`cannot ${syscall} ${shownPath(path)}: ${why}; ${remedy}`, { cause: error });
}

export function shownPath(path: string): string {
  return quoted(path, pathLengthMax);
}
