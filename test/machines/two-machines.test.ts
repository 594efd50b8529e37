import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import type { Status } from "../../src/engine/views/read-status.ts";
import { closeDatabases } from "../support/ledger-databases.ts";
import { packet } from "../support/memory-engine.ts";
import { answer, task, writes } from "../support/planned-repository.ts";
import { type SharedMachine, sharedMachines } from "../support/shared-machines.ts";

afterAll(closeDatabases);

const none = { agents: { a: [[answer("OK")]] }, tasks: [] };
const dispatch = (machine: SharedMachine, id: string, scope: readonly string[]) =>
  machine.run(["dispatch"], { input: JSON.stringify(packet(id, scope)) });

describe("two people on two machines with one ledger", () => {
  it("see each other's tasks, and a lock holds on both", async () => {
    await using shared = await sharedMachines(none, none);
    const [one, other] = shared.machines as [SharedMachine, SharedMachine];
    expect((await dispatch(one, "T-1", ["src/a"])).status).toBe(0);
    const refused = await dispatch(other, "T-2", ["src"]);
    expect(refused.status).toBe(2);
    expect(JSON.parse(refused.stdout)).toMatchObject({ allow: false, code: "R-PD-003" });
    expect((await dispatch(other, "T-3", ["docs"])).status).toBe(0);
    const status = await other.json<Status>("status");
    expect(status.tasks.map(({ key, state }) => [key, state])).toEqual([
      ["T-1", "IN_PROGRESS"],
      ["T-2", "BLOCKED"],
      ["T-3", "IN_PROGRESS"],
    ]);
    expect(status.machines).toHaveLength(2);
    expect(status.machines?.filter(({ is_this }) => is_this)).toHaveLength(1);
    const placed = status.tasks.map(({ alive }) => alive?.machine);
    expect(placed[0]).not.toBe(placed[2]);
    expect((await one.run(["status"])).stdout).toMatch(/^machine .* \(this one\): T-1; seen/m);
    expect((await one.run(["audit", "verify"])).status).toBe(0);
    expect((await one.run(["reconcile"])).status).toBe(0);
  });

  it("run their plans in parallel, each on its own base, and every task is merged once", async () => {
    const options = (id: string) => ({
      agents: { a: [[writes(id), answer("OK")]] },
      tasks: [task(id, "a")],
    });
    await using shared = await sharedMachines(options("A"), options("B"));
    const ran = await Promise.all(shared.machines.map(({ run }) => run(["run", "--json"])));
    expect(
      ran.map(({ status }) => status),
      ran.map(({ stderr }) => stderr).join("\n"),
    ).toEqual([0, 0]);
    const [one, other] = shared.machines as [SharedMachine, SharedMachine];
    expect(existsSync(join(one.repository.path, "A.txt"))).toBe(true);
    expect(existsSync(join(one.repository.path, "B.txt"))).toBe(false);
    expect(existsSync(join(other.repository.path, "B.txt"))).toBe(true);
    const { tasks } = await one.json<Status>("status");
    expect(tasks.map(({ id, state }) => [id, state]).sort()).toEqual([
      ["A", "MERGED"],
      ["B", "MERGED"],
    ]);
    const merged = await shared.database.raw("SELECT task FROM lockstep.events WHERE type = 'task.merged'");
    expect(merged).toHaveLength(2);
    expect((await one.run(["audit", "verify"])).stdout).toContain("event");
  });
});
