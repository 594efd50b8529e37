import { createHash } from "node:crypto";
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { canonicalJson } from "../../src/ledger/event-chain.ts";
import { acceptLoss } from "../../src/ledger/sqlite/accept-loss.ts";
import { openSqliteLedger } from "../../src/ledger/sqlite/open-ledger.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { copyOfFilled, LedgerCopy, refusalOf, sumOf, tamper } from "./ledger-copy.ts";
import { committed, creating, dumpOf, newAttempt, newEvent, newTask } from "./sample-documents.ts";

const open = (folder: string) => openSqliteLedger({ folder, create: true });
const now = new Date("2026-02-14T20:00:00.000Z");

async function longCopy(folder: string): Promise<{ copy: LedgerCopy; last: number }> {
  await copyOfFilled(folder);
  return lengthened(folder);
}

/** Adds twenty events. */
async function lengthened(folder: string): Promise<{ copy: LedgerCopy; last: number }> {
  const ledger = await open(folder);
  const events = Array.from({ length: 20 }, (_, n) => newEvent(n % 2 === 0 ? "T-1" : null, { data: { n } }));
  const last = committed(await ledger.commit({ events }));
  ledger.close();
  return { copy: new LedgerCopy(folder), last };
}

type Body = Record<string, unknown>;

function readBody(database: DatabaseSync, seq: number): Body {
  const row = database.prepare("SELECT body FROM events WHERE key = ?").get(seq);
  return JSON.parse(String(row?.body)) as Body;
}

/** With a correct sum. */
function writeBody(database: DatabaseSync, seq: number, body: Body): void {
  const text = canonicalJson(body);
  database
    .prepare("UPDATE events SET body = ?, sum = ? WHERE key = ?")
    .run(text, sumOf("events", seq, text), seq);
}

const hashOf = (previous: unknown, seq: number, { hash, ...event }: Body) =>
  createHash("sha256")
    .update(`${previous}\n${canonicalJson({ ...event, seq })}`)
    .digest("hex");

/** Recomputes all links from a changed event on. */
function rehash(database: DatabaseSync, first: number, last: number): void {
  for (let seq = first; seq <= last; seq += 1) {
    const previous = seq === 1 ? "0".repeat(64) : readBody(database, seq - 1).hash;
    const body = readBody(database, seq);
    writeBody(database, seq, { ...body, hash: hashOf(previous, seq, body) });
  }
}

const tricks: [string, (database: DatabaseSync, seq: number, last: number) => void][] = [
  [
    "changed",
    (database, seq) =>
      database.exec(`UPDATE events SET body = json_set(body, '$.actor', 'me') WHERE key = ${seq}`),
  ],
  [
    "changed, with its sum",
    (database, seq) => writeBody(database, seq, { ...readBody(database, seq), actor: "me" }),
  ],
  [
    "changed, with its sum and its hash",
    (database, seq) => {
      const previous = seq === 1 ? "0".repeat(64) : readBody(database, seq - 1).hash;
      const body: Body = { ...readBody(database, seq), actor: "me" };
      writeBody(database, seq, { ...body, hash: hashOf(previous, seq, body) });
    },
  ],
  ["deleted", (database, seq) => database.exec(`DELETE FROM events WHERE key = ${seq}`)],
  [
    "deleted, with the others moved up",
    (database, seq, last) => {
      for (let at = seq; at < last; at += 1) writeBody(database, at, readBody(database, at + 1));
      database.exec(`DELETE FROM events WHERE key = ${last}`);
    },
  ],
  [
    "exchanged with the next",
    (database, seq, last) => {
      const other = seq === last ? seq - 1 : seq + 1;
      const [one, two] = [readBody(database, seq), readBody(database, other)];
      writeBody(database, seq, two);
      writeBody(database, other, one);
    },
  ],
  [
    "changed, with all hashes after it",
    (database, seq, last) => {
      writeBody(database, seq, { ...readBody(database, seq), actor: "me" });
      rehash(database, seq, last);
    },
  ],
];

describe("a changed event", () => {
  it.each(tricks)("is named in any position: %s", async (_, trick) => {
    using folder = temporaryFolder();
    const { copy, last } = await longCopy(folder.path);
    for (let seq = 1; seq <= last; seq += 1) {
      copy.restore(folder.path);
      tamper(folder.path, (database) => trick(database, seq, last));
      const refusal = await refusalOf(folder.path);
      if (refusal === undefined) {
        const ledger = await open(folder.path);
        const { problems } = await ledger.verify();
        ledger.close();
        expect([seq - 1, seq, seq + 1]).toContain(problems[0]?.seq);
      } else {
        expect(["corrupt", "lost"]).toContain(refusal.kind);
        expect(refusal.message).toMatch(/events? \d+|row `\d+` of table events/);
      }
    }
  });

  it("is found in an open ledger, with the first broken link first", async () => {
    using folder = temporaryFolder();
    await longCopy(folder.path);
    const ledger = await open(folder.path);
    expect((await ledger.verify()).problems).toEqual([]);
    tamper(folder.path, (database) => {
      writeBody(database, 12, { ...readBody(database, 12), actor: "me" });
      database.exec("DELETE FROM events WHERE key IN (7, 8, 15)");
      database.exec("UPDATE events SET body = json_set(body, '$.actor', 'me') WHERE key = 10");
    });
    const { problems } = await ledger.verify();
    expect(problems.slice(0, 4)).toEqual([
      { seq: 7, problem: "events 7 to 8 are missing" },
      { seq: 10, problem: "row `10` of table events does not match its sum" },
      { seq: 12, problem: "event 12 does not follow from the one before: one of them was changed" },
      { seq: 15, problem: "event 15 is missing" },
    ]);
    ledger.close();
  });
});

