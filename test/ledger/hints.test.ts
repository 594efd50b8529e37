import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, describe, expect, it } from "vitest";
import type { Ledger } from "../../src/ledger/ledger.ts";
import { openPostgresLedger } from "../../src/ledger/postgres/open-ledger.ts";
import { closeDatabases, takeDatabase } from "../support/ledger-databases.ts";

afterAll(closeDatabases);

const lookMs = 200;

async function twoProcesses() {
  const database = await takeDatabase();
  const open = async () => {
    const ledger: Ledger = await openPostgresLedger({ url: database.url });
    if (ledger.hints === undefined) throw new Error("a shared ledger has hints");
    return { ledger, hints: ledger.hints };
  };
  const [one, other] = [await open(), await open()];
  return {
    ...{ one: one.hints, other: other.hints, raw: database.raw },
    [Symbol.asyncDispose]: async () => {
      for (const { ledger } of [one, other]) ledger.close();
      await database.free();
    },
  };
}

type Two = Awaited<ReturnType<typeof twoProcesses>>;

/** Gives hints until the other process receives one: it listens from its first request on. */
async function untilReceived({ one, other }: Two): Promise<void> {
  const received = other.after(other.count).then(() => true);
  for (;;) {
    one.give();
    if (await Promise.race([received, sleep(lookMs, false)])) return;
  }
}

describe("a hint", () => {
  it("wakes another process that waits for a hint newer than the ones it has received", async () => {
    await using two = await twoProcesses();
    await untilReceived(two);
    await sleep(lookMs); // the last one may still be on its way
    const { count } = two.other;
    const waits = two.other.after(count);
    expect(await Promise.race([waits, sleep(lookMs, "waits")])).toBe("waits");
    two.one.give();
    await waits;
    expect(two.other.count).toBe(count + 1);
    await two.other.after(count);
  });

  it("is merged with hints that are given at the same time", async () => {
    await using two = await twoProcesses();
    await untilReceived(two);
    await sleep(lookMs);
    const { count } = two.other;
    for (let times = 0; times < 50; times += 1) two.one.give();
    await two.other.after(count);
    await sleep(lookMs);
    expect(two.other.count).toBe(count + 1);
  });

  it("is received after the listening connection was lost", async () => {
    await using two = await twoProcesses();
    await untilReceived(two);
    await two.raw("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN%'");
    const { count } = two.other;
    const after = async () => {
      while (two.other.count === count) {
        void two.other.after(count);
        two.one.give();
        await sleep(lookMs);
      }
    };
    await after();
    expect(two.other.count).toBeGreaterThan(count);
  });
});
