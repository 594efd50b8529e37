import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { loadSqlite } from "../../src/ledger/sqlite/load-sqlite.ts";
import { openMemoryLedger, openSqliteLedger } from "../../src/ledger/sqlite/open-ledger.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { ledgerContract } from "./contract.ts";

const tampering = [
  "UPDATE events SET body = '{}' WHERE key = 2",
  "UPDATE events SET key = 9 WHERE key = 2",
  "DELETE FROM events WHERE key = 2",
  "DELETE FROM events",
  "INSERT INTO events (key, body, sum) VALUES (9, '{}', '')",
  "INSERT OR REPLACE INTO events (key, body, sum) VALUES (2, '{}', '')",
  "DELETE FROM locks",
  "UPDATE locks SET body = json_set(body, '$.task', 'T-9')",
  "UPDATE locks SET body = json_set(body, '$.resource', 'elsewhere')",
  "UPDATE locks SET key = 9 WHERE key = 1",
  "INSERT OR REPLACE INTO locks (key, body, sum) VALUES (1, '{}', '')",
];

ledgerContract("a ledger in memory", {
  runs: 60,
  open: async () => {
    const ledger = await openMemoryLedger();
    return { ledger, [Symbol.asyncDispose]: async () => ledger.close() };
  },
});

ledgerContract("a ledger on disk", {
  runs: 10,
  tampering,
  open: async () => {
    const folder = temporaryFolder();
    const ledger = await openSqliteLedger({ folder: folder.path, create: true });
    return {
      ledger,
      raw: (sql) => {
        using database = new DatabaseSync(join(folder.path, "state.db"));
        database.exec(sql);
      },
      [Symbol.asyncDispose]: async () => {
        ledger.close();
        folder[Symbol.dispose]();
      },
    };
  },
});

describe("loading SQLite", () => {
  it("hides the warning that it is experimental, as Node 22 prints it, and no other", () => {
    const { emitWarning, getBuiltinModule } = process;
    const said: string[] = [];
    const listening = (text: string | Error) => said.push(String(text));
    const warning = ((name: string) => {
      process.emitWarning(
        "SQLite is an experimental feature and might change at any time",
        "ExperimentalWarning",
      );
      process.emitWarning("something else", "ExperimentalWarning");
      return getBuiltinModule(name);
    }) as typeof getBuiltinModule;
    try {
      Object.assign(process, { emitWarning: listening, getBuiltinModule: warning });
      expect(loadSqlite().DatabaseSync).toBe(DatabaseSync);
      expect(said).toEqual(["something else"]);
      expect(process.emitWarning).toBe(listening);
    } finally {
      Object.assign(process, { emitWarning, getBuiltinModule });
    }
  });
});
