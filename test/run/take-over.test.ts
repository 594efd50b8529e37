import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { isHeld } from "../support/held-file.ts";
import type { LandRepository } from "../support/land-repository.ts";
import { answer, awaits, planned, readRun, runPlan, task, writes } from "../support/planned-repository.ts";
import { eventually, type Running } from "../support/run-command.ts";

const alive = "spawn: { command: 'echo up > $HOME/.meet/alive; exec flock $HOME/.meet/alive sleep 60' }";
const begins = "say: begun";
const hangs = "hang: true";
const halfDone = 'write: { path: A.txt, text: "half\\n" }';

/** An agent with a child in its own process session. The first time it begins and then waits for ever. */
const slow = (config = "") => {
  const repository = planned({
    agents: {
      a: [
        [alive, halfDone, begins, hangs],
        [writes("A"), answer("OK")],
      ],
      b: [[writes("B"), answer("OK")]],
      c: [[writes("C"), answer("OK")]],
    },
    tasks: [task("A", "a"), task("B", "b"), task("C", "c", ", depends_on: [B]")],
    config: `workspace: { home: [.meet] }\nlimits: { batching: continuous }\n${config}`,
  });
  repository.write("state/.meet/alive", "");
  return repository;
};

function start(repository: LandRepository, ...words: string[]): Running {
  return repository.start(words, { env: { HOME: join(repository.path, "state") } });
}

async function begun(repository: LandRepository): Promise<Running> {
  const running = start(repository, "run", "--json");
  await eventually("the agent works", () => (running.errors().includes("begun") ? true : undefined));
  return running;
}

function expectGone(repository: LandRepository): void {
  const alive = join(repository.path, "state/.meet/alive");
  expect(readFileSync(alive, "utf8")).toBe("up\n");
  expect(isHeld(alive)).toBe(false);
}

async function resultOf(repository: LandRepository, ...words: string[]) {
  const { status, stdout, stderr } = await repository.run(words);
  const verdict = JSON.parse(stdout) as { code: string; reason: string; details: Record<string, unknown> };
  return { status, stderr, ...verdict };
}

const tokyoTime = (at: string) =>
  new Date(Date.parse(at) + 9 * 3_600_000).toISOString().slice(0, 19).replace("T", " ");

describe("`lockstep stop`", () => {
  it("ends an agent with all its processes, keeps its work, and the run continues without it", async () => {
    using repository = slow();
    using running = await begun(repository);
    const { status, details } = await resultOf(repository, "stop", "A", "--json");
    expectGone(repository);
    expect({ status, details }).toMatchObject({ status: 0, details: { state: "BLOCKED" } });
    const { states } = readRun((await running.ended).stdout);
    expect(states).toEqual({ A: "BLOCKED", B: "MERGED", C: "MERGED" });
    expect(readFileSync(join(String(details.folder), "A.txt"), "utf8")).toBe("half\n");
    expect((await repository.run(["diff", "A"])).stdout).toContain("+half");
    expect((await repository.run(["log", "A"])).stdout).toContain("begun");
  });

  it("is reverted by a retry, which does not count against the task", async () => {
    using repository = slow();
    using running = await begun(repository);
    expect((await repository.run(["stop", "A"])).stdout).toContain("`lockstep task retry A` starts it again");
    await running.ended;
    const again = await runPlan(repository);
    expect(again.states).toMatchObject({ A: "BLOCKED" });
    expect(again.stderr).not.toContain("started by");
    expect((await repository.run(["task", "retry", "A"])).status).toBe(0);
    const { status, done } = await runPlan(repository);
    expect({ status, tasks: done.tasks }).toMatchObject({
      status: 0,
      tasks: [
        { state: "MERGED", attempts: 2, retries: { block_retries: 0 } },
        { state: "MERGED" },
        { state: "MERGED" },
      ],
    });
  });

  it("also ends an agent whose run was killed", async () => {
    using repository = slow("sandbox: off\n");
    using running = await begun(repository);
    running.process.kill("SIGKILL");
    await running.ended;
    const { status } = await resultOf(repository, "stop", "A", "--json");
    expect(status).toBe(0);
    expectGone(repository);
  });

  it("reports the state of a task without an agent", async () => {
    using repository = slow();
    expect(await resultOf(repository, "stop", "A", "--json")).toMatchObject({ status: 2, code: "R-IN-001" });
    expect(await resultOf(repository, "take", "A", "--json")).toMatchObject({ status: 2, code: "R-IN-001" });
  });
});

