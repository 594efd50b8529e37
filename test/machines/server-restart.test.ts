import { chmodSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { operate } from "../../src/engine/operate.ts";
import { Connection } from "../../src/ledger/postgres/connection.ts";
import { migrate } from "../../src/ledger/postgres/migrations.ts";
import { openPostgresLedger } from "../../src/ledger/postgres/open-ledger.ts";
import { committed, creating, newTask } from "../ledger/sample-documents.ts";
import { dispatch, memoryEngine, packet, person, stateOf } from "../support/memory-engine.ts";
import { answer, planned } from "../support/planned-repository.ts";
import { PostgresServer } from "../support/postgres-server.ts";
import { machineOf } from "../support/shared-machines.ts";
import { type TemporaryFolder, temporaryFolder } from "../support/temporary-folder.ts";

let folder: TemporaryFolder;
let server: PostgresServer;
let url: string;

beforeAll(async () => {
  folder = temporaryFolder();
  chmodSync(folder.path, 0o711);
  server = await PostgresServer.create(join(folder.path, "server"));
  await server.query("postgres", "CREATE DATABASE ledger");
  const connection = await Connection.open({ url: server.url("ledger") });
  await migrate(connection, { lockstep: "0.1.0", machine: "machine" });
  connection.close();
  await server.query("ledger", "ALTER ROLE machine LOGIN");
  url = server.url("ledger", "machine");
}, 60_000);

afterAll(() => {
  server.stop("immediate");
  folder[Symbol.dispose]();
});

/** After a kill, the processes of the old server need a moment to end. */
async function startAgain(): Promise<void> {
  for (let round = 0; ; round += 1) {
    try {
      server.start();
      return;
    } catch (error) {
      if (round > 50) throw error;
      await sleep(100);
    }
  }
}

/** The ledger's time never goes back, so this is how a test lets it pass. */
const pass = (seconds: number) =>
  server.query(
    "ledger",
    `UPDATE lockstep.clock SET ms = greatest(ms, extract(epoch FROM now()) * 1000) + ${seconds * 1000}`,
  );

describe("a server that is stopped or killed, and started again (M-3)", () => {
  it.each(["stopped", "killed"] as const)("%s: a change waits for it and is stored once", async (how) => {
    const waits: string[] = [];
    const ledger = await openPostgresLedger({ url, onWait: (why) => void waits.push(why) });
    committed(await ledger.commit(creating(newTask(`before-${how}`))));
    if (how === "killed") await server.kill();
    else server.stop();
    const change = ledger.commit(creating(newTask(`after-${how}`)));
    await expect.poll(() => waits.length, { timeout: 10_000 }).toBe(1);
    await startAgain();
    expect(await change).toMatchObject({ ok: true });
    expect(waits).toHaveLength(1);
    expect((await ledger.tasks()).map(({ key }) => key)).toContain(`before-${how}`);
    expect((await ledger.verify()).problems).toEqual([]);
    ledger.close();
  });

  it("lets a process with agents wait beyond the deadline, and reports the start and the end of the wait once each", async () => {
    const messages: string[] = [];
    const waiting = {
      onWait: () => void messages.push("waits"),
      onAnswer: () => void messages.push("answers"),
    };
    const ledger = await openPostgresLedger({ url, waitMs: 100, ...waiting });
    let isAtWork = true;
    using _waits = ledger.waitWhile?.(() => isAtWork);
    server.stop();
    const [change, read] = [ledger.commit(creating(newTask("patient"))), ledger.task("patient")];
    const first = await Promise.race([change, read, sleep(1000, "waits")]);
    expect(first).toBe("waits");
    await startAgain();
    expect(await change).toMatchObject({ ok: true });
    await read;
    expect(messages).toEqual(["waits", "answers"]);
    server.stop();
    const late = ledger.task("patient");
    isAtWork = false;
    await expect(late).rejects.toThrow("cannot be reached");
    await startAgain();
    ledger.close();
  });

  it("extends every running lease to its full length, once", async () => {
    const ledger = await openPostgresLedger({ url });
    const clock = ledger.clock as NonNullable<typeof ledger.clock>;
    const engine = { ...(await memoryEngine({ ledger })), clock };
    expect((await dispatch(engine, packet("T-1", ["src"]))).allow).toBe(true);
    await pass(700);
    server.stop("immediate");
    await startAgain();
    await operate(engine, "watchdog", {}, person);
    expect(await stateOf(engine, "T-1")).toBe("IN_PROGRESS");
    await pass(300);
    await expect.poll(async () => (await ledger.fence()) && clock.now().graceMs).toBeGreaterThan(0);
    const { graceMs } = clock.now();
    await operate(engine, "watchdog", {}, person);
    expect(await stateOf(engine, "T-1")).toBe("IN_PROGRESS");
    await pass(700);
    // The ledger asks for the time once a second.
    await expect
      .poll(
        async () => {
          await operate(engine, "watchdog", {}, person);
          return stateOf(engine, "T-1");
        },
        { timeout: 20_000 },
      )
      .not.toBe("IN_PROGRESS");
    expect(clock.now().graceMs).toBe(graceMs);
    ledger.close();
  });

  it("a command reports once that it waits, and then does its work", async () => {
    using repository = planned({ agents: { a: [[answer("OK")]] }, tasks: [] });
    const machine = machineOf(repository, url);
    server.stop();
    using running = machine.start(["status", "--json"]);
    await expect.poll(() => running.errors(), { timeout: 20_000 }).toContain("lockstep: waiting: ");
    await startAgain();
    const { status, stdout, stderr } = await running.ended;
    expect(status, stderr).toBe(0);
    expect(JSON.parse(stdout).machines).toHaveLength(1);
    expect(stderr.match(/waiting/g)).toHaveLength(1);
  });
});
