import { describe, expect, it } from "vitest";
import { hooked } from "../support/hooked-run.ts";
import { answer, writes } from "../support/planned-repository.ts";

const task = (checks: string) =>
  `{ id: A, goal: do A, agent: a, lock_scope: [A.txt], acceptance_checks: [${checks}] }`;
const both = '"cmd: test -e A.txt", "manual: it reads well"';
const good = [[writes("A"), answer("OK")]];

describe("a `manual:` check", () => {
  it("is asked of a person after the other checks pass, and the answer is part of the proof", async () => {
    using repository = hooked({ agents: { a: good }, tasks: [task(both)] });
    const first = await repository.conduct();
    expect({ status: first.status, states: first.states }, first.stderr).toEqual({
      status: 3,
      states: { A: "REVIEW" },
    });
    expect(first.stderr).toContain("`lockstep decide UD-1 approved`");
    expect((await repository.run(["decide"])).stdout).toContain("it reads well");
    expect(await repository.conduct()).toMatchObject({ status: 3 });
    expect(await repository.events("decision.asked")).toHaveLength(1);
    expect(await repository.run(["decide", "UD-1", "approved"])).toMatchObject({ status: 0 });
    const { status, done } = await repository.conduct();
    expect(status).toBe(0);
    expect(done.tasks[0]).toMatchObject({
      state: "MERGED",
      attempts: 1,
      evidence: expect.arrayContaining([
        expect.objectContaining({
          kind: "manual",
          command: "manual: it reads well",
          after: expect.objectContaining({
            tail: expect.stringMatching(/^approved by a person on 2\d{3}-.*Z \(UD-1\)$/),
          }),
        }),
      ]),
    });
    expect(repository.git("log", "-1", "--format=%B", "main")).toContain("manual: it reads well (pass)");
  });

  it("is asked with the steps from the agent's answer, which `task show` prints too", async () => {
    const steps = "manual_steps: [open /prices, 'look at the sum'], tests_added_or_updated: [A.txt]";
    const withSteps = answer("OK").replace("notes: []", `notes: [], ${steps}`);
    using repository = hooked({ agents: { a: [[writes("A"), withSteps]] }, tasks: [task(both)] });
    const { status, stderr } = await repository.conduct();
    expect(status, stderr).toBe(3);
    const { stdout: asked } = await repository.run(["decide", "--json"]);
    expect(asked).toContain("Its agent gives these steps: open /prices; look at the sum");
    const { stdout } = await repository.run(["task", "show", "A"]);
    expect(stdout).toMatch(/^by hand +open \/prices; look at the sum$/m);
    expect(stdout).toMatch(/^tests +A\.txt$/m);
    expect(stdout).not.toMatch(/^claims/m);
  });

  it("is not asked for work whose other checks fail", async () => {
    using repository = hooked({
      agents: { a: good },
      tasks: [task('"cmd: false", "manual: it reads well"')],
    });
    await repository.conduct();
    expect(await repository.events("decision.asked")).toEqual([]);
  });

  it("that a person rejects returns the work with the reason, and is asked again for the next work", async () => {
    using repository = hooked({
      agents: { a: [...good, ['append: { path: A.txt, text: "shorter\\n" }', answer("OK")]] },
      tasks: [task(both)],
    });
    await repository.conduct();
    await repository.run(["decide", "UD-1", "refused: far too long"]);
    const { status, stderr } = await repository.conduct();
    expect(status, stderr).toBe(3);
    expect(stderr).toMatch(/to fix: a person reviewed the work .*"it reads well": far too long/);
    expect(stderr).toContain("`lockstep decide UD-2 approved`");
    await repository.run(["decide", "UD-2", "approved"]);
    expect(await repository.conduct()).toMatchObject({ status: 0, states: { A: "MERGED" } });
  });

  it("is enough on its own if a person approves", async () => {
    using repository = hooked({ agents: { a: good }, tasks: [task('"manual: it reads well"')] });
    expect(await repository.conduct()).toMatchObject({ status: 3 });
    await repository.run(["decide", "UD-1", "approved"]);
    expect(await repository.conduct()).toMatchObject({ status: 0 });
  });
});
