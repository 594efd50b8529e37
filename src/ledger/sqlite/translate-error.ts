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
  15: "busy", // PROTOCOL: lost a race for the WAL's locks too often
  26: "corrupt", // NOTADB
};

/** Extended codes that mean something else than their family. */
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

/** A generated column over a damaged row, a table that is no longer there, a damaged header. */
const damageMessages = /malformed JSON|no such|unsupported file format/;

/** SQLite's and the disk's errors as faults; what is neither is a mistake in the program and stays as it is. */
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

/** `why` stands for the cause where there is none. */
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
    `STORAGE_FULL: there is no room left for the ledger \`${place}\`, nothing was changed: free some space and try again`,
  busy: (place) =>
    `the ledger \`${place}\` is being written by another process, nothing was changed: try again`,
  corrupt: (place, why) =>
    `the ledger \`${place}\` is damaged, and left as it is: ${why}: restore a good copy with \`cp COPY ${place} && rm -f ${place}-wal ${place}-shm\``,
  "read-only": (place, why) =>
    `the ledger \`${place}\` cannot be written: ${why}: make its folder and files writable for this user`,
  newer: (place, why) => `the ledger \`${place}\` is of a newer lockstep: ${why}: update lockstep`,
  network: (place, why) =>
    `the ledger \`${place}\` would be on a network file system (${why}), where locks do not hold: keep the repository on a local disk`,
  gone: (place, why) => `the ledger \`${place}\` is not there: ${why}`,
  lost: (place, why) =>
    `the ledger \`${place}\` was rolled back, cut or deleted: ${why}: restore it from a copy, or start from what is there, such as a backup that you restored, with \`lockstep reconcile --accept-loss\``,
  io: (place, why) =>
    `the ledger \`${place}\` could not be read or written: ${why}: check the disk and try again`,
};
