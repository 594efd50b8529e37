import { hash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import pg from "pg";
import { afterAll, describe, expect, it } from "vitest";
import { beginning, link, textAroundSeq } from "../../src/ledger/event-chain.ts";
import type { Ledger } from "../../src/ledger/ledger.ts";
import { Connection } from "../../src/ledger/postgres/connection.ts";
import { envelopeOf } from "../../src/ledger/postgres/envelope.ts";
import { knownVersion, migrate } from "../../src/ledger/postgres/migrations.ts";
import { acceptLoss, openPostgresLedger } from "../../src/ledger/postgres/open-ledger.ts";
import type { StoreFault } from "../../src/ledger/store-fault.ts";
import { cuttingProxy } from "../support/cutting-proxy.ts";
import { closeDatabases, type LedgerDatabase, takeDatabase } from "../support/ledger-databases.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { committed, creating, newEvent, newTask } from "./sample-documents.ts";

afterAll(closeDatabases);

/** A database for one test. */
async function using<T>(use: (database: LedgerDatabase) => Promise<T>): Promise<T> {
  const database = await takeDatabase();
  try {
    return await use(database);
  } finally {
    await database.free();
  }
}

const faultOf = async (opening: Promise<unknown>): Promise<StoreFault> =>
  opening.then(
    () => {
      throw new Error("it was opened");
    },
    (error) => error,
  );

describe("the hash chain", () => {
  it("in SQL is the same as in JavaScript, for any content of the events", async () => {
    await using(async ({ url }) => {
      const ledger = await openPostgresLedger({ url });
      const text = fc.string({
        unit: fc.oneof(
          fc.constantFrom("\u0000", "\ud800", "\u2028", '"', "\\", "é", "😀"),
          fc.string({ maxLength: 1 }),
        ),
      });
      const event = fc.record({
        type: text,
        actor: text,
        cause: text,
        task: fc.option(text),
        data: fc.oneof(fc.jsonValue(), text),
      });
      await fc.assert(
        fc.asyncProperty(fc.array(event, { minLength: 1, maxLength: 4 }), async (list) => {
          const events = list.map((one) => newEvent(null, JSON.parse(JSON.stringify(one))));
          const [last] = await ledger.events({ newestFirst: true, limit: 1 });
          committed(await ledger.commit({ events }));
          let tail = last ?? beginning;
          for (const stored of await ledger.events({ after: tail.seq })) {
            const made = link(tail, events[stored.seq - (last?.seq ?? 0) - 1] ?? newEvent(null));
            expect(stored).toEqual(made);
            tail = made;
          }
        }),
        { numRuns: 40 },
      );
      expect((await ledger.verify()).problems).toEqual([]);
      ledger.close();
    });
  });

  it("is computed from the same text when it is sent in two parts", () => {
    const event = newEvent("T-1", { data: { seq: 5, z: "\ud800" } });
    const { before, after } = textAroundSeq(event);
    const { hash: made } = link(beginning, event);
    expect(hash("sha256", `${beginning.hash}\n${before}1${after}`)).toBe(made);
  });
});

describe("a machine's role", () => {
  it.each([
    "INSERT INTO lockstep.events VALUES (1, '{}', '', NULL, 'x')",
    "UPDATE lockstep.events SET body = '{}'",
    "DELETE FROM lockstep.events",
    "TRUNCATE lockstep.events",
    "UPDATE lockstep.meta SET fence = 0",
    "DELETE FROM lockstep.locks",
    "UPDATE lockstep.tasks SET state = 'MERGED'",
    "INSERT INTO lockstep.roles VALUES ('x', 1, '{}', 1)",
    "DROP TABLE lockstep.evidence",
    "ALTER TABLE lockstep.events DISABLE TRIGGER ALL",
    "SELECT lockstep.append_events('{}', m) FROM lockstep.meta m",
    "CREATE TABLE lockstep.mine (a int)",
  ])("cannot %s", async (sql) => {
    await using(async ({ url }) => {
      const client = new pg.Client({ connectionString: url });
      await client.connect();
      await expect(client.query(sql)).rejects.toThrow(/permission denied|must be owner/);
      await client.end();
    });
  });
});

describe("a change that a machine sends without Lockstep", () => {
  const id = "00000000-0000-4000-8000-000000000001";
  const task = { at: 0, key: "T-1", version: 0, body: "{}", state: "MERGED", needs: [] };
  const lock = { at: 1, body: "{}", task: "T-1", kind: "path", resource: "src", prefixes: ["src"] };
  const role = (version: number, epoch: number) => ({ at: 0, key: "r", version, body: "{}", epoch });

  it.each<[string, object, RegExp]>([
    ["writes a task without the ledger's lock", { light: true, tasks: [task] }, /INV-5/],
    ["takes locks without the ledger's lock", { light: true, take: [lock], fence: 0 }, /INV-5/],
    ["takes locks without a fence", { id, take: [lock] }, /INV-1/],
    ["takes a role back to an older epoch", { light: true, roles: [role(1, 3)] }, /INV-2/],
    ["adds an unreadable event", { id, events: [{ before: "{", after: "", type: "x" }] }, /json/],
    ["has a malformed part", { id, events: 7 }, /scalar/],
  ])("%s: is refused, and nothing is written", async (_, change, why) => {
    await using(async ({ url, raw }) => {
      const client = new pg.Client({ connectionString: url });
      await client.connect();
      const apply = (given: object) =>
        client.query("SELECT lockstep.apply_change($1)", [JSON.stringify(given)]);
      await apply({ light: true, roles: [role(0, 9)] });
      const answer = await apply(change).then(
        ({ rows }) => JSON.stringify(rows),
        (error: Error) => error.message,
      );
      expect(answer).toMatch(why);
      await client.end();
      const stored = await raw(
        `SELECT seq::int, fence::int, (SELECT count(*)::int FROM lockstep.tasks) AS tasks,
          (SELECT count(*)::int FROM lockstep.locks) AS locks, (SELECT max(epoch)::int FROM lockstep.roles) AS epoch
          FROM lockstep.meta`,
      );
      expect(stored).toEqual([{ seq: 0, fence: 0, tasks: 0, locks: 0, epoch: 9 }]);
    });
  });
});

describe("a change", () => {
  it("waits for the disk (INV-3), even for a user with asynchronous commits", async () => {
    await using(async ({ url, raw }) => {
      const client = new pg.Client({ connectionString: `${url}?options=-c%20synchronous_commit%3Doff` });
      await client.connect();
      const [meta] = await raw("SELECT name FROM lockstep.meta");
      const change = envelopeOf(creating(newTask("T-1")), {
        ...{ format: knownVersion, name: String(meta?.name), seen: 0 },
      });
      await client.query("BEGIN");
      await client.query("SELECT lockstep.apply_change($1)", [change]);
      expect((await client.query("SHOW synchronous_commit")).rows).toEqual([{ synchronous_commit: "on" }]);
      await client.query("COMMIT");
      await client.end();
    });
  });

  it("of a process that has seen more than the database contains is refused for all, in the same connection", async () => {
    await using(async ({ url, raw }) => {
      const ledger = await openPostgresLedger({ url });
      committed(await ledger.commit(creating(newTask("T-1"))));
      await raw("UPDATE lockstep.meta SET commits = 0");
      expect(await faultOf(ledger.commit(creating(newTask("T-2"))))).toMatchObject({ kind: "lost" });
      expect(await faultOf(openPostgresLedger({ url }))).toMatchObject({ kind: "lost" });
      ledger.close();
    });
  });

  it("that is sent again after its answer was lost is applied once, with the same answer", async () => {
    await using(async ({ url, server, name, raw }) => {
      await using proxy = await cuttingProxy(server.port);
      const ledger = await openPostgresLedger({ url: `postgres://machine@127.0.0.1:${proxy.port}/${name}` });
      proxy.cutAnswerTo("lockstep.apply_change");
      expect(await ledger.commit(creating(newTask("T-1")))).toEqual({ ok: true, seq: 1 });
      expect(proxy.cuts).toBe(1);
      expect(await raw("SELECT seq FROM lockstep.events")).toHaveLength(1);
      ledger.close();
      const other = envelopeOf(creating(newTask("T-2")), {
        ...{
          format: knownVersion,
          name: String((await raw("SELECT name FROM lockstep.meta"))[0]?.name),
          seen: 1,
        },
      });
      const connection = await Connection.open({ url });
      const twice = [1, 2].map(() => connection.rows("SELECT lockstep.apply_change($1) AS answer", [other]));
      const [one, again] = await Promise.all(twice);
      expect(one).toEqual(again);
      connection.close();
    });
  });

  it("waits for a lost network to return, reports that once, and continues (M-3)", async () => {
    await using(async ({ server, name }) => {
      await using proxy = await cuttingProxy(server.port);
      const waits: string[] = [];
      const url = `postgres://machine@127.0.0.1:${proxy.port}/${name}`;
      const ledger = await openPostgresLedger({ url, onWait: (why) => void waits.push(why) });
      proxy.cut();
      const change = ledger.commit(creating(newTask("T-1")));
      await expect.poll(() => waits.length).toBe(1);
      proxy.join();
      expect(await change).toEqual({ ok: true, seq: 1 });
      expect(waits).toHaveLength(1);
      expect(waits[0]).toContain("cannot be reached");
      ledger.close();
    });
  });

  it("ends at its deadline if another process holds a lock or no connection is free (M-12)", async () => {
    await using(async ({ url, server, name, raw }) => {
      const ledger = await openPostgresLedger({ url, statementMs: 100, waitMs: 200 });
      const holder = new pg.Client({ connectionString: server.url(name) });
      await holder.connect();
      await holder.query("BEGIN; SELECT 1 FROM lockstep.meta FOR UPDATE");
      const refused = await faultOf(ledger.commit(creating(newTask("T-1"))));
      expect(refused).toMatchObject({ kind: "busy", code: "E-STORE", retryable: true });
      await holder.query("ROLLBACK");
      committed(await ledger.commit(creating(newTask("T-1"))));
      await raw("ALTER ROLE machine CONNECTION LIMIT 0");
      try {
        const none = await faultOf(openPostgresLedger({ url, waitMs: 200 }));
        expect(none).toMatchObject({ kind: "busy", retryable: true });
      } finally {
        await raw("ALTER ROLE machine CONNECTION LIMIT -1");
      }
      await holder.end();
      ledger.close();
    });
  });
});

describe("a turn of a dispatcher", () => {
  it("is taken from a frozen process, without an error for that process", async () => {
    await using(async ({ url }) => {
      const ledgers = await Promise.all([1, 2].map(() => openPostgresLedger({ url })));
      const [one, other] = ledgers as [Ledger, Ledger];
      expect(await one.turn?.()).toBeUndefined();
      for (const ledger of ledgers)
        expect(await ledger.commit({ expect: { fence: 7 } })).toEqual({ conflict: "fence" });
      const held = await one.turn?.();
      expect(held).toBeDefined();
      // The server ends the connection of a process that does not use its turn.
      await (await other.turn?.())?.[Symbol.asyncDispose]();
      await held?.[Symbol.asyncDispose]();
      committed(await one.commit(creating(newTask("T-1"))));
      for (const ledger of ledgers) ledger.close();
    });
  });
});

describe("a ledger that must not be used (M-13, M-14)", () => {
  it("that a newer Lockstep migrates meanwhile is refused to a process that has it open (M-13)", async () => {
    await using(async ({ url, raw }) => {
      const ledger = await openPostgresLedger({ url });
      await raw("UPDATE lockstep.meta SET version = 99, lockstep = '9.9.9'");
      const refused = await faultOf(ledger.commit(creating(newTask("T-1"))));
      expect(refused).toMatchObject({ kind: "newer" });
      expect(refused.message).toContain("install Lockstep 9.9.9 or later");
      expect(await raw("SELECT 1 FROM lockstep.events")).toEqual([]);
      ledger.close();
    });
  });

  it("of a newer Lockstep is refused with the version to install, one of an older with the way to upgrade", async () => {
    await using(async ({ url, raw }) => {
      await raw("UPDATE lockstep.meta SET version = 99, lockstep = '9.1.0'");
      const newer = await faultOf(openPostgresLedger({ url }));
      expect(newer.kind).toBe("newer");
      expect(newer.message).toContain("install Lockstep 9.1.0 or later");
      const connection = await Connection.open({ url });
      await expect(migrate(connection, { lockstep: "0.1.0", machine: "machine" })).rejects.toThrow("9.1.0");
      connection.close();
      await raw("UPDATE lockstep.meta SET version = 0");
      expect((await faultOf(openPostgresLedger({ url }))).message).toContain("`lockstep ledger migrate`");
      expect(await raw("SELECT 1 FROM lockstep.machines")).toEqual([]);
    });
  });

  it("is migrated once, by the first process", async () => {
    const server = (await takeDatabase()).server;
    await server.query("postgres", "CREATE DATABASE fresh_ledger");
    try {
      const owner = { url: server.url("fresh_ledger") };
      const connections = await Promise.all([1, 2, 3].map(() => Connection.open(owner)));
      const done = await Promise.all(
        connections.map((connection) => migrate(connection, { lockstep: "0.1.0", machine: "machine" })),
      );
      expect(done.map(({ from }) => from).sort()).toEqual([0, 2, 2]);
      for (const connection of connections) connection.close();
      (await openPostgresLedger({ url: server.url("fresh_ledger", "machine") })).close();
    } finally {
      await server.query("postgres", "DROP DATABASE fresh_ledger WITH (FORCE)");
    }
  });

  it("of version 1 is upgraded with its content, and gets the functions of a new one", async () => {
    const { server, free } = await takeDatabase();
    const sql = (text: string) => server.query("postgres", text);
    const functionsIn = (database: string) =>
      server.query(
        database,
        "SELECT p.oid::regprocedure::text AS name, prosrc FROM pg_proc p WHERE pronamespace = 'lockstep'::regnamespace ORDER BY 1",
      );
    await sql("CREATE DATABASE stored_ledger");
    await sql("CREATE DATABASE new_ledger");
    try {
      await server.query("stored_ledger", readFileSync("test/stored/postgres-1/ledger.sql", "utf8"));
      for (const name of ["stored_ledger", "new_ledger"]) {
        const connection = await Connection.open({ url: server.url(name) });
        await migrate(connection, { lockstep: "0.1.0", machine: "machine" });
        connection.close();
      }
      expect(await functionsIn("stored_ledger")).toEqual(await functionsIn("new_ledger"));
      const ledger = await openPostgresLedger({ url: server.url("stored_ledger", "machine") });
      expect((await ledger.tasks({})).map(({ key, state }) => [key, state])).toEqual([
        ["T-1", "IN_PROGRESS"],
        ["T-2", "PENDING"],
      ]);
      committed(await ledger.commit(creating(newTask("T-3"))));
      expect(await ledger.verify()).toEqual({ events: 4, problems: [] });
      ledger.close();
    } finally {
      for (const name of ["stored_ledger", "new_ledger"]) await sql(`DROP DATABASE ${name} WITH (FORCE)`);
      await free();
    }
  });

  it("is created by an owner without superuser rights, for machines with a role that the owner creates", async () => {
    const { server, free } = await takeDatabase();
    const sql = (text: string) => server.query("postgres", text);
    await sql("CREATE ROLE plain_owner LOGIN CREATEROLE");
    await sql("CREATE DATABASE plain_ledger OWNER plain_owner");
    try {
      const connection = await Connection.open({ url: server.url("plain_ledger", "plain_owner") });
      await migrate(connection, { lockstep: "0.1.0", machine: "plain_machines" });
      connection.close();
      await sql("CREATE ROLE plain_machine LOGIN IN ROLE plain_machines");
      const ledger = await openPostgresLedger({ url: server.url("plain_ledger", "plain_machine") });
      committed(await ledger.commit(creating(newTask("T-1"))));
      expect((await ledger.verify()).problems).toEqual([]);
      ledger.close();
    } finally {
      await sql("DROP DATABASE plain_ledger WITH (FORCE)");
      await sql("DROP ROLE IF EXISTS plain_machine, plain_machines, plain_owner");
      await free();
    }
  });

  it("refuses a wrong password, a user without rights and a foreign database, and writes nothing", async () => {
    await using(async ({ server, name, raw }) => {
      const before = await raw("SELECT seq, commits FROM lockstep.meta");
      await raw("DROP ROLE IF EXISTS guarded");
      await raw("CREATE ROLE guarded LOGIN PASSWORD 'right'");
      const wrong = await faultOf(openPostgresLedger({ url: server.url(name, "guarded", "wrong") }));
      expect(wrong).toMatchObject({ kind: "denied", retryable: false });
      expect(wrong.message).toContain("~/.pgpass");
      expect(wrong.message).not.toContain("wrong@");
      expect(await faultOf(openPostgresLedger({ url: server.url(name, "guarded") }))).toMatchObject({
        kind: "denied",
      });
      const encrypted = `${server.url(name)}?sslmode=verify-full`;
      expect(await faultOf(openPostgresLedger({ url: encrypted }))).toMatchObject({ kind: "io" });
      const without = await faultOf(openPostgresLedger({ url: server.url(name, "guarded", "right") }));
      expect(without).toMatchObject({ kind: "denied" });
      expect(without.message).toContain("permission denied");
      expect(await faultOf(openPostgresLedger({ url: server.url("nowhere") }))).toMatchObject({
        kind: "gone",
      });
      expect(await faultOf(openPostgresLedger({ url: server.url("postgres") }))).toMatchObject({
        kind: "gone",
      });
      const elsewhere = "postgres://machine@127.0.0.1:1/x";
      expect(await faultOf(openPostgresLedger({ url: elsewhere, waitMs: 50 }))).toMatchObject({
        kind: "unreachable",
      });
      expect(await raw("SELECT seq, commits FROM lockstep.meta")).toEqual(before);
      expect(await server.query("postgres", "SELECT to_regnamespace('lockstep') AS there")).toEqual([
        { there: null },
      ]);
    });
  });
});

describe("the ledger's time", () => {
  it("continues while the server's clock is behind it, and never goes back", async () => {
    await using(async ({ raw }) => {
      const tick = async () => (await raw("SELECT (lockstep.tick()->>'ms')::float8 AS ms"))[0]?.ms as number;
      const realMs = await tick();
      // As if the server's clock had been an hour ahead until now.
      await raw("UPDATE lockstep.clock SET ms = ms + 3600000, server_ms = server_ms + 3600000");
      const atFirst = await tick();
      expect(atFirst - realMs).toBeGreaterThanOrEqual(3_599_000);
      await raw("SELECT pg_sleep(0.1)");
      const later = await tick();
      expect(later - atFirst).toBeGreaterThanOrEqual(40);
      await raw("SELECT pg_sleep(0.1)");
      expect((await tick()) - later).toBeGreaterThanOrEqual(40);
    });
  });
});

describe("the head that a machine stores", () => {
  it("is signed: a changed one stops this machine, and no other", async () => {
    await using(async ({ url, raw }) => {
      using folder = temporaryFolder();
      const heads = { path: folder.path, create: () => {} };
      const ledger = await openPostgresLedger({ url, heads });
      committed(await ledger.commit(creating(newTask("T-1"))));
      ledger.close();
      const [name = ""] = readdirSync(folder.path);
      const file = join(folder.path, name);
      const line = readFileSync(file, "utf8");
      for (const forged of [line.replace(/^0{16}|^\d{16}/, "0000000000000099"), line.slice(0, 98), ""]) {
        writeFileSync(file, forged);
        const refused = await faultOf(openPostgresLedger({ url, heads }));
        expect(refused.message).toContain(
          `was changed: if nobody restored a backup of the ledger, delete ${file}`,
        );
      }
      expect(await raw("SELECT loss FROM lockstep.meta")).toEqual([{ loss: null }]);
      writeFileSync(file, line);
      (await openPostgresLedger({ url, heads })).close();
    });
  });
});

describe("a database that was restored from an older backup (M-9)", () => {
  it("is refused to every machine until a person accepts the loss", async () => {
    const database = await takeDatabase();
    const { server } = database;
    await server.query("postgres", `CREATE DATABASE restored TEMPLATE template_ledger`);
    using folder = temporaryFolder();
    const heads = (machine: string) => ({ path: folder.path, create: () => {}, machine });
    const at = server.url("restored", "machine");
    try {
      const first = await openPostgresLedger({ url: at, heads: heads("a") });
      committed(await first.commit(creating(newTask("T-1"))));
      first.close();
      await copyDatabase(server, "restored", "backup");
      const later = await openPostgresLedger({ url: at, heads: heads("a") });
      committed(await later.commit(creating(newTask("T-2"))));
      const unaware = await openPostgresLedger({ url: at });
      using folderOfLiving = temporaryFolder();
      const living = await openPostgresLedger({
        url: at,
        heads: { path: folderOfLiving.path, create: () => {} },
      });
      committed(await living.commit(creating(newTask("T-9"))));
      later.close();
      unaware.close();
      await copyDatabase(server, "backup", "restored");

      const lost = await faultOf(openPostgresLedger({ url: at, heads: heads("a") }));
      expect(lost.kind).toBe("lost");
      expect(lost.message).toMatch(/event 2 is missing.*`lockstep ledger accept-loss`/);
      expect((await faultOf(openPostgresLedger({ url: at }))).kind).toBe("lost");
      await acceptLoss({ url: at, heads: heads("a") }, new Date());
      const after = await openPostgresLedger({ url: at, heads: heads("a") });
      committed(await after.commit(creating(newTask("T-3"))));
      expect((await after.events()).map(({ type }) => type)).toEqual([
        "task.pending",
        "ledger.loss-accepted",
        "task.pending",
      ]);
      // A process that ran all the time continues with the current ledger, whatever it has seen before.
      committed(await living.commit(creating(newTask("T-4"))));
      await server.query(
        "postgres",
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'restored'",
      );
      committed(await living.commit(creating(newTask("T-5"))));
      living.close();
      expect((await after.verify()).problems).toEqual([]);
      after.close();
    } finally {
      await server.query("postgres", "DROP DATABASE IF EXISTS restored WITH (FORCE)");
      await server.query("postgres", "DROP DATABASE IF EXISTS backup WITH (FORCE)");
      await database.free();
    }
  });
});

async function copyDatabase(server: LedgerDatabase["server"], from: string, to: string): Promise<void> {
  await server.query("postgres", `DROP DATABASE IF EXISTS ${to} WITH (FORCE)`);
  await server.query(
    "postgres",
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${from}'`,
  );
  await server.query("postgres", `CREATE DATABASE ${to} TEMPLATE ${from}`);
}
