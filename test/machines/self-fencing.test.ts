import { afterAll, describe, expect, it } from "vitest";
import type { Engine } from "../../src/engine/change/engine.ts";
import { openPostgresLedger } from "../../src/ledger/postgres/open-ledger.ts";
import { Heartbeats } from "../../src/run/attempt/heartbeats.ts";
import { cuttingProxy } from "../support/cutting-proxy.ts";
import { closeDatabases, takeDatabase } from "../support/ledger-databases.ts";
import { dispatch, memoryEngine, packet, runner } from "../support/memory-engine.ts";

afterAll(closeDatabases);

const leaseSeconds = 4;

describe("an agent whose machine is cut off from the ledger", () => {
  it("continues through a short interruption, and is stopped before its lease ends in a long one", async () => {
    const database = await takeDatabase();
    await using proxy = await cuttingProxy(database.server.port);
    const url = `postgres://machine@127.0.0.1:${proxy.port}/${database.name}`;
    const ledger = await openPostgresLedger({ url, waitMs: 200 });
    const direct = await openPostgresLedger({ url: database.url });
    const clock = ledger.clock as NonNullable<typeof ledger.clock>;
    const engine: Engine = { ...(await memoryEngine({ ledger })), clock, machine: "one" };
    const assignment = { timeout_seconds: leaseSeconds, heartbeat_interval_seconds: 1 };
    const started = await dispatch(engine, packet("T-1", ["src"], { assignment }));
    const { epoch } = started.details as { epoch: number };
    const beats = new Heartbeats(
      { engine },
      {
        ...{ task: "T-1", call: { ...runner, epoch }, stop: new AbortController().signal },
        leaseMs: leaseSeconds * 1000,
      },
    );
    let stoppedMs: number | undefined;
    using _watch = beats.watch(() => {
      stoppedMs ??= performance.now();
    });
    const talking = setInterval(() => beats.see({ type: "said", text: "" }), 50);
    const beatMs = async () => (await direct.attempt("T-1"))?.lease.beatMs ?? 0;
    const renewed = async () => {
      const before = await beatMs();
      await expect.poll(beatMs, { timeout: 10_000 }).toBeGreaterThan(before);
    };
    await renewed();
    proxy.cut();
    await expect.poll(() => proxy.refused, { timeout: 10_000 }).toBeGreaterThan(0);
    proxy.join();
    await renewed();
    expect(stoppedMs).toBeUndefined();
    proxy.cut();
    await expect.poll(() => stoppedMs, { timeout: 20_000 }).toBeDefined();
    clearInterval(talking);
    expect(beats.lost).toMatchObject({ code: "R-LS-001" });
    expect(beats.fault).toBeUndefined();
    // On the ledger's own clock, the lease still runs.
    await direct.fence();
    const { monoMs } = (direct.clock as NonNullable<typeof direct.clock>).now();
    expect(monoMs - (await beatMs())).toBeLessThan(leaseSeconds * 1000);
    ledger.close();
    direct.close();
    await database.free();
  });
});
