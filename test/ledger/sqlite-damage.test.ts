import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Task } from "../../src/core/tasks/task.ts";
import type { Ledger } from "../../src/ledger/ledger.ts";
import { openSqliteLedger } from "../../src/ledger/sqlite/open-ledger.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { copyOfFilled, fillLedger, LedgerCopy, refusalOf, sumOf, tamper } from "./ledger-copy.ts";
import {
  at,
  committed,
  creating,
  dumpOf,
  moving,
  newEvent,
  newLock,
  newRun,
  newTask,
} from "./sample-documents.ts";

const open = (folder: string) => openSqliteLedger({ folder, create: true });

/** Opens the ledger: it is either refused or has the same content as before. */
async function outcomeOf(folder: string, expected: unknown): Promise<"refused" | "same"> {
  const refusal = await refusalOf(folder);
  if (refusal !== undefined) {
    expect(["corrupt", "lost", "newer"]).toContain(refusal.kind);
    return "refused";
  }
  const ledger = await open(folder);
  expect(await dumpOf(ledger)).toEqual(expected);
  ledger.close();
  return "same";
}

async function dumpThere(folder: string): Promise<unknown> {
  const ledger = await open(folder);
  const dump = await dumpOf(ledger);
  ledger.close();
  return dump;
}

/** Numbers below `max`: the same in every run, or new ones with `SEED=random`. */
const numbers = (count: number, max: number) => fc.sample(fc.integer({ min: 0, max: max - 1 }), count);

describe("a damaged database", () => {
  it("is refused or still has its content, for each of 500 damaged bytes", async () => {
    using folder = temporaryFolder();
    const copy = await copyOfFilled(folder.path);
    const expected = await dumpThere(folder.path);
    const bytes = copy.get("state.db");
    const written = [...bytes.keys()].filter((position) => bytes[position] !== 0);
    const header = Array.from({ length: 100 }, (_, position) => position);
    const anywhere = numbers(100, bytes.length);
    const somewhere = numbers(300, written.length).map((index) => written[index] as number);
    const masks = [...header.map((position) => (position % 2 === 0 ? 0x7f : 0)), ...numbers(400, 255)];
    const seen = { refused: 0, same: 0 };
    for (const [index, position] of [...header, ...anywhere, ...somewhere].entries()) {
      const flipped = Buffer.from(bytes);
      flipped[position] = (flipped[position] as number) ^ ((masks[index] as number) + 1);
      copy.restore(folder.path, { "state.db": flipped });
      const outcome = await outcomeOf(folder.path, expected).catch((error: unknown) => {
        throw new Error(`byte ${position} became ${flipped[position]}`, { cause: error });
      });
      seen[outcome] += 1;
      if (outcome === "refused")
        expect(readFileSync(join(folder.path, "state.db")).length).toBe(bytes.length);
    }
    expect(seen.refused).toBeGreaterThan(250);
    expect(seen.same).toBeGreaterThan(50);
  });

  it("is refused or still has its content, for any part that is cut off", async () => {
    using folder = temporaryFolder();
    const copy = await copyOfFilled(folder.path);
    const expected = await dumpThere(folder.path);
    const bytes = copy.get("state.db");
    for (const length of [0, 1, 50, 100, 4095, 4096, 8192, bytes.length - 4096, bytes.length - 1]) {
      copy.restore(folder.path, { "state.db": bytes.subarray(0, length) });
      expect(await outcomeOf(folder.path, expected)).toBe("refused");
    }
  });

  it("is not changed, is copied once, and the message says how to replace it", async () => {
    using folder = temporaryFolder();
    const copy = await copyOfFilled(folder.path);
    const flipped = Buffer.from(copy.get("state.db"));
    const place = flipped.indexOf("title of T-1");
    flipped.write("tidle", place);
    copy.restore(folder.path, { "state.db": flipped });
    const path = join(folder.path, "state.db");
    for (let round = 0; round < 6; round += 1) {
      const refusal = await refusalOf(folder.path);
      const kept = readdirSync(folder.path).filter((name) => name.includes("corrupt"));
      expect(refusal).toMatchObject({ kind: "corrupt", retryable: false });
      expect(refusal?.message).toContain("row `T-1` of table tasks does not match its sum");
      expect(refusal?.message).toContain(`\`cp COPY ${path} && rm -f ${path}-wal ${path}-shm\``);
      expect(kept).toHaveLength(round < 2 ? 1 : Math.min(round, 3));
      if (round < 4)
        expect(refusal?.message).toContain(`; a copy of the current ledger is kept as \`${path}.corrupt-`);
      expect(readFileSync(path)).toEqual(flipped);
      for (const name of kept) expect(readFileSync(join(folder.path, name))).toEqual(flipped);
      // From the second round on, the file looks like another one each time, as if it had been restored meanwhile.
      if (round > 0) utimesSync(path, new Date(), new Date(Date.now() + round * 60_000));
    }
  });
});

