import { copyFileSync, existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { type Migration, migrations } from "../../src/ledger/sqlite/migrations.ts";
import { openSqliteLedger } from "../../src/ledger/sqlite/open-ledger.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { copyOfFilled, fillLedger, tamper } from "./ledger-copy.ts";
import { committed, dumpOf, newEvent, newRole, newRun, newSession } from "./sample-documents.ts";

const addTable: Migration = (connection) =>
  connection.execute("CREATE TABLE added (a TEXT) STRICT; INSERT INTO added VALUES ('x')");
const replaceIndex: Migration = (connection) =>
  connection.execute("DROP INDEX locks_by_task; CREATE INDEX locks_by_task ON locks (task, active)");
const failing: Migration = (connection) => {
  connection.execute("CREATE TABLE half (a TEXT) STRICT; UPDATE tasks SET sum = ''");
  throw new Error("failed midway");
};
const next = [...migrations, addTable, replaceIndex];

const open = (folder: string, known = migrations) =>
  openSqliteLedger({ folder, create: false, migrations: known });

async function dumpWith(folder: string, known = migrations) {
  const ledger = await open(folder, known);
  const dump = await dumpOf(ledger);
  expect((await ledger.verify()).problems).toEqual([]);
  ledger.close();
  return dump;
}

const pragma = (path: string, name: string) => {
  using database = new DatabaseSync(path);
  return Object.values(database.prepare(`PRAGMA ${name}`).get() ?? {})[0];
};

describe("a migration", () => {
  it("upgrades an older ledger and keeps a copy of it", async () => {
    using folder = temporaryFolder();
    using restored = temporaryFolder();
    await copyOfFilled(folder.path);
    const before = await dumpWith(folder.path);
    const version = migrations.length;
    expect(await dumpWith(folder.path, next)).toEqual(before);
    expect(pragma(join(folder.path, "state.db"), "user_version")).toBe(version + 2);
    const backup = join(folder.path, `state.db.v${version}.bak`);
    expect(statSync(backup).mode & 0o777).toBe(0o600);
    copyFileSync(join(folder.path, "audit.head"), join(restored.path, "audit.head"));
    copyFileSync(backup, join(restored.path, "state.db"));
    expect(await dumpWith(restored.path)).toEqual(before);
  });

  it("adds evidence to a ledger of version 1, and keeps its content", async () => {
    using folder = temporaryFolder();
    const options = { folder: folder.path, migrations: migrations.slice(0, 1) };
    const old = await openSqliteLedger({ ...options, create: true });
    await fillLedger(old, { evidence: [], sessions: [], roles: [] });
    const before = await dumpOf(old);
    old.close();
    expect(await dumpWith(folder.path)).toEqual(before);
    expect(pragma(join(folder.path, "state.db.v1.bak"), "user_version")).toBe(1);
    const ledger = await open(folder.path);
    committed(await ledger.commit({ evidence: [newRun("k-1")] }));
    ledger.close();
    const again = await open(folder.path);
    expect(await again.evidence("k-1")).toEqual(newRun("k-1"));
    again.close();
    await expect(openSqliteLedger({ ...options, create: false })).rejects.toMatchObject({ kind: "newer" });
  });

  it("adds sessions to a ledger of version 2, and keeps its content", async () => {
    using folder = temporaryFolder();
    const options = { folder: folder.path, migrations: migrations.slice(0, 2) };
    const old = await openSqliteLedger({ ...options, create: true });
    await fillLedger(old, { sessions: [], roles: [] });
    const before = await dumpOf(old);
    old.close();
    expect(await dumpWith(folder.path)).toEqual(before);
    expect(pragma(join(folder.path, "state.db.v2.bak"), "user_version")).toBe(2);
    const ledger = await open(folder.path);
    expect(await ledger.evidence("k-2")).toEqual(newRun("k-2"));
    committed(await ledger.commit({ sessions: [newSession("2026-02-14_shop")] }));
    ledger.close();
    const again = await open(folder.path);
    expect(await again.sessions()).toEqual([newSession("2026-02-14_shop", { version: 1 })]);
    again.close();
    await expect(openSqliteLedger({ ...options, create: false })).rejects.toMatchObject({ kind: "newer" });
  });

  it("adds roles to a ledger of version 3, and keeps its content", async () => {
    using folder = temporaryFolder();
    const options = { folder: folder.path, migrations: migrations.slice(0, 3) };
    const old = await openSqliteLedger({ ...options, create: true });
    await fillLedger(old, { roles: [] });
    const before = await dumpOf(old);
    old.close();
    expect(await dumpWith(folder.path)).toEqual(before);
    expect(pragma(join(folder.path, "state.db.v3.bak"), "user_version")).toBe(3);
    const ledger = await open(folder.path);
    committed(await ledger.commit({ roles: [newRole("integrator here main")] }));
    expect(await ledger.roles()).toEqual([newRole("integrator here main", { version: 1 })]);
    ledger.close();
  });

  it("runs once, and makes no copy of a new ledger", async () => {
    using folder = temporaryFolder();
    const ledgers = await Promise.all(
      Array.from({ length: 4 }, () =>
        openSqliteLedger({ folder: folder.path, create: true, migrations: next }),
      ),
    );
    for (const ledger of ledgers) committed(await ledger.commit({ events: [newEvent(null)] }));
    for (const ledger of ledgers) ledger.close();
    expect(readdirSync(folder.path).filter((name) => name.includes("bak"))).toEqual([]);
    expect((await dumpWith(folder.path, next)).events).toHaveLength(4);
  });

  it("that fails midway changes nothing", async () => {
    using folder = temporaryFolder();
    await copyOfFilled(folder.path);
    const before = await dumpWith(folder.path);
    await expect(open(folder.path, [...migrations, addTable, failing])).rejects.toThrow("failed midway");
    expect(pragma(join(folder.path, "state.db"), "user_version")).toBe(migrations.length);
    using database = new DatabaseSync(join(folder.path, "state.db"));
    const made = database
      .prepare("SELECT count(*) AS n FROM sqlite_schema WHERE name IN ('added', 'half')")
      .get();
    expect(made?.n).toBe(0);
    database.close();
    expect(await dumpWith(folder.path)).toEqual(before);
    expect(await dumpWith(folder.path, next)).toEqual(before);
  });

  it("does not change a ledger that was changed without Lockstep", async () => {
    using folder = temporaryFolder();
    await copyOfFilled(folder.path);
    tamper(folder.path, (database) => database.exec("DROP INDEX locks_by_task"));
    await expect(open(folder.path, next)).rejects.toMatchObject({ kind: "corrupt" });
    expect(existsSync(join(folder.path, `state.db.v${migrations.length}.bak`))).toBe(false);
  });
});

describe("a ledger of a newer lockstep", () => {
  it("is refused and not changed", async () => {
    using folder = temporaryFolder();
    await copyOfFilled(folder.path);
    const after = await dumpWith(folder.path, next);
    const before = readFileSync(join(folder.path, "state.db"));
    const refused = expect(open(folder.path)).rejects;
    await refused.toMatchObject({
      kind: "newer",
      retryable: false,
      message: expect.stringContaining("update Lockstep"),
    });
    expect(readFileSync(join(folder.path, "state.db"))).toEqual(before);
    expect(await dumpWith(folder.path, next)).toEqual(after);
  });
});