describe("a rewritten history with a matching head", () => {
  it.each([
    ["omits a step", "from", "event 4 takes task `T-1` from REVIEW, but it was PENDING"],
    ["ends elsewhere", "to", "task `T-1` is IN_PROGRESS, but its events end at REVIEW"],
  ])("still shows that it %s", async (_, field, expected) => {
    using folder = temporaryFolder();
    const { last } = await longCopy(folder.path);
    const seq = 4;
    tamper(folder.path, (database) => {
      expect(readBody(database, seq)).toMatchObject({ task: "T-1", from: "PENDING", to: "IN_PROGRESS" });
      writeBody(database, seq, { ...readBody(database, seq), [field]: "REVIEW" });
      rehash(database, seq, last);
    });
    await acceptLoss(folder.path, now);
    const ledger = await open(folder.path);
    const { problems } = await ledger.verify();
    expect(problems.map(({ problem }) => problem)).toEqual([expected]);
    ledger.close();
  });
});

describe("a ledger with an older state", () => {
  const lost = async (folder: string, why: string) => {
    const refusal = await refusalOf(folder);
    expect(refusal).toMatchObject({ kind: "lost", retryable: false });
    expect(refusal?.message).toContain("was rolled back, truncated or deleted");
    expect(refusal?.message).toContain(why);
    expect(refusal?.message).toMatch(/restore it from a copy, or .*`lockstep ledger accept-loss`$/);
  };

  it("is refused if its last events are cut off, and `verify` names them", async () => {
    using folder = temporaryFolder();
    const { copy, last } = await longCopy(folder.path);
    for (const cut of [1, 2, last]) {
      copy.restore(folder.path);
      tamper(folder.path, (database) => database.exec(`DELETE FROM events WHERE key > ${last - cut}`));
      await lost(
        folder.path,
        cut === 1 ? `event ${last} is missing at the end` : `events ${last - cut + 1} to ${last}`,
      );
    }
    copy.restore(folder.path);
    const ledger = await open(folder.path);
    tamper(folder.path, (database) => database.exec(`DELETE FROM events WHERE key > ${last - 3}`));
    const { problems } = await ledger.verify();
    expect(problems[0]).toEqual({
      seq: last - 2,
      problem: `events ${last - 2} to ${last} are missing at the end`,
    });
    ledger.close();
  });

  it("is refused if it was replaced by an older copy", async () => {
    using folder = temporaryFolder();
    const older = await copyOfFilled(folder.path);
    const { copy, last } = await lengthened(folder.path);
    copy.restore(folder.path, { "state.db": older.get("state.db") });
    await lost(folder.path, `to ${last} are missing at the end`);
  });

  it("is refused even if only changes without events are missing, except heartbeats", async () => {
    using folder = temporaryFolder();
    const before = await copyOfFilled(folder.path);
    let ledger = await open(folder.path);
    committed(await ledger.commit({ attempts: [newAttempt("T-9")], durable: false }));
    ledger.close();
    const beaten = new LedgerCopy(folder.path);
    beaten.restore(folder.path, { "state.db": before.get("state.db") });
    expect(await refusalOf(folder.path)).toBeUndefined();
    ledger = await open(folder.path);
    committed(await ledger.commit({ settings: { breaker: 1 } }));
    ledger.close();
    new LedgerCopy(folder.path).restore(folder.path, { "state.db": before.get("state.db") });
    await lost(folder.path, "the last 1 changes are missing");
  });

  it("is refused if the database is deleted, empty or new", async () => {
    using folder = temporaryFolder();
    using other = temporaryFolder();
    const { copy } = await longCopy(folder.path);
    const path = join(folder.path, "state.db");
    rmSync(path);
    await lost(folder.path, "state.db is missing or empty");
    expect(existsSync(path)).toBe(false);
    writeFileSync(path, "");
    await lost(folder.path, "state.db is missing or empty");
    (await open(other.path)).close();
    copy.restore(folder.path, { "state.db": readFileSync(join(other.path, "state.db")) });
    await lost(folder.path, "are missing at the end");
    rmSync(path);
    rmSync(join(folder.path, "audit.head"));
    writeFileSync(`${path}-wal`, "what is left of it");
    await lost(folder.path, "state.db is missing or empty");
  });

  it.each<[string, string | undefined, string]>([
    ["is missing", undefined, "audit.head is missing"],
    ["is empty", "", "audit.head is unreadable"],
    ["is malformed", `${"x".repeat(98)}\n`, "audit.head is unreadable"],
  ])("is suspected, and so refused, if its head %s", async (_, text, why) => {
    using folder = temporaryFolder();
    await copyOfFilled(folder.path);
    const head = join(folder.path, "audit.head");
    if (text === undefined) rmSync(head);
    else writeFileSync(head, text);
    await lost(folder.path, why);
  });

  it("is not suspected if its head is behind, as after a crash: the head is updated", async () => {
    using folder = temporaryFolder();
    const older = await copyOfFilled(folder.path);
    const { copy } = await lengthened(folder.path);
    copy.restore(folder.path, { "audit.head": older.get("audit.head") });
    expect(await refusalOf(folder.path)).toBeUndefined();
    expect(readFileSync(join(folder.path, "audit.head"))).toEqual(copy.get("audit.head"));
  });
});

