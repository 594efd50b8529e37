import { describe, expect, it } from "vitest";
import type { Decision } from "../../src/ledger/ledger.ts";
import type { LandRepository } from "../support/land-repository.ts";
import { answer, planned, readRun, runPlan, task, writes } from "../support/planned-repository.ts";
import { eventually } from "../support/run-command.ts";
import { command } from "../support/run-hook.ts";
import { missing } from "../support/sandboxed.ts";

const cli = `'${process.execPath}' '${command}'`;
const asking = `${cli} widen A f.js --why needed`;
const runs = (line: string) => `run: { command: ${JSON.stringify(line)} }`;
const widens = runs(asking);
const edits = 'write: { path: f.js, text: "exports.f = 2;\\n" }';
const writesOutside = 'write: { path: stray.txt, text: "" }';
const limits = (widen: string) => `limits: { widen: ${widen} }\n`;
const merged = (repository: LandRepository) => repository.git("show", "main:f.js");

/** Answers the first question that comes up. */
async function decide(repository: LandRepository, said: "approved" | "refused") {
  const id = await eventually("a question", async () => {
    const { stdout } = await repository.run(["decide", "--json"]);
    return (JSON.parse(stdout) as Decision[])[0]?.id;
  });
  const { status, stderr } = await repository.run(["decide", id, said]);
  expect(status, stderr).toBe(0);
}

describe("an agent that asks for more scope", () => {
  it("gets it at once with `limits.widen: auto`, and what it then changes is merged", async () => {
    using repository = planned({
      agents: { a: [[widens, edits, writes("A"), answer("OK")]] },
      tasks: [task("A", "a")],
      config: limits("auto"),
    });
    const { status, stderr, done } = await runPlan(repository);
    expect({ status, stderr, tasks: done.tasks }).toMatchObject({
      status: 0,
      stderr: expect.stringContaining("now also held: f.js"),
      tasks: [{ state: "MERGED", attempts: 1 }],
    });
    expect(merged(repository)).toBe("exports.f = 2;");
  });

  it("does not get it with `never`, and has to continue without it", async () => {
    using repository = planned({
      agents: { a: [[widens, writes("A"), answer("OK")]] },
      tasks: [task("A", "a")],
      config: limits("never"),
    });
    const { status, stderr } = await runPlan(repository);
    expect({ status, stderr }).toEqual({ status: 0, stderr: expect.stringContaining("R-PW-001") });
    expect(merged(repository)).toBe("exports.f = 1;");
  });

  it("gets it while it works, once a person approves", async () => {
    const waits = runs(`until ${asking} | grep "nothing to add"; do sleep 0.2; done`);
    using repository = planned({
      agents: { a: [[widens, writes("A"), waits, edits, answer("OK")]] },
      tasks: [task("A", "a")],
    });
    using running = repository.start(["run", "--json"]);
    await decide(repository, "approved");
    const { status, stdout, stderr } = await running.ended;
    expect({ status, stderr, states: readRun(stdout).states }).toEqual({
      status: 0,
      stderr: expect.stringContaining("a person decides (UD-1)"),
      states: { A: "MERGED" },
    });
    expect(merged(repository)).toBe("exports.f = 2;");
  });

  it("is informed of a person's refusal, and is merged without it", async () => {
    const waits = runs(`while ${asking}; do sleep 0.2; done`);
    using repository = planned({
      agents: { a: [[waits, writes("A"), answer("OK")]] },
      tasks: [task("A", "a")],
    });
    using running = repository.start(["run", "--json"]);
    await decide(repository, "refused");
    const { status, stderr } = await running.ended;
    expect({ status, stderr }).toEqual({
      status: 0,
      stderr: expect.stringContaining("a person refused this request (UD-1)"),
    });
    expect(merged(repository)).toBe("exports.f = 1;");
  });

  it("does not get a scope that another task holds", async () => {
    const holder =
      "{ id: B, goal: do B, agent: b, lock_scope: [B.txt, f.js], acceptance_checks: ['cmd: true'] }";
    using repository = planned({
      agents: {
        a: [[runs("sleep 1"), widens, writes("A"), answer("OK")]],
        b: [[runs("sleep 3"), writes("B"), answer("OK")]],
      },
      tasks: [task("A", "a"), holder],
      config: limits("auto"),
    });
    const { status, stderr, states } = await runPlan(repository);
    expect({ status, stderr, states }).toEqual({
      status: 0,
      stderr: expect.stringContaining("R-PD-003"),
      states: { A: "MERGED", B: "MERGED" },
    });
  });
});

describe("the scope that an agent was granted", () => {
  it("stays granted after a rejection", async () => {
    using repository = planned({
      agents: {
        a: [
          [widens, edits, writesOutside, writes("A"), answer("OK")],
          ["delete: stray.txt", answer("OK")],
        ],
      },
      tasks: [task("A", "a")],
      config: limits("auto"),
    });
    const { status, stderr, done } = await runPlan(repository);
    expect({ status, stderr, tasks: done.tasks }).toMatchObject({
      status: 0,
      tasks: [{ state: "MERGED", attempts: 2 }],
    });
    expect(merged(repository)).toBe("exports.f = 2;");
  });

  it("tells a person which commands start the next attempt", async () => {
    using repository = planned({ agents: { a: [[writesOutside, "exit: 3"]] }, tasks: [task("A", "a")] });
    expect((await runPlan(repository)).states).toEqual({ A: "ESCALATED" });
    const { stdout } = await repository.run(["widen", "A", "f.js", "--why", "needed"]);
    expect(stdout).toMatch(
      /^the next attempt may also write: f\.js; to start it: `lockstep task resolve A --note "…"`, then `lockstep run \S+`\n$/,
    );
  });

  it.skipIf(missing !== undefined)("is writable for the next attempt in a strict sandbox", async () => {
    using repository = planned({
      agents: {
        a: [
          [widens, runs("echo > f.js || echo closed"), writesOutside, writes("A"), answer("OK")],
          ["delete: stray.txt", edits, answer("OK")],
        ],
      },
      tasks: [task("A", "a")],
      config: `${limits("auto")}sandbox: strict\n`,
    });
    const { status, stderr, done } = await runPlan(repository);
    expect({ status, stderr, tasks: done.tasks }).toMatchObject({
      status: 0,
      stderr: expect.stringContaining("closed"),
      tasks: [{ state: "MERGED", attempts: 2 }],
    });
    expect(merged(repository)).toBe("exports.f = 2;");
  });

  it("may be approved after the attempt that asked has ended: the next one has it", async () => {
    using repository = planned({
      agents: {
        a: [
          [widens, writes("A"), answer("BLOCKED")],
          [edits, answer("OK")],
        ],
      },
      tasks: [task("A", "a")],
    });
    const first = await runPlan(repository);
    expect({ status: first.status, states: first.states }).toEqual({ status: 3, states: { A: "BLOCKED" } });
    await decide(repository, "approved");
    const { status, stderr, states } = await runPlan(repository);
    expect({ status, stderr, states }).toMatchObject({ status: 0, states: { A: "MERGED" } });
    expect(merged(repository)).toBe("exports.f = 2;");
  });
});
