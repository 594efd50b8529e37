import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  answer,
  awaits,
  planned,
  planText,
  readRun,
  runPlan,
  task,
  writes,
} from "../support/planned-repository.ts";
import { eventually } from "../support/run-command.ts";

describe("a repeated `do` command", () => {
  it("continues the session that was killed, unless it has to start again", async () => {
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
    // A finished session does not stop a new one, nor does another scope.
    const another = async (...more: string[]) => {
      const { stderr, stdout } = await repository.run([...words, ...more, "--json"]);
      expect(stderr).not.toContain("has the same goal");
      return Object.keys(readRun(stdout).states);
    };
    expect(await another()).toEqual(["T-002"]);
    expect(await another("--new")).toEqual(["T-003"]);
    expect(await another("--scope", "B.txt")).toEqual(["T-004"]);
  });
});

describe("a session that began on another branch", () => {
  it("is not merged into the branch that is checked out later", async () => {
    const agents = { a: [[writes("A"), answer("OK")]], b: [[writes("B"), answer("OK")]] };
    using repository = planned({ agents, tasks: [] });
    const words = ["do", "make A", "--agent", "a", "--scope", "A.txt", "--check", "test -e A.txt"];
    repository.git("rm", "-q", "tasks.yaml");
    repository.git("commit", "-qm", "without a plan");
    // Uncommitted work in a file of the change makes the run wait.
    repository.write("A.txt", "mine\n");
    expect((await repository.run(words)).status).toBe(3);
    rmSync(join(repository.path, "A.txt"));
    repository.git("switch", "-qc", "other");
    const plan = planCopy(repository.path);
    const name = plan.split("/")[1] as string;
    expect((await repository.run(["resume"])).stderr).toContain("`lockstep run` continues a plan");
    expect((await repository.run(["resume", name])).stderr).toContain(
      `\`lockstep run ${plan}\` continues that plan`,
    );
    const refusal = `began on \`main\`, and \`other\` is checked out: \`git switch main\` to continue it, or start over on \`other\` with \`lockstep run ${plan} --again\``;
    for (const again of [["run", plan], ["run"], words]) {
      const { status, stderr } = await repository.run(again);
      expect({ again, status }).toEqual({ again, status: 2 });
      expect(stderr).toContain(refusal);
    }
    // With another session to continue, it is named and skipped.
    repository.write("B.txt", "mine\n");
    repository.write("b.yaml", planText([task("B", "b")]));
    expect((await repository.run(["run", "b.yaml"])).status).toBe(3);
    rmSync(join(repository.path, "B.txt"));
    const both = await repository.run(["run"]);
    expect(both.stderr).toContain("`other` is checked out: not continued");
    expect(both.status, both.stderr).toBe(0);
    const subjects = (branch: string) => repository.git("log", "--merges", "--format=%s", branch);
    expect(subjects("other")).toMatch(/^B: /);
    expect(subjects("other")).not.toContain("T-001");
    repository.git("switch", "-q", "main");
    expect((await repository.run(["run", plan])).status).toBe(0);
    expect(subjects("main")).toMatch(/^T-001: /);
    expect(subjects("other")).not.toContain("T-001");
  });

  it("is not done by an active run on another branch", async () => {
    const agents = {
      a: [["say: begun", awaits, writes("A"), answer("OK")]],
      b: [[writes("B"), answer("OK")]],
    };
    using repository = planned({ agents, tasks: [task("A", "a")] });
    using first = repository.start(["run"]);
    await eventually("its agent", () => (first.errors().includes("begun") ? true : undefined));
    repository.git("switch", "-qc", "other");
    repository.write("b.yaml", planText([task("B", "b")]));
    using second = repository.start(["run", "b.yaml"]);
    const waits = /began on `other`, and this run merges into `main`: it waits until this run has ended/;
    await eventually("it waits", () => (waits.test(first.errors()) ? true : undefined));
    repository.write("state/go", "");
    expect([(await first.ended).status, (await second.ended).status]).toEqual([0, 0]);
    const subjects = (branch: string) => repository.git("log", "--merges", "--format=%s", branch);
    expect(subjects("main")).toMatch(/^A: /);
    expect(subjects("main")).not.toContain("B:");
    expect(subjects("other")).toMatch(/^B: /);
  });

  it("continues if an older version did not record the branch", async () => {
    using repository = planned({ agents: { a: [[writes("A"), answer("OK")]] }, tasks: [task("A", "a")] });
    repository.write("A.txt", "mine\n");
    expect((await runPlan(repository)).status).toBe(3);
    rmSync(join(repository.path, "A.txt"));
    const source = planCopy(repository.path).replace("tasks.yaml", "source.json");
    const { base, ...older } = JSON.parse(readFileSync(join(repository.path, source), "utf8"));
    expect(base).toBe("main");
    repository.write(source, JSON.stringify(older));
    repository.git("switch", "-qc", "other");
    expect((await runPlan(repository)).states).toEqual({ A: "MERGED" });
  });
});

/** The copy of the only session's plan. */
function planCopy(root: string): string {
  const [session] = readdirSync(join(root, ".agents-work"));
  return `.agents-work/${session}/tasks.yaml`;
}

describe("work that is already on the base when it is merged", () => {
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
