import { StoreFault, type StoreFaultKind } from "../store-fault.ts";

/** SQLite's primary result codes. */
const primaryKinds: Readonly<Record<number, StoreFaultKind>> = {
  3: "read-only", // PERM
  5: "busy", // BUSY
  6: "busy", // LOCKED
  7: "io", // NOMEM
  8: "read-only", // READONLY
  10: "io", // IOERR
  11: "corrupt", // CORRUPT
  13: "full", // FULL
  14: "io", // CANTOPEN
  15: "busy", // PROTOCOL: lost the race for the WAL's locks too many times
  26: "corrupt", // NOTADB
};

/** Extended codes whose meaning differs from that of their primary code. */
const extendedKinds: Readonly<Record<number, StoreFaultKind>> = {
  522: "corrupt", // IOERR_SHORT_READ
  1032: "gone", // READONLY_DBMOVED
  4874: "full", // IOERR_SHMSIZE: the index of the WAL could not grow
  8202: "corrupt", // IOERR_DATA
  8458: "corrupt", // IOERR_CORRUPTFS
};

const fileKinds: Readonly<Record<string, StoreFaultKind>> = {
  ENOSPC: "full",
  EDQUOT: "full",
  EACCES: "read-only",
  EPERM: "read-only",
  EROFS: "read-only",
  EIO: "io",
  EMFILE: "io",
  ENFILE: "io",
  ENOTDIR: "io",
  EEXIST: "io",
  EISDIR: "io",
  ENOENT: "gone",
};

/** A generated column on a damaged row, a missing table, a damaged header. */
const damageMessages = /malformed JSON|no such|unsupported file format/;

/**
 * Translates errors of SQLite and the file system into faults. Any other error is a bug in the program and is
 * returned unchanged.
 */
export function translateError(error: unknown, place: string): unknown {
  if (!(error instanceof Error) || error instanceof StoreFault) return error;
  const kind = kindOf(error);
  return kind === undefined ? error : storeFault(kind, place, { cause: error });
}

function kindOf(error: Error): StoreFaultKind | undefined {
  const { code, errcode } = error as Error & { code?: string; errcode?: number };
  if (code !== "ERR_SQLITE_ERROR") return fileKinds[code ?? ""];
  if (errcode === undefined) return "io";
  if (errcode === 1) return damageMessages.test(error.message) ? "corrupt" : undefined;
  return extendedKinds[errcode] ?? primaryKinds[errcode & 0xff];
}

/** `why` replaces the message of the cause, or is given if there is no cause. */
export function storeFault(
  kind: StoreFaultKind,
  place: string,
  { cause, why = cause?.message ?? "" }: { readonly cause?: Error; readonly why?: string },
): StoreFault {
  const message = messages[kind](place, why.replace(/\s+/g, " "));
  return new StoreFault(kind, message, cause === undefined ? undefined : { cause });
}

const messages: Readonly<Record<StoreFaultKind, (place: string, why: string) => string>> = {
  full: (place) =>
    `STORAGE_FULL: the disk is full, so the ledger \`${place}\` cannot be written and nothing was changed: free some space and try again`,
  busy: (place) => `the ledger \`${place}\` is locked by another process, nothing was changed: try again`,
  corrupt: (place, why) =>
    `the ledger \`${place}\` is damaged and was left unchanged: ${why}: restore a good copy with \`cp COPY ${place} && rm -f ${place}-wal ${place}-shm\``,
  "read-only": (place, why) =>
    `the ledger \`${place}\` cannot be written: ${why}: make its folder and files writable for this user`,
  newer: (place, why) =>
    `the ledger \`${place}\` was written by a newer version of Lockstep: ${why}: update Lockstep`,
  network: (place, why) =>
    `the ledger \`${place}\` is on a network file system (${why}), where file locks are not reliable: keep the repository on a local disk`,
  gone: (place, why) => `the ledger \`${place}\` does not exist: ${why}`,
  lost: (place, why) =>
    `the ledger \`${place}\` was rolled back, truncated or deleted: ${why}: restore it from a copy, or continue with the current files, such as a restored backup, with \`lockstep ledger accept-loss\``,
  unreachable: (place, why) => `the ledger \`${place}\` cannot be reached: ${why}`,
  denied: (place, why) => `the ledger \`${place}\` cannot be opened: ${why}`,
  io: (place, why) =>
    `the ledger \`${place}\` could not be read or written: ${why}: check the disk and try again`,
};