describe("a damaged write-ahead log", () => {
  /** The state after a crash: copied by another program while the ledger is open. */
  async function crashedCopy(folder: string): Promise<LedgerCopy> {
    using live = temporaryFolder();
    const ledger = await open(live.path);
    await fillLedger(ledger);
    execFileSync("sh", ["-c", 'cp "$0"/state.db "$0"/state.db-wal "$0"/audit.head "$1"', live.path, folder]);
    ledger.close();
    return new LedgerCopy(folder);
  }

  it("is refused, or the ledger still has its content", async () => {
    using folder = temporaryFolder();
    const copy = await crashedCopy(folder.path);
    const expected = await dumpThere(folder.path);
    const log = copy.get("state.db-wal");
    expect(log.length).toBeGreaterThan(50_000);
    const seen = { refused: 0, same: 0 };
    const tryWith = async (changed: Buffer) => {
      copy.restore(folder.path, { "state.db-wal": changed });
      seen[await outcomeOf(folder.path, expected)] += 1;
    };
    for (const length of [0, 1, 31, 32, 33, ...numbers(40, log.length)])
      await tryWith(log.subarray(0, length));
    for (const position of [0, 5, 10, 20, ...numbers(40, log.length)]) {
      const flipped = Buffer.from(log);
      flipped[position] = (flipped[position] as number) ^ 0x55;
      await tryWith(flipped);
    }
    const garbage = Buffer.alloc(log.length, 0xa5);
    await tryWith(garbage);
    const [kept = ""] = readdirSync(folder.path).filter((name) => /lost-\w+-wal$/.test(name));
    expect(readFileSync(join(folder.path, kept))).toEqual(garbage);
    expect(seen.refused).toBeGreaterThan(60);
    copy.restore(folder.path);
    expect(await outcomeOf(folder.path, expected)).toBe("same");
  });

  it("that is missing is refused", async () => {
    using folder = temporaryFolder();
    await crashedCopy(folder.path);
    rmSync(join(folder.path, "state.db-wal"));
    const before = readFileSync(join(folder.path, "state.db"));
    expect(await refusalOf(folder.path)).toMatchObject({ kind: "lost" });
    expect(readFileSync(join(folder.path, "state.db"))).toEqual(before);
  });
});

