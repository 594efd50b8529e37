import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import type { LandRepository } from "../support/land-repository.ts";
import { answer, planned, planText, readRun, runPlan, task, writes } from "../support/planned-repository.ts";
import { eventually, type Running } from "../support/run-command.ts";

const slowly = (id: string, seconds: number) => [
  [`say: begun ${id}`, `sleep: ${seconds}`, writes(id), answer("OK")],
];

function twoPlans(seconds: number): LandRepository {
  const repository = planned({
    agents: { a: slowly("A", seconds), b: slowly("B", seconds), c: [[writes("C"), answer("OK")]] },
    tasks: [task("A", "a")],
    config: "limits: { batching: continuous }\n",
  });
  repository.write("other.yaml", planText([task("B", "b"), task("C", "c")], "other"));
  return repository;
}

async function begun(running: Running): Promise<void> {
  await eventually("its agent works", () => (running.errors().includes("begun") ? true : undefined));
}

function merges({ git }: LandRepository): readonly string[] {
  return git("log", "--first-parent", "--merges", "--format=%s", "main").split("\n").toSorted();
}

describe("a second run", () => {
  it("gives its tasks to the first, watches, and reports their results", async () => {
    using repository = twoPlans(3);
    using first = repository.start(["run", "--json"]);
    await begun(first);
    const second = await repository.run(["run", "other.yaml", "--json"]);
    expect(second.stderr).toContain(`Another run (PID ${first.process.pid}) is already handling these tasks`);
    expect({ status: second.status, ...readRun(second.stdout).states }).toEqual({
      status: 0,
      B: "MERGED",
      C: "MERGED",
    });
    const { status, stdout } = await first.ended;
    expect({ status, ...readRun(stdout).states }).toEqual({ status: 0, A: "MERGED" });
    expect(merges(repository)).toEqual(["A: do A", "B: do B", "C: do C"]);
  });

  it("of the same plan does no task twice", async () => {
    using repository = twoPlans(2);
    using first = repository.start(["run", "--json"]);
    await begun(first);
    const second = await repository.run(["run", "--json"]);
    expect({ status: second.status, ...readRun(second.stdout).states }).toEqual({ status: 0, A: "MERGED" });
    expect((await first.ended).status).toBe(0);
    expect(merges(repository)).toEqual(["A: do A"]);
  });

  it("adds what has changed in the plan meanwhile, and the first run does it", async () => {
    using repository = planned({
      agents: { a: slowly("A", 5), b: [[writes("B"), answer("OK")]], c: [[writes("C"), answer("OK")]] },
      tasks: [task("A", "a"), task("B", "b", ", depends_on: [A]")],
    });
    using first = repository.start(["run", "--json"]);
    await begun(first);
    const changed = task("B", "b", ", depends_on: [A]").replace("do B", "do B better");
    repository.write("tasks.yaml", planText([task("A", "a"), changed, task("C", "c")]));
    const second = await repository.run(["run", "--json"]);
    expect(readRun(second.stdout).states, second.stderr).toEqual({ A: "MERGED", B: "MERGED", C: "MERGED" });
    expect((await first.ended).status).toBe(0);
    expect(merges(repository)).toEqual(["A: do A", "B: do B better", "C: do C"]);
  });

  it("takes over when the first run is killed", async () => {
    using repository = twoPlans(3);
    using first = repository.start(["run"], { through: ["setsid"] });
    await begun(first);
    using second = repository.start(["run", "other.yaml", "--json"]);
    await eventually("it watches", () =>
      second.errors().includes("is already handling these tasks") ? true : undefined,
    );
    process.kill(-(first.process.pid as number), "SIGKILL");
    const { status, stdout, stderr } = await second.ended;
    expect({ status, ...readRun(stdout).states }, stderr).toEqual({ status: 0, B: "MERGED", C: "MERGED" });
    expect((await runPlan(repository)).states).toEqual({ A: "MERGED" });
    expect(merges(repository)).toEqual(["A: do A", "B: do B", "C: do C"]);
  });

  it("can begin at the same moment", async () => {
    using repository = twoPlans(1);
    const both = await Promise.all([
      repository.run(["run", "--json"]),
      repository.run(["run", "other.yaml", "--json"]),
      repository.run(["run", "--json"]),
    ]);
    expect(both.map(({ status, stderr }) => ({ status, stderr: status === 0 ? "" : stderr }))).toEqual(
      both.map(() => ({ status: 0, stderr: "" })),
    );
    expect(merges(repository)).toEqual(["A: do A", "B: do B", "C: do C"]);
  });
});

