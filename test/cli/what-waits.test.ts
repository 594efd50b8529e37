import { describe, expect, it } from "vitest";
import { answer, planned, task, writes } from "../support/planned-repository.ts";
import { eventually } from "../support/run-command.ts";

const manual = task("A", "a").replace('["cmd:', '["manual: it reads well", "cmd:');

describe("an open question", () => {
  it("is shown with a command for each answer, and a rejection may have a reason", async () => {
    using repository = planned({
      agents: { a: [[writes("A"), answer("OK")], [answer("BLOCKED")]] },
      tasks: [manual],
    });
    expect((await repository.run(["run"])).status).toBe(3);
    const asked = await repository.run(["decide"]);
    expect(asked.stdout).toMatch(
      /^UD-1 {2}A\n {2}Does `A` \(.*\) meet this criterion: "it reads well"\?\n {2}to see the work: lockstep diff A\n {2}lockstep decide UD-1 approved\n {2}lockstep decide UD-1 refused\n {2}lockstep decide UD-1 'refused: …'\n$/,
    );
    const { stdout } = await repository.run(["status"]);
    expect(stdout).toContain("      lockstep decide UD-1 approved\n      lockstep decide UD-1 refused\n");
    expect(await repository.run(["decide", "UD-1", "approved", "--note", "x"])).toMatchObject({
      status: 2,
      stderr: expect.stringContaining("`UD-1` takes no --note with `approved`"),
    });
    const refused = await repository.run(["decide", "UD-1", "refused", "--note", "it is too long"]);
    expect(refused).toMatchObject({
      status: 0,
      stdout: "decision UD-1 is answered: refused: it is too long\n",
    });
    expect((await repository.run(["decide", "--all"])).stdout).toContain("answered: refused: it is too long");
    expect((await repository.run(["run"])).stderr).toContain('"it reads well": it is too long');
  });

  it("is replaced by a note in the list if a task is escalated", async () => {
    using repository = planned({ agents: { a: [[answer("OK")]] }, tasks: [task("A", "a")] });
    await repository.run(["task", "add", "T-1"]);
    expect((await repository.run(["decide"])).stdout).toBe("nothing is waiting for you\n");
    await repository.run(["task", "escalate", "T-1", "--reason", "which rounding?"]);
    expect((await repository.run(["decide"])).stdout).toBe(
      "no question is open, but 1 task is escalated: see `lockstep status`\n",
    );
  });
});

describe("the status", () => {
  it("shows the isolation of agents during a run, and none once the run was killed", async () => {
    using repository = planned({
      agents: { a: [["say: begun", "hang: true"]] },
      tasks: [task("A", "a")],
      config: "sandbox: off\n",
    });
    using running = repository.start(["run"]);
    await eventually("its agent", () => (running.errors().includes("begun") ? true : undefined));
    const alive = (await repository.run(["status"])).stdout;
    expect(alive).toContain("1 task with locks; isolation: sandbox off, scope check on\n");
    expect(alive).not.toContain("no run is active");
    expect(JSON.parse((await repository.run(["status", "--json"])).stdout)).toMatchObject({
      walls: { guard: false, sandbox: false, diff: true },
    });
    running.process.kill("SIGKILL");
    await running.ended;
    const { stdout } = await repository.run(["status"]);
    expect(stdout).toMatch(/^no run is active: to continue, run `lockstep run`\n\nTASK/);
    expect(stdout).toMatch(/^A +IN_PROGRESS .* its run ended$/m);
    expect(stdout).not.toContain("isolation");
    await repository.run(["stop", "A"]);
  });

  it("uses short names that are valid in commands, and shows rollbacks but no refusal that is over", async () => {
    using repository = planned({
      agents: { a: [[writes("A"), answer("OK")]], b: [["exit: 3"]] },
      tasks: [task("A", "a"), task("B", "b")],
    });
    await repository.run(["run"]);
    const before = (await repository.run(["status"])).stdout;
    expect(before).toMatch(/^A +MERGED .* proof: node test\/f\.test\.js; test -e A\.txt \(failed before\)$/m);
    expect(before).toMatch(/^B +ESCALATED .* R-AG-001 /m);
    expect((await repository.run(["rollback", "task", "A"])).status).toBe(0);
    expect((await repository.run(["task", "resolve", "B", "--note", "again"])).stdout).toBe(
      "task B is PENDING\n",
    );
    const { stdout } = await repository.run(["status"]);
    expect(stdout).toMatch(/^A +ROLLED BACK /m);
    expect(stdout).toMatch(/^B +PENDING .* do B$/m);
    expect(stdout).toContain("1 ROLLED BACK, 1 PENDING\n");
  });
});

describe("a run that is asked to end", () => {
  it.each(["SIGTERM", "SIGHUP"] as const)("by %s stops its agents and reports", async (signal) => {
    using repository = planned({ agents: { a: [["say: begun", "hang: true"]] }, tasks: [task("A", "a")] });
    using running = repository.start(["run"]);
    await eventually("its agent", () => (running.errors().includes("begun") ? true : undefined));
    running.process.kill(signal);
    const { status, stdout, stderr } = await running.ended;
    expect(status, stderr).toBe(3);
    expect(stderr).toContain("Stopping the agents. Their work is kept.");
    expect(stdout).toMatch(/stopped; all work is kept\. To continue: `lockstep run`\n$/);
    expect((await repository.run(["status"])).stdout).toMatch(/^A +PENDING /m);
  });
});