describe("a row that was changed without the ledger", () => {
  const set = (table: string, path: string) =>
    `UPDATE ${table} SET body = json_set(body, '${path}', 'other')`;
  const rows: [string, string, (ledger: Ledger) => Promise<unknown>][] = [
    ["tasks", set("tasks", "$.title"), (ledger) => ledger.task("T-1")],
    ["tasks", set("tasks", "$.title"), (ledger) => ledger.tasks()],
    ["tasks", set("tasks", "$.title"), (ledger) => ledger.dependents("T-1")],
    ["tasks", set("tasks", "$.title"), (ledger) => ledger.waitingFor("T-1")],
    ["tasks", "UPDATE tasks SET key = 'T-9' WHERE key = 'T-1'", (ledger) => ledger.task("T-9")],
    ["attempts", set("attempts", "$.agent"), (ledger) => ledger.attempt("T-1")],
    ["attempts", set("attempts", "$.agent"), (ledger) => ledger.runningAttempts()],
    ["locks", set("locks", "$.takenAt"), (ledger) => ledger.locks()],
    ["locks", set("locks", "$.takenAt"), (ledger) => ledger.locksNear(["src"])],
    ["locks", set("locks", "$.takenAt"), (ledger) => ledger.locksOnResources(["db"])],
    ["decisions", set("decisions", "$.question"), (ledger) => ledger.decisions()],
    ["intents", set("intents", "$.task"), (ledger) => ledger.intents()],
    ["settings", set("settings", "$.mode"), (ledger) => ledger.setting("breaker")],
    ["requests", set("requests", "$.digest"), (ledger) => ledger.answered("r-1")],
    ["meta", "UPDATE meta SET body = '0' WHERE key = 'fence'", (ledger) => ledger.fence()],
    ["events", set("events", "$.at"), (ledger) => ledger.events()],
    ["events", set("events", "$.at"), (ledger) => ledger.commit({ events: [newEvent(null)] })],
  ];

  it.each(rows)(
    "in %s by %s is never returned, and is found by `verify` and when the ledger is opened",
    async (table, sql, read) => {
      using folder = temporaryFolder();
      const ledger = await open(folder.path);
      await fillLedger(ledger);
      await read(ledger);
      tamper(folder.path, (database) => database.exec(sql));
      await expect(read(ledger)).rejects.toMatchObject({ kind: "corrupt", code: "E-STORE" });
      const { problems } = await ledger.verify();
      expect(problems.map(({ problem }) => problem).join("\n")).toContain(
        `of table ${table} does not match its sum`,
      );
      ledger.close();
      expect(await refusalOf(folder.path)).toMatchObject({ kind: "corrupt" });
    },
  );

  it.each([
    ["dependencies", "DELETE FROM dependencies"],
    ["dependencies", "INSERT INTO dependencies VALUES ('T-3', 'T-1')"],
    ["dependencies", "UPDATE dependencies SET needed = 'T-3'"],
    ["lock_prefixes", "DELETE FROM lock_prefixes WHERE prefix = 'src/a'"],
    ["lock_prefixes", "INSERT INTO lock_prefixes VALUES ('lib', 4)"],
    ["lock_prefixes", "INSERT INTO lock_prefixes VALUES ('other', 1)"],
    ["lock_prefixes", "INSERT INTO lock_prefixes VALUES ('src/a', 99)"],
  ])("or the derived table %s by %s is found too", async (table, sql) => {
    using folder = temporaryFolder();
    const ledger = await open(folder.path);
    await fillLedger(ledger);
    tamper(folder.path, (database) => database.exec(sql));
    const { problems } = await ledger.verify();
    expect(problems.map(({ problem }) => problem).join("\n")).toContain(`table ${table}`);
    ledger.close();
    expect((await refusalOf(folder.path))?.message).toContain(`table ${table}`);
  });

  it.each([
    [
      "a state without an event",
      "UPDATE tasks SET body = json_set(body, '$.state', 'MERGED') WHERE key = 'T-1'",
      "its events end at IN_PROGRESS",
    ],
    ["a deleted task", "DELETE FROM tasks WHERE key = 'T-1'", "task `T-1` is missing"],
    [
      "an added task",
      "INSERT INTO tasks SELECT 'T-9', replace(body, 'T-1', 'T-9'), '' FROM tasks WHERE key = 'T-1'",
      "its events end at null",
    ],
  ])("with a corrected sum is found by its events: %s", async (_, sql, found) => {
    using folder = temporaryFolder();
    const ledger = await open(folder.path);
    await fillLedger(ledger);
    tamper(folder.path, (database) => {
      database.exec(sql);
      for (const { key, body } of database.prepare("SELECT key, body FROM tasks").all())
        database
          .prepare("UPDATE tasks SET sum = ? WHERE key = ?")
          .run(sumOf("tasks", String(key), String(body)), key as string);
    });
    const { problems } = await ledger.verify();
    expect(problems.map(({ problem }) => problem).join("\n")).toContain(found);
    ledger.close();
  });
});

describe("damaged evidence", () => {
  it.each([
    "UPDATE evidence SET body = json_set(body, '$.tree', 'another') WHERE key = 'k-1'",
    "UPDATE evidence SET body = '{' WHERE key = 'k-1'",
    "UPDATE evidence SET sum = '' WHERE key = 'k-1'",
    "UPDATE evidence SET key = 'k-1' WHERE key = 'k-2'",
  ])("by %s is ignored, is found by `verify`, and is replaced by the next run", async (sql) => {
    using folder = temporaryFolder();
    const ledger = await open(folder.path);
    await fillLedger(ledger);
    tamper(folder.path, (database) => {
      if (sql.includes("'k-2'")) database.exec("DELETE FROM evidence WHERE key = 'k-1'");
      database.exec(sql);
    });
    expect(await ledger.evidence("k-1")).toBeUndefined();
    expect((await ledger.verify()).problems).toEqual([
      { problem: "row `k-1` of table evidence does not match its sum" },
    ]);
    ledger.close();
    expect(await refusalOf(folder.path)).toBeUndefined();
    const again = await open(folder.path);
    committed(await again.commit({ evidence: [newRun("k-1")] }));
    expect(await again.evidence("k-1")).toEqual(newRun("k-1"));
    expect((await again.verify()).problems).toEqual([]);
    again.close();
  });
});

