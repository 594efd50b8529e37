import type { DatabaseFacts } from "../../ledger/postgres/examine-database.ts";
import { brokenBy, causeOf, type Finding, missing, off, ok } from "./finding.ts";

const waitMs = 3000;
/** Above it, people are confused by times; leases do not depend on it. */
const aheadMsMax = 5000;

/** Connection, rights, encryption and clock of the ledger that the project shares; empty if it shares none. */
export async function examineSharedLedger(url: string | undefined): Promise<readonly Finding[]> {
  if (url === undefined) return [];
  const { examineDatabase } = await import("../../ledger/postgres/examine-database.ts");
  try {
    return findingsOf(await examineDatabase(url, waitMs), new URL(url));
  } catch (error) {
    return [brokenBy("shared ledger", causeOf(error))];
  }
}

function findingsOf(facts: DatabaseFacts, { hostname }: URL): readonly Finding[] {
  const { place, version, ledgerVersion, roundTripMs, user, mayChangeEvents, hasTls, aheadMs } = facts;
  const isLocal = ["localhost", "127.0.0.1", "[::1]", ""].includes(hostname);
  const about = `${place}, PostgreSQL ${version}, format ${ledgerVersion}, ${roundTripMs.toFixed(1)} ms away`;
  const seconds = Math.round(Math.abs(aheadMs) / 1000);
  const encryption = "connect with `?sslmode=verify-full` in the URL, and let the server require it";
  return [
    facts.waitsForDisk
      ? ok("shared ledger", about)
      : missing(
          "shared ledger",
          `${about}; commits do not wait for the disk`,
          "set `synchronous_commit = on` in the database",
        ),
    mayChangeEvents
      ? missing(
          "shared ledger rights",
          `the user \`${user}\` may change events`,
          "connect as a user with the machine role only: docs/machines.md",
        )
      : ok(
          "shared ledger rights",
          `the user \`${user}\` may read, and change only through the ledger's functions`,
        ),
    hasTls
      ? ok("shared ledger TLS", "the connection is encrypted")
      : isLocal
        ? off("shared ledger TLS", "the server is on this machine, and the connection is not encrypted", null)
        : missing("shared ledger TLS", "the connection is not encrypted", encryption),
    Math.abs(aheadMs) <= aheadMsMax
      ? ok("shared ledger clock", "this machine and the server agree")
      : missing(
          "shared ledger clock",
          `this machine's clock is ${seconds} s ${aheadMs > 0 ? "ahead of" : "behind"} the server's; leases use the server's`,
          "set the clock, for example with NTP",
        ),
  ];
}