describe("the head", () => {
  it("is one line of constant size that follows every change of every process", async () => {
    using folder = temporaryFolder();
    const [one, two] = [await open(folder.path), await open(folder.path)];
    const head = () => readFileSync(join(folder.path, "audit.head"), "latin1");
    const { size } = statSync(join(folder.path, "audit.head"));
    expect(head()).toBe(`${"0".repeat(16)} ${"0".repeat(16)} ${"0".repeat(64)}\n`);
    for (const [index, ledger] of [one, two, one, one, two].entries()) {
      // An event always waits for the disk: a head must not know an event that a power failure has removed.
      committed(await ledger.commit({ ...creating(newTask(`T-${index}`)), durable: index % 2 === 0 }));
      const [last] = await ledger.events({ newestFirst: true, limit: 1 });
      const number = String(index + 1).padStart(16, "0");
      expect(head()).toBe(`${number} ${number} ${last?.hash}\n`);
      expect(head()).toHaveLength(size);
    }
    one.close();
    two.close();
  });

  it("never goes back", async () => {
    using folder = temporaryFolder();
    const ledger = await open(folder.path);
    const path = join(folder.path, "audit.head");
    const ahead = `${"9".padStart(16, "0")} ${"9".padStart(16, "0")} ${"a".repeat(64)}\n`;
    writeFileSync(path, ahead);
    committed(await ledger.commit(creating(newTask("T-1"))));
    expect(readFileSync(path, "latin1")).toBe(ahead);
    ledger.close();
  });

  it("does not fail a stored change", async () => {
    using folder = temporaryFolder();
    const ledger = await open(folder.path);
    rmSync(join(folder.path, "audit.head"));
    committed(await ledger.commit(creating(newTask("T-1"))));
    expect((await ledger.verify()).problems).toEqual([{ problem: "the file audit.head is missing" }]);
    ledger.close();
  });
});

describe("accepting a loss", () => {
  it("continues from the current state, and keeps the old head", async () => {
    using folder = temporaryFolder();
    const older = await copyOfFilled(folder.path);
    const ledger = await open(folder.path);
    const dump = await dumpOf(ledger);
    ledger.close();
    const { copy, last } = await lengthened(folder.path);
    copy.restore(folder.path, { "state.db": older.get("state.db") });
    const kept = join(folder.path, "audit.head.lost-20260214T200000000Z");
    const accepted = await acceptLoss(folder.path, now);
    expect(accepted).toMatchObject({ before: { seq: last }, now: { seq: last - 20 }, kept: [kept] });
    expect(readFileSync(kept)).toEqual(copy.get("audit.head"));
    const again = await open(folder.path);
    expect(await dumpOf(again)).toEqual(dump);
    expect((await again.verify()).problems).toEqual([]);
    again.close();
  });

  it.each(["audit.head", "state.db"])("allows a new ledger or a new head if %s is missing", async (name) => {
    using folder = temporaryFolder();
    await copyOfFilled(folder.path);
    rmSync(join(folder.path, name));
    expect(await refusalOf(folder.path)).toMatchObject({ kind: "lost" });
    const accepted = await acceptLoss(folder.path, now);
    expect(accepted.now === undefined).toBe(name === "state.db");
    expect(accepted.before === undefined).toBe(name === "audit.head");
    const ledger = await open(folder.path);
    expect(await ledger.tasks()).toHaveLength(name === "state.db" ? 0 : 3);
    ledger.close();
  });

  it("moves the rest of a deleted database aside", async () => {
    using folder = temporaryFolder();
    folder.write("state.db-wal", "what is left of it");
    const kept = join(folder.path, "state.db-wal.lost-20260214T200000000Z");
    expect(await acceptLoss(folder.path, now)).toEqual({ before: undefined, now: undefined, kept: [kept] });
    expect(await refusalOf(folder.path)).toBeUndefined();
  });

  it("does not repair a damaged database", async () => {
    using folder = temporaryFolder();
    folder.write("state.db", "no database".repeat(1000));
    folder.write("audit.head", "");
    await expect(acceptLoss(folder.path, now)).rejects.toMatchObject({ kind: "corrupt" });
    expect(existsSync(join(folder.path, "audit.head"))).toBe(true);
  });
});
