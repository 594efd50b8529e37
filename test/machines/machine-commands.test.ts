import { afterAll, describe, expect, it } from "vitest";
import { memberRole, takeRole } from "../../src/engine/change/hold-role.ts";
import type { MachineStatus } from "../../src/engine/machines/list-machines.ts";
import { openPostgresLedger } from "../../src/ledger/postgres/open-ledger.ts";
import { closeDatabases } from "../support/ledger-databases.ts";
import { memoryEngine, runner } from "../support/memory-engine.ts";
import { answer } from "../support/planned-repository.ts";
import { type SharedMachine, type SharedMachines, sharedMachines } from "../support/shared-machines.ts";

afterAll(closeDatabases);

const none = { agents: { a: [[answer("OK")]] }, tasks: [] };

/** A fleet member on a machine with this name; it does no work. */
async function joins({ database }: SharedMachines, id: string) {
  const machine = { id, name: `box-${id}`, lockstep: "0" };
  const ledger = await openPostgresLedger({ url: database.url, machine });
  const identityOf = (pid: number) => ({ pid, startedAt: "1", boot: id, machine: id });
  const engine = { ...(await memoryEngine({ ledger })), machine: id, identityOf };
  const clock = ledger.clock as NonNullable<typeof ledger.clock>;
  const offer = {
    kind: "worker",
    slots: 3,
    labels: ["gpu"],
    lacks: ["agent `b`: no"],
    draining: false,
  } as const;
  const taken = await takeRole({ ...engine, clock }, { name: memberRole(id, "/x"), offer }, runner);
  expect(taken).toHaveProperty("epoch");
  ledger.close();
}

const passing = (seconds: number) =>
  `UPDATE lockstep.clock SET ms = greatest(ms, extract(epoch FROM now()) * 1000) + ${seconds * 1000}`;

describe("the machines of a fleet", () => {
  it("are listed with their offers, drained by name, and forgotten once they are dead", async () => {
    await using shared = await sharedMachines(none);
    const [one] = shared.machines as [SharedMachine];
    await joins(shared, "aaaa1111");
    const listed = async () => {
      const { machines } = await one.json<{ machines: MachineStatus[] }>("machine", "list");
      return machines.find(({ id }) => id === "aaaa1111");
    };
    expect(await listed()).toMatchObject({
      ...{ name: "box-aaaa1111", slots: 3, labels: ["gpu"], lacks: ["agent `b`: no"], tasks: [] },
      ...{ draining: false, gone: false, is_this: false },
    });
    expect((await one.run(["machine", "list"])).stdout).toMatch(/box-aaaa1111 +aaaa1111 +0 of 3 +gpu/);
    const unknown = await one.run(["machine", "drain", "other"]);
    expect([unknown.status, unknown.stderr]).toEqual([
      2,
      expect.stringContaining("there is no machine `other`"),
    ]);
    expect((await one.run(["machine", "drain", "box-aaaa1111"])).status).toBe(0);
    expect(await listed()).toMatchObject({ draining: true });
    expect((await one.run(["machine", "drain", "aaaa"])).stdout).toContain("already starts nothing more");
    expect((await one.run(["status"])).stdout).toMatch(
      /machine box-aaaa1111: no tasks; draining; labels gpu/,
    );
    const early = await one.run(["machine", "forget", "aaaa"]);
    expect([early.status, early.stderr]).toEqual([2, expect.stringContaining("was seen")]);
    await shared.database.raw(passing(200));
    expect(await listed()).toMatchObject({ gone: true, slots: 0 });
    expect((await one.run(["machine", "forget", "aaaa", "--dry-run"])).status).toBe(0);
    expect(await listed()).toBeDefined();
    expect((await one.run(["machine", "forget", "aaaa"])).status).toBe(0);
    expect(await listed()).toBeUndefined();
    // It returns.
    await shared.database.raw(passing(1));
    await joins(shared, "aaaa1111");
    expect(await listed()).toMatchObject({ gone: false });
    expect((await one.run(["audit", "verify"])).status).toBe(0);
  });

  it("are empty if the ledger is not shared", async () => {
    await using shared = await sharedMachines(none);
    const [{ repository }] = shared.machines as [SharedMachine];
    expect(JSON.parse((await repository.run(["machine", "list", "--json"])).stdout)).toEqual({
      machines: [],
    });
    const drained = await repository.run(["machine", "drain", "x"]);
    expect([drained.status, drained.stderr]).toEqual([2, expect.stringContaining("belongs to one machine")]);
  });
});
