import { afterAll } from "vitest";
import { openPostgresLedger } from "../../src/ledger/postgres/open-ledger.ts";
import { closeDatabases, takeDatabase } from "../support/ledger-databases.ts";
import { ledgerContract } from "./contract.ts";

afterAll(closeDatabases);

const tampering = [
  "UPDATE lockstep.events SET body = '{}' WHERE seq = 2",
  "UPDATE lockstep.events SET seq = 9 WHERE seq = 2",
  "DELETE FROM lockstep.events WHERE seq = 2",
  "TRUNCATE lockstep.events",
  "INSERT INTO lockstep.events VALUES (9, '{}', '', NULL, 'x')",
  "INSERT INTO lockstep.events VALUES (2, '{}', '', NULL, 'x') ON CONFLICT (seq) DO UPDATE SET body = '{}'",
  "DELETE FROM lockstep.locks",
  "UPDATE lockstep.locks SET task = 'T-9'",
  "UPDATE lockstep.locks SET resource = 'elsewhere'",
  "UPDATE lockstep.locks SET id = 9 WHERE id = 1",
  "UPDATE lockstep.locks SET body = '{}'",
];

ledgerContract("a ledger on PostgreSQL", {
  runs: 6,
  tampering,
  open: async () => {
    const database = await takeDatabase();
    const ledger = await openPostgresLedger({ url: database.url });
    return {
      ledger,
      raw: database.raw,
      [Symbol.asyncDispose]: async () => {
        ledger.close();
        await database.free();
      },
    };
  },
});