describe("`run` without a plan", () => {
  it("continues every session that can, including one that blocks the newest", async () => {
    const shared = (id: string, agent: string) =>
      task(id, agent).replace("[A.txt]", "[A.txt, B.txt]").replace("[B.txt]", "[A.txt, B.txt]");
    using repository = planned({
      agents: { a: [[writes("A"), answer("OK")]], b: [[writes("B"), answer("OK")]] },
      tasks: [shared("A", "a").replace('["cmd', '["manual: it is nice", "cmd')],
    });
    repository.write("other.yaml", planText([shared("B", "b")], "other"));
    expect((await runPlan(repository)).states).toEqual({ A: "REVIEW" });
    const held = await repository.run(["run", "other.yaml"]);
    expect({ status: held.status, report: held.stdout.replace(/\s+/g, " ") }, held.stderr).toEqual({
      status: 3,
      report: expect.stringContaining("next: lockstep decide UD-1 approved && lockstep run "),
    });
    // The newest session is reported if none can continue.
    expect(await runPlan(repository)).toMatchObject({ status: 3, states: { B: "BLOCKED" } });
    const answered = await repository.run(["decide", "UD-1", "approved"]);
    expect(answered.stderr).toMatch(/to continue: lockstep run \.agents-work\/\S+_shop\/tasks\.yaml\n/);
    const { status, states, done } = await runPlan(repository);
    expect({ status, states }).toEqual({ status: 0, states: { A: "MERGED", B: "MERGED" } });
    expect(done).toMatchObject({ session: null, outcome: "merged" });
    expect(merges(repository)).toEqual(["A: do A", "B: do B"]);
  });
});

describe("a run that is killed at twenty random moments", () => {
  it("ends with every task merged once", { timeout: 240_000 }, async () => {
    const ids = ["A", "B", "C", "D", "E", "F"];
    using repository = planned({
      agents: Object.fromEntries(
        ids.map((id) => [id.toLowerCase(), [["sleep: 0.2", writes(id), answer("OK")]]]),
      ),
      tasks: ids.map((id, at) => task(id, id.toLowerCase(), at > 2 ? `, depends_on: [${ids[at - 3]}]` : "")),
    });
    // A fixed seed: a failing run can be repeated.
    let seed = 20261115;
    const random = () => {
      seed = (seed * 1103515245 + 12345) % 2147483648;
      return seed / 2147483648;
    };
    for (let round = 0; round < 20; round += 1) {
      using running = repository.start(["run"], { through: ["setsid"] });
      await Promise.race([running.ended, sleep(300 + random() * 2500)]);
      if (running.process.exitCode === null && running.process.signalCode === null)
        process.kill(-(running.process.pid as number), "SIGKILL");
      await running.ended;
    }
    const { status, states, stderr } = await runPlan(repository);
    expect({ status, states, stderr }).toMatchObject({
      status: 0,
      states: Object.fromEntries(ids.map((id) => [id, "MERGED"])),
    });
    expect(merges(repository)).toEqual(ids.map((id) => `${id}: do ${id}`));
    expect((await repository.run(["reconcile"])).status).toBe(0);
    expect((await repository.run(["audit", "verify"])).status).toBe(0);
    expect(repository.git("status", "--porcelain")).toBe("");
  });
});
