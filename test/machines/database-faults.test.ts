import { afterAll, describe, expect, it } from "vitest";
import { closeDatabases } from "../support/ledger-databases.ts";
import { packet } from "../support/memory-engine.ts";
import { answer, awaits, task, writes } from "../support/planned-repository.ts";
import { machineOf, type SharedMachine, sharedMachines } from "../support/shared-machines.ts";

afterAll(closeDatabases);

const none = { agents: { a: [[answer("OK")]] }, tasks: [] };
const waiting = { agents: { a: [[awaits, writes("A"), answer("OK")]] }, tasks: [task("A", "a")] };
const dispatch = (machine: SharedMachine, id: string) =>
  machine.run(["dispatch"], { input: JSON.stringify(packet(id, [`src/${id}`])) });

describe("a database that was restored from yesterday's backup (M-9)", () => {
  it("is refused to every machine until a person accepts the loss", async () => {
    await using shared = await sharedMachines(none, none);
    const [one, other] = shared.machines as [SharedMachine, SharedMachine];
    const { raw } = shared.database;
    expect((await dispatch(one, "T-1")).status).toBe(0);
    await raw("CREATE SCHEMA backup");
    try {
      const kept = "meta clock tasks attempts locks lock_prefixes events".split(" ");
      for (const table of kept) await raw(`CREATE TABLE backup.${table} AS TABLE lockstep.${table}`);
      expect((await dispatch(one, "T-2")).status).toBe(0);
      const restore = kept.map(
        (table) => `DELETE FROM lockstep.${table};
        INSERT INTO lockstep.${table} SELECT * FROM backup.${table};`,
      );
      await raw(`BEGIN; SET LOCAL session_replication_role = replica; ${restore.join("\n")} COMMIT;`);
      // The other machine has seen none of the lost changes.
      expect((await dispatch(other, "T-3")).status).toBe(0);
      const refused = await one.run(["status"]);
      expect(refused.status).toBe(1);
      expect(refused.stderr).toMatch(
        /E-STORE: .*is not the one that this machine knows.*`lockstep ledger accept-loss`/,
      );
      const everywhere = await dispatch(other, "T-4");
      expect(everywhere.status).not.toBe(0);
      expect(everywhere.stdout + everywhere.stderr).toContain("accept-loss");
      expect((await one.run(["ledger", "accept-loss"])).status).toBe(0);
      for (const [machine, id] of [
        [other, "T-4"],
        [one, "T-5"],
      ] as const)
        expect((await dispatch(machine, id)).status).toBe(0);
      expect((await one.run(["audit", "verify"])).status).toBe(0);
    } finally {
      await raw("DROP SCHEMA backup CASCADE");
    }
  });
});

describe("a server that has no connection left (M-12)", () => {
  it("is waited for with one message", async () => {
    await using shared = await sharedMachines(none);
    const [machine] = shared.machines as [SharedMachine];
    const { name, raw } = shared.database;
    await raw(`ALTER DATABASE ${name} CONNECTION LIMIT 0`);
    const running = machine.start(["status"]);
    try {
      await expect.poll(() => running.errors(), { timeout: 20_000 }).toContain("too many connections");
    } finally {
      await raw(`ALTER DATABASE ${name} CONNECTION LIMIT -1`);
    }
    const { status, stderr } = await running.ended;
    expect(status).toBe(0);
    expect(stderr.match(/waiting/g)).toHaveLength(1);
  });
});

describe("a ledger that a newer Lockstep migrates during a run (M-13)", () => {
  it("ends the run, which stores nothing more, and refuses every command with the version to install", async () => {
    await using shared = await sharedMachines(waiting);
    const [machine] = shared.machines as [SharedMachine];
    const { raw } = shared.database;
    using running = machine.start(["run", "--json"]);
    const isAtWork = async () =>
      (await raw("SELECT 1 FROM lockstep.tasks WHERE state = 'IN_PROGRESS'")).length > 0;
    await expect.poll(isAtWork, { timeout: 30_000 }).toBe(true);
    await raw("UPDATE lockstep.meta SET version = 99, lockstep = '9.9.9'");
    const [before] = await raw("SELECT seq FROM lockstep.meta");
    machine.repository.write("state/go", "");
    const { status, stdout, stderr } = await running.ended;
    expect(status).not.toBe(0);
    expect(stdout + stderr).toContain("install Lockstep 9.9.9 or later");
    expect(await raw("SELECT seq FROM lockstep.meta")).toEqual([before]);
    expect((await machine.run(["status"])).stderr).toContain("install Lockstep 9.9.9 or later");
  });
});

describe("a login that fails, and a foreign database (M-14)", () => {
  it("gives an error that names which, without the password, and writes nothing", async () => {
    await using shared = await sharedMachines(none);
    const [{ repository }] = shared.machines as [SharedMachine];
    const { server, name } = shared.database;
    await server.query("postgres", "DROP ROLE IF EXISTS guarded_m14; CREATE ROLE guarded_m14 LOGIN");
    try {
      for (const [url, why] of [
        [server.url(name, "guarded_m14", "hunter2"), "permission denied"],
        [server.url(name, "nobody_m14", "hunter2"), "does not exist"],
        [server.url("postgres", "guarded_m14", "hunter2"), "there is no ledger in"],
        [server.url("nowhere_m14", "guarded_m14", "hunter2"), "there is no ledger in"],
      ] as const) {
        const { status, stdout, stderr } = await dispatch(machineOf(repository, url), "T-1");
        expect(status).not.toBe(0);
        expect(stdout + stderr).toContain(why);
        expect(stdout + stderr).not.toContain("hunter2");
      }
      expect(await server.query("postgres", "SELECT to_regnamespace('lockstep') AS there")).toEqual([
        { there: null },
      ]);
    } finally {
      await server.query("postgres", "DROP ROLE guarded_m14");
    }
  });
});