describe("`lockstep take`", () => {
  async function taken(repository: LandRepository) {
    using running = await begun(repository);
    const { status, stderr, details } = await resultOf(repository, "take", "A", "--json");
    expect({ status, stderr, details }).toMatchObject({ status: 0, details: { state: "IN_PROGRESS" } });
    expectGone(repository);
    const ended = await running.ended;
    return { folder: String(details.folder), key: String(details.task_id), ended };
  }

  it("gives the checkout to the person; the run continues, and waits when nothing else is left", async () => {
    using repository = slow();
    const { folder, ended } = await taken(repository);
    expect({ status: ended.status, ...readRun(ended.stdout) }).toMatchObject({
      status: 3,
      done: { outcome: "waiting" },
      states: { A: "IN_PROGRESS", B: "MERGED", C: "MERGED" },
    });
    // The run stopped its agent because the attempt was replaced, and did not start it again.
    expect(ended.stderr).toContain("taken over by a person");
    expect(ended.stderr.match(/begun/g)).toHaveLength(1);
    expect(existsSync(join(folder, "A.txt"))).toBe(true);
    const again = await runPlan(repository);
    expect({ status: again.status, states: again.states }).toMatchObject({
      status: 3,
      states: { A: "IN_PROGRESS" },
    });
    expect(again.stderr).not.toContain("started by");
    const { stdout } = await repository.run(["take", "A"]);
    expect(stdout).toContain(folder);
    const [submit, release] = stdout.split("\n").filter((line) => line.startsWith("  lockstep "));
    expect(submit).toMatch(/^ {2}lockstep submit A +hands it back/);
    expect(release?.indexOf("gives it up")).toBe(submit?.indexOf("hands it back"));
  });

  it("is ended by `submit`: the person's work is proven and merged by the next run", async () => {
    using repository = slow();
    const { folder, key } = await taken(repository);
    writeFileSync(join(folder, "A.txt"), "by hand\n");
    expect(await repository.run(["submit", "A"])).toMatchObject({
      status: 0,
      stdout: "task A is handed in: `lockstep run` verifies and merges it\n",
    });
    expect((await repository.run(["task", "show", "A"])).stdout).toContain(`${key}  do A\nstate     REVIEW`);
    expect(repository.git("show", "lockstep/A:A.txt")).toBe("by hand");
    const run = await runPlan(repository);
    expect({ status: run.status, stderr: run.stderr, tasks: run.done.tasks }).toMatchObject({
      status: 0,
      tasks: [{ state: "MERGED", attempts: 1 }, {}, {}],
    });
    expect(repository.git("show", "main:A.txt")).toBe("by hand");
    expect((await repository.run(["reconcile"])).status).toBe(0);
  });

  it("stays in force if the submitted work would certainly be refused", async () => {
    using repository = slow();
    const { folder, key } = await taken(repository);
    writeFileSync(join(folder, "f.js"), "exports.f = 2;\n");
    expect(await resultOf(repository, "submit", "A", "--json")).toMatchObject({
      status: 2,
      code: "R-PO-002",
      reason: expect.stringContaining(`lockstep widen ${key} `),
    });
    expect((await repository.run(["widen", "A", "f.js", "--why", "needed"])).status).toBe(0);
    expect(await resultOf(repository, "submit", "A", "--json")).toMatchObject({ status: 0 });
    expect((await runPlan(repository)).status).toBe(0);
    expect(repository.git("show", "main:f.js")).toBe("exports.f = 2;");
  });

  it("also gives the work of a stopped agent", async () => {
    using repository = slow();
    using running = await begun(repository);
    const stopped = await resultOf(repository, "stop", "A", "--json");
    await running.ended;
    const { status, details } = await resultOf(repository, "take", "A", "--json");
    const { folder } = stopped.details;
    expect({ status, details }).toMatchObject({ status: 0, details: { state: "IN_PROGRESS", folder } });
    expect(readFileSync(join(String(folder), "A.txt"), "utf8")).toBe("half\n");
    writeFileSync(join(String(folder), "A.txt"), "by hand");
    expect((await repository.run(["submit", "A"])).status).toBe(0);
    expect((await runPlan(repository)).states).toMatchObject({ A: "MERGED" });
    expect(repository.git("show", "main:A.txt")).toBe("by hand");
  });

  it("also gives the work of an escalated task", async () => {
    using repository = planned({
      agents: { a: [['write: { path: A.txt, text: "half\\n" }', "exit: 3"]] },
      tasks: [task("A", "a")],
    });
    expect((await runPlan(repository)).states).toEqual({ A: "ESCALATED" });
    const taken = await resultOf(repository, "take", "A", "--json");
    expect(taken).toMatchObject({ status: 0, details: { state: "IN_PROGRESS" } });
    expect(readFileSync(join(String(taken.details.folder), "A.txt"), "utf8")).toBe("half\n");
    expect((await repository.run(["submit", "A"])).status).toBe(0);
    expect((await runPlan(repository)).states).toEqual({ A: "MERGED" });
    expect(await resultOf(repository, "take", "A", "--json")).toMatchObject({ status: 2, code: "R-ST-001" });
  });

  it.each([
    ["escalated", ["task", "escalate", "A", "--reason", "look at it"], "ESCALATED"],
    ["stopped", ["stop", "A"], "BLOCKED"],
  ])("leaves a task %s if another task holds its scope", async (_what, words, state) => {
    using repository = planned({
      agents: {
        a: [
          [begins, hangs],
          [writes("A"), answer("OK")],
        ],
      },
      tasks: [task("A", "a")],
    });
    using running = repository.start(["run"]);
    await eventually("the agent works", () => (running.errors().includes("begun") ? true : undefined));
    expect((await repository.run(words)).status).toBe(0);
    await running.ended;
    await repository.run(["task", "add", "OTHER", "--scope", "A.txt", "--check", "cmd: true"]);
    const packet = JSON.stringify({ task_id: "OTHER" });
    expect((await repository.run(["dispatch", "-"], { input: packet })).status).toBe(0);
    expect(await resultOf(repository, "take", "A", "--json")).toMatchObject({ status: 2, code: "R-PD-003" });
    await repository.run(["task", "cancel", "OTHER", "--reason", "not needed"]);
    expect((await runPlan(repository)).states).toEqual({ A: state });
    expect(await resultOf(repository, "take", "A", "--json")).toMatchObject({ status: 0 });
  });

  it("reports what to do if the checkout is missing", async () => {
    using repository = planned({ agents: { a: [["exit: 3"]] }, tasks: [task("A", "a")] });
    expect((await runPlan(repository)).states).toEqual({ A: "ESCALATED" });
    const { details } = await resultOf(repository, "take", "A", "--json");
    await repository.run(["stop", "A"]);
    rmSync(String(details.folder), { recursive: true });
    expect(await resultOf(repository, "take", "A", "--json")).toMatchObject({
      ...{ status: 2, code: "R-ST-001", reason: expect.stringContaining("lockstep task retry A") },
    });
  });

  it("can be returned: an agent starts again", async () => {
    using repository = slow();
    const { key } = await taken(repository);
    expect(key).toMatch(/_shop\/A$/);
    expect((await repository.run(["release", "A"])).status).toBe(0);
    const { status, done } = await runPlan(repository);
    expect({ status, tasks: done.tasks }).toMatchObject({
      status: 0,
      tasks: [{ state: "MERGED", attempts: 2 }, {}, {}],
    });
  });

  it("is required before `submit` without a document, and needs work to submit", async () => {
    using repository = planned({ agents: { a: [[begins, hangs]] }, tasks: [task("A", "a")] });
    using running = repository.start(["run"]);
    await eventually("the agent works", () => (running.errors().includes("begun") ? true : undefined));
    expect(await repository.run(["diff", "A"])).toMatchObject({
      ...{ status: 0, stdout: "", stderr: "task A: no changes so far\n" },
    });
    expect(await resultOf(repository, "submit", "A", "--json")).toMatchObject({
      status: 2,
      code: "R-IN-001",
    });
    expect((await repository.run(["take", "A"])).status).toBe(0);
    await running.ended;
    expect(await resultOf(repository, "submit", "A", "--json")).toMatchObject({
      status: 2,
      code: "R-PC-003",
    });
  });
});