describe("a file that is not this ledger", () => {
  it.each<[string, (path: string) => void]>([
    [
      "text",
      (path) => writeFileSync(path, "not a database at all, but long enough to look at\n".repeat(100)),
    ],
    [
      "another program's database",
      (path) => {
        using database = new DatabaseSync(path);
        database.exec("PRAGMA user_version = 1; CREATE TABLE tasks (a)");
      },
    ],
    [
      "another program's empty database",
      (path) => {
        using database = new DatabaseSync(path);
        database.exec("PRAGMA application_id = 7; CREATE TABLE t (a); DROP TABLE t");
      },
    ],
  ])("is refused and not changed: %s", async (_, make) => {
    using folder = temporaryFolder();
    const path = join(folder.path, "state.db");
    make(path);
    const before = readFileSync(path);
    expect(await refusalOf(folder.path)).toMatchObject({ kind: "corrupt" });
    expect(readFileSync(path)).toEqual(before);
    expect(existsSync(join(folder.path, "audit.head"))).toBe(false);
  });

  it.each([
    "DROP TRIGGER events_are_not_changed",
    "DROP INDEX locks_by_task",
    "CREATE TABLE more (a)",
    "CREATE TRIGGER more AFTER INSERT ON events BEGIN DELETE FROM requests; END",
    "DROP TABLE settings",
  ])("is refused after %s, which `verify` finds", async (sql) => {
    using folder = temporaryFolder();
    const ledger = await open(folder.path);
    await fillLedger(ledger);
    using database = new DatabaseSync(join(folder.path, "state.db"));
    database.exec(sql);
    database.close();
    const { problems } = await ledger.verify();
    expect(problems.map(({ problem }) => problem).join("\n")).toMatch(/triggers were changed|no such table/);
    ledger.close();
    expect(await refusalOf(folder.path)).toMatchObject({ kind: "corrupt" });
  });
});

describe("the check of a large ledger", () => {
  const hourMs = 3_600_000;

  it("runs once an hour, not for urgent commands, and again in each process after it found a fault", async () => {
    using folder = temporaryFolder();
    const ledger = await open(folder.path);
    await fillLedger(ledger);
    const events = Array.from({ length: 200 }, () => newEvent(null, { data: "x".repeat(6000) }));
    committed(await ledger.commit({ events }));
    ledger.close();
    const mark = join(folder.path, "checked");
    expect(existsSync(mark)).toBe(false);
    expect(statSync(join(folder.path, "state.db")).size).toBeGreaterThan(1024 * 1024);

    expect(await refusalOf(folder.path)).toBeUndefined();
    expect(statSync(mark).mode & 0o777).toBe(0o600);
    tamper(folder.path, (database) => database.exec("UPDATE requests SET body = '{}'"));
    expect(await refusalOf(folder.path)).toBeUndefined();
    const ago = (ms: number) => utimesSync(mark, new Date(), new Date(Date.now() - ms));
    ago(hourMs - 60_000);
    expect(await refusalOf(folder.path)).toBeUndefined();
    ago(hourMs + 60_000);
    (await openSqliteLedger({ folder: folder.path, create: false, urgent: true })).close();
    expect(await refusalOf(folder.path)).toMatchObject({ kind: "corrupt" });
    expect(existsSync(mark)).toBe(false);
    expect(await refusalOf(folder.path)).toMatchObject({ kind: "corrupt" });
  });
});

describe("verifying", () => {
  it("lets other work run, and reports nothing wrong about simultaneous changes", async () => {
    using folder = temporaryFolder();
    const ledger = await open(folder.path);
    await fillLedger(ledger);
    committed(await ledger.commit({ events: Array.from({ length: 3000 }, () => newEvent(null)) }));
    let running = true;
    let rounds = 0;
    const verifying = ledger.verify().finally(() => {
      running = false;
    });
    for (; running; rounds += 1) {
      const task = (await ledger.tasks())[rounds % 3] as Task;
      const changed = { ...task, dependsOn: [`T-${rounds}`] };
      committed(await ledger.commit(moving(changed, task.state === "FAILED" ? "PENDING" : "FAILED")));
      committed(await ledger.commit(creating(newTask(`A-${rounds}`))));
      const fence = await ledger.fence();
      const take = [newLock("T-2", `lib/${rounds}`)];
      committed(await ledger.commit({ release: { tasks: ["T-2"], at }, take, expect: { fence } }));
      await new Promise(setImmediate);
    }
    expect(rounds).toBeGreaterThan(5);
    expect((await verifying).problems).toEqual([]);
    ledger.close();
  });
});
