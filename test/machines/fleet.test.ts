import { afterAll, describe, expect, it } from "vitest";
import { fleet, worker } from "../support/fleet.ts";
import { closeDatabases } from "../support/ledger-databases.ts";
import { answer, task, writes } from "../support/planned-repository.ts";
import { eventually } from "../support/run-command.ts";

afterAll(closeDatabases);

const ids = ["A", "B", "C", "D"];
/** Each task has an agent of its own, which writes its file. */
const plan = (names: readonly string[], before: readonly string[] = []) => ({
  agents: Object.fromEntries(names.map((id) => [`a${id}`, [[...before, writes(id), answer("OK")]]])),
  tasks: names.map((id) => task(id, `a${id}`)),
});

describe("one plan and two machines", () => {
  it("is done by both, and every task is merged once", async () => {
    await using all = await fleet({ ...plan(ids), config: "limits: { max_parallel: 1, max_active: 8 }\n" });
    const other = all.join("other");
    using working = worker(all, other, "--slots", "1");
    await eventually("the worker offers its slot", async () => {
      const { machines = [] } = await all.status();
      return machines.find(({ name, slots }) => name === "other" && slots === 1);
    });
    const ran = await all.first.run(["run", "--json"]);
    expect(ran.status, `${ran.stderr}\n${working.errors()}`).toBe(0);
    const { tasks } = JSON.parse(ran.stdout);
    expect(tasks.map(({ state }: { state: string }) => state)).toEqual(ids.map(() => "MERGED"));
    const merged = await all.database.raw("SELECT task FROM lockstep.events WHERE type = 'task.merged'");
    expect(merged).toHaveLength(ids.length);
    for (const id of ids)
      expect(all.subjects().filter((subject) => subject.startsWith(`${id}: `))).toHaveLength(1);
    const machines = await all.database.raw(
      "SELECT DISTINCT body::json->>'machine' AS m FROM lockstep.attempts",
    );
    expect(machines).toHaveLength(2);
    working.process.kill("SIGINT");
    const { status, stderr } = await working.ended;
    expect(status, stderr).toBe(0);
    expect((await all.first.run(["audit", "verify"])).status).toBe(0);
  });

  it("is proven by both: a free slot runs checks for the machine that lands", async () => {
    await using all = await fleet({
      ...plan(ids),
      files: { "slow.sh": "sleep 2\n" },
      config: 'proof: each\nlimits: { max_parallel: 4 }\nchecks: { default: ["sh slow.sh"] }\n',
    });
    using working = worker(all, all.join("other"), "--slots", "1");
    await eventually("the worker offers its slot", async () =>
      (await all.status()).machines?.find(({ name, slots }) => name === "other" && slots === 1),
    );
    const ran = await all.first.run(["run", "--json"]);
    expect(ran.status, `${ran.stderr}\n${working.errors()}`).toBe(0);
    const machines = await all.database.raw(
      "SELECT DISTINCT body::json->>'machine' AS m FROM lockstep.evidence ORDER BY m",
    );
    expect(machines).toEqual([{ m: "first" }, { m: "other" }]);
    expect(working.errors()).toContain("running for another machine: sh slow.sh");
  });
});
