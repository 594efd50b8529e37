import { describe, expect, it } from "vitest";
import { answer, awaits, planned, readRun, runPlan, task, writes } from "../support/planned-repository.ts";
import { eventually } from "../support/run-command.ts";

describe("a `do` that is typed again", () => {
  it("goes on with the session that was killed, unless it is to begin anew", async () => {
    using repository = planned({
      agents: { a: [["say: begun", awaits, writes("A"), answer("OK")]] },
      tasks: [],
    });
    const words = ["do", "make A", "--scope", "A.txt", "--check", "test -e A.txt"];
    using running = repository.start(words, { through: ["setsid"] });
    await eventually("its agent works", () => (running.errors().includes("begun") ? true : undefined));
    process.kill(-(running.process.pid as number), "SIGKILL");
    await running.ended;
    repository.write("state/go", "");
    const again = await repository.run([...words, "--json"]);
    expect(again.stderr).toMatch(/_make-a has the same goal and is unfinished: continuing it \(--new /);
    expect({ status: again.status, ...readRun(again.stdout).states }).toEqual({
      status: 0,
      "T-001": "MERGED",
    });
    // What is finished is no reason to do nothing, nor is another scope.
    const anew = async (...more: string[]) => {
      const { stderr, stdout } = await repository.run([...words, ...more, "--json"]);
      expect(stderr).not.toContain("has the same goal");
      return Object.keys(readRun(stdout).states);
    };
    expect(await anew()).toEqual(["T-002"]);
    expect(await anew("--new")).toEqual(["T-003"]);
    expect(await anew("--scope", "B.txt")).toEqual(["T-004"]);
  });
});

describe("work that is on the base already when it is merged", () => {
  it("is not reported as merged with a proof", async () => {
    using repository = planned({
      agents: { a: [[writes("A"), answer("OK")]] },
      tasks: [task("A", "a").replace('["cmd', '["manual: it is nice", "cmd')],
    });
    expect((await runPlan(repository)).states).toEqual({ A: "REVIEW" });
    repository.write("A.txt", "made\n");
    repository.git("add", "A.txt");
    repository.git("commit", "-qm", "the same by hand");
    await repository.run(["decide", "UD-1", "approved"]);
    const { status, done } = await runPlan(repository);
    expect({ status, tasks: done.tasks }).toMatchObject({
      status: 3,
      tasks: [{ id: "A", state: "ESCALATED", code: "R-PC-003" }],
    });
    expect(repository.git("rev-list", "--merges", "--count", "main")).toBe("0");
  });
});