describe("`lockstep log -f`", () => {
  it("prints each line when it is written, and ends with the attempt", async () => {
    using repository = planned({
      agents: { a: [[begins, awaits, "say: later", writes("A"), answer("OK")]] },
      tasks: [task("A", "a")],
    });
    using running = repository.start(["run", "--json"]);
    await eventually("the agent works", () => (running.errors().includes("begun") ? true : undefined));
    using following = repository.start(["log", "A", "--follow"]);
    await eventually("the output", () => following.lines().find((line) => line.endsWith(" begun")));
    expect(following.lines().some((line) => line.endsWith(" later"))).toBe(false);
    repository.write("state/go", "");
    const { status, stdout } = await following.ended;
    expect({ status, stdout }).toEqual({
      status: 0,
      stdout: expect.stringMatching(/ begun\n(?:.*\n)* ?.* later\n/),
    });
    const { done } = readRun((await running.ended).stdout);
    // People read their own time, programs UTC.
    const env = { TZ: "Asia/Tokyo" };
    const whole = await repository.run(["log", String(done.tasks[0]?.key), "-f"], { env });
    expect(whole.stdout).toContain(" merged\n");
    for (const words of [
      ["log", "A"],
      ["log", "A", "-f"],
    ]) {
      const document = JSON.parse((await repository.run([...words, "--json"])).stdout);
      const inTokyo = document.lines.map((line: string) => line.replace(/^\S+Z/, tokyoTime));
      expect({ ...document, lines: inTokyo }).toMatchObject({
        task: done.tasks[0]?.key,
        lines: whole.stdout.split("\n\nCHECK")[0]?.split("\n"),
      });
    }
    expect(await resultOf(repository, "log", "B", "--json")).toMatchObject({ status: 2, code: "R-IN-001" });
  });
});

describe("`lockstep diff` of a task in progress", () => {
  it("shows the content of its checkout, whatever the agent did to git's index there", async () => {
    using repository = planned({
      agents: {
        a: [
          [
            "run: { command: \"git config diff.external 'touch PWNED; true'; git config core.fsmonitor 'touch PWNED'\" }",
            halfDone,
            begins,
            hangs,
          ],
        ],
      },
      tasks: [task("A", "a")],
    });
    using running = repository.start(["run"]);
    await eventually("the agent works", () => (running.errors().includes("begun") ? true : undefined));
    const { status, stdout, stderr } = await repository.run(["diff", "A"]);
    expect({ status, stdout, stderr }).toEqual({
      status: 0,
      stdout: expect.stringContaining("+half"),
      stderr: "",
    });
    expect(stdout).not.toContain("worklogs");
    const { details } = await resultOf(repository, "stop", "A", "--json");
    expect(existsSync(join(String(details.folder), "PWNED"))).toBe(false);
    expect(existsSync(join(repository.path, "PWNED"))).toBe(false);
    await running.ended;
  });
});
