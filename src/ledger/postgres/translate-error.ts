import { StoreFault, type StoreFaultKind } from "../store-fault.ts";

/** By SQLSTATE, or its class in the first two characters. */
const sqlKinds: Readonly<Record<string, StoreFaultKind>> = {
  "08": "unreachable",
  "28": "denied",
  "3D000": "gone",
  "3F000": "gone",
  "42P01": "gone",
  "42883": "gone",
  "42501": "denied",
  "25006": "read-only",
  "40001": "busy",
  "40P01": "busy",
  "53300": "busy",
  "53": "full",
  "55P03": "busy",
  "57014": "busy",
  "57P": "unreachable",
  XX: "corrupt",
};

const networkCodes = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "EPIPE",
  "ETIMEDOUT",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENETDOWN",
  "ENOTFOUND",
  "EAI_AGAIN",
  "ENOENT",
]);

/** What `pg` says without a code when a connection ends, or cannot be made in time. */
const lostMessages =
  /Connection terminated|timeout expired|timeout exceeded|Query read timeout|not queryable/;

const loginMessages = /password must be a string|SASL|SCRAM/;
const tlsCodes = /^(?:ERR_TLS|ERR_SSL|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO)/;

/** Other errors are bugs of the program and are returned unchanged. */
export function translateError(error: unknown, place: string): unknown {
  if (!(error instanceof Error) || error instanceof StoreFault) return error;
  const kind = kindOf(error);
  return kind === undefined ? error : postgresFault(kind, place, { cause: error });
}

function kindOf(error: Error): StoreFaultKind | undefined {
  const { code = "" } = error as { code?: string };
  if (networkCodes.has(code)) return "unreachable";
  const known = sqlKinds[code] ?? sqlKinds[code.slice(0, 3)] ?? sqlKinds[code.slice(0, 2)];
  if (known !== undefined) return known;
  if (lostMessages.test(error.message)) return "unreachable";
  if (loginMessages.test(error.message)) return "denied";
  if (tlsCodes.test(code) || /support SSL/.test(error.message)) return "io";
  // Several addresses of one host were tried.
  return error instanceof AggregateError && error.errors.length > 0 ? kindOf(error.errors[0]) : undefined;
}

export function postgresFault(
  kind: StoreFaultKind,
  place: string,
  { cause, why = whyOf(cause) }: { readonly cause?: Error; readonly why?: string },
): StoreFault {
  const message = messages[kind](place, why.replace(/\s+/g, " "));
  return new StoreFault(kind, message, cause === undefined ? undefined : { cause });
}

function whyOf(cause: Error | undefined): string {
  if (cause === undefined) return "";
  return cause.message || (cause as { code?: string }).code || cause.name;
}

const messages: Readonly<Record<StoreFaultKind, (place: string, why: string) => string>> = {
  full: (place, why) =>
    `STORAGE_FULL: the server of the ledger \`${place}\` has no space or memory left, and nothing was changed: ${why}: free some and try again`,
  busy: (place, why) => `the ledger \`${place}\` is busy, nothing was changed: ${why}: try again`,
  corrupt: (place, why) =>
    `the ledger \`${place}\` is damaged or is not a ledger, and was left unchanged: ${why}: check the URL, or restore a good backup`,
  "read-only": (place, why) =>
    `the ledger \`${place}\` cannot be written: ${why}: connect to the primary server`,
  newer: (place, why) =>
    `the ledger \`${place}\` was written by a newer version of Lockstep: ${why}: update Lockstep`,
  network: (place, why) => `the ledger \`${place}\` cannot be used: ${why}`,
  gone: (place, why) =>
    `there is no ledger in \`${place}\`: ${why}: check the URL, or create it with \`lockstep ledger migrate\``,
  lost: (place, why) =>
    `the ledger \`${place}\` was restored from an older copy: ${why}: restore a newer one, or continue with what is there with \`lockstep ledger accept-loss\``,
  unreachable: (place, why) =>
    `the ledger \`${place}\` cannot be reached: ${why}: check the network and the server, then try again`,
  denied: (place, why) =>
    `the ledger \`${place}\` refuses this user: ${why}: check the user and the password (PGPASSWORD or ~/.pgpass), and that an owner of the ledger ran \`lockstep ledger migrate --machine USER\``,
  io: (place, why) =>
    `the ledger \`${place}\` could not be read or written: ${why}: check the server and try again`,
};
