import { describe, expect, it } from "vitest";
import { hooked, program, programAgent, resultOf } from "../support/hooked-run.ts";
import { answer, task, writes } from "../support/planned-repository.ts";
import { eventually } from "../support/run-command.ts";
import { missing } from "../support/sandboxed.ts";

const good = { a: [[writes("A"), answer("OK")]] };
const typed = task("A", "a", ", type: product");
const reviewedBy = (...agents: string[]) =>
  `task_types: { product: { agents: { gatekeeper: [${agents.join(", ")}] } } }\n`;

/** Correct work, and its reviewers. */
const reviewed = (looks: string) =>
  hooked({
    agents: good,
    tasks: [typed],
    config: programAgent("looks", "Reviewer") + reviewedBy("looks"),
    files: { "agents/looks.mjs": looks },
  });

interface Reviewed {
  readonly data: {
    readonly agent: string;
    readonly focus: string | null;
    readonly verdict: string;
    readonly findings: readonly string[];
  };
}

describe("work of a type with gatekeepers", () => {
  it("is merged after another agent approved it, and is returned with the findings of a reviewer that rejects it", async () => {
    const looks = program(`
const first = input.attempt === 1;
const { path, change_type } = input.task.session_changed_files[0];
console.log([input.task.session_changed_files.length, path, change_type, readFileSync(path, "utf8").trim()].join(" "));
answer(first ? "FAIL" : "OK", first ? ["high: A.txt:1: made of nothing"] : ["low: A.txt: short"]);`);
    using repository = hooked({
      agents: {
        a: [
          [writes("A"), answer("OK")],
          ['append: { path: A.txt, text: "more\\n" }', answer("OK")],
        ],
      },
      tasks: [typed],
      config: programAgent("looks", "Reviewer") + reviewedBy("looks"),
      files: { "agents/looks.mjs": looks },
    });
    const { status, stderr, done } = await repository.conduct();
    expect(status, stderr).toBe(0);
    expect(done.tasks[0]).toMatchObject({ state: "MERGED", attempts: 2, agent: "a" });
    expect(stderr).toContain("looks: 1 A.txt added made");
    expect(stderr).toContain("to fix: `looks` reviewed the work and refused it: looked at A");
    const reviews = await repository.events<Reviewed>("task.reviewed");
    expect(reviews.map(({ data: { agent, verdict, findings } }) => [agent, verdict, findings])).toEqual([
      ["looks", "refused", ["high: A.txt:1: made of nothing"]],
      ["looks", "approved", ["low: A.txt: short"]],
    ]);
  });

  it("is reviewed with the files that the task names, including the session's own", async () => {
    const looks = program(`
const session = /refs\\/lockstep\\/([^/]+)/.exec(input.review.ref)[1];
console.log("plan " + readFileSync(".agents-work/" + session + "/tasks.yaml", "utf8").includes("id: A"));
answer("OK");`);
    using repository = reviewed(looks);
    const { status, stderr } = await repository.conduct();
    expect(status, stderr).toBe(0);
    expect(stderr).toContain("looks: plan true");
  });

  it("is refused for a blocking finding, even if the reviewer's verdict is positive", async () => {
    using repository = hooked({
      agents: good,
      tasks: [typed],
      config: `${programAgent("looks", "QA")}limits: { review_retries: 1 }\n${reviewedBy("looks")}`,
      files: { "agents/looks.mjs": program('answer("OK", ["Critical: it deletes everything"]);') },
    });
    const { status, done } = await repository.conduct();
    expect(status).not.toBe(0);
    expect(done.tasks[0]).toMatchObject({ code: "R-PC-002", details: { agent: "looks" } });
  });

  it.skipIf(missing)("is reviewed in a separate checkout, whose changes are not merged", async () => {
    const looks = program(`
for (const path of ["f.js", "A.txt", "x.txt"]) writeFileSync(path, "changed by a reviewer\\n");
try { writeFileSync(".git/config", ""); } catch (error) { console.log(error.code); }
console.log("task " + process.env.LOCKSTEP_TASK + " socket " + process.env.LOCKSTEP_SOCKET);
answer("OK");`);
    using repository = reviewed(looks);
    const { status, stderr } = await repository.conduct();
    expect(status, stderr).toBe(0);
    expect(stderr).toContain("looks: EROFS");
    expect(stderr).toContain("looks: task undefined socket undefined");
    expect(repository.git("diff", "--name-only", "main~1", "main")).toBe("A.txt");
    expect(repository.git("show", "main:A.txt")).toBe("made");
  });

  it("is judged by the project's reviewer, not by the one in its own changes", async () => {
    using repository = hooked({
      agents: { a: [[writes("A"), `run: { command: "echo > agents/looks.mjs" }`, answer("OK")]] },
      tasks: [
        '{ id: A, goal: do A, agent: a, type: product, lock_scope: [A.txt, agents], acceptance_checks: ["cmd: true"] }',
      ],
      config: `${programAgent("looks", "QA")}limits: { review_retries: 0 }\n${reviewedBy("looks")}`,
      files: { "agents/looks.mjs": program('answer("FAIL", ["high: agents/looks.mjs is gone"]);') },
    });
    const { done } = await repository.conduct();
    expect(done.tasks[0]).toMatchObject({ code: "R-PC-002", details: { agent: "looks" } });
  });

  it("is never reviewed by its author: a plan that allows no other reviewer is refused before anything starts", async () => {
    using repository = hooked({ agents: good, tasks: [typed], config: reviewedBy("a") });
    const { status, stderr } = await repository.run(["run"]);
    expect(status).toBe(2);
    expect(stderr).toContain(
      "E-PLAN: only `a`, which does task `A`, could review it: list another agent under `task_types.product.agents.gatekeeper`",
    );
    expect(repository.git("log", "--format=%s")).toBe("base");
  });

  it("waits for a person if its reviewer gives no valid answer after three attempts", async () => {
    using repository = hooked({
      agents: good,
      tasks: [typed],
      config: programAgent("looks", "Reviewer") + reviewedBy("looks"),
      files: { "agents/looks.mjs": 'console.log("well");' },
    });
    const { status, states, stderr } = await repository.conduct();
    expect({ status, states }).toEqual({ status: 3, states: { A: "REVIEW" } });
    expect(stderr.match(/looks: its answer cannot be used/g)).toHaveLength(3);
    expect(stderr).toContain("R-AG-001: `looks` could not review it");
    repository.write("agents/looks.mjs", program('answer("OK");'));
    expect(await repository.conduct()).toMatchObject({ status: 0, states: { A: "MERGED" } });
  });

  it("waits for the answer if security defers it to a person, and is not reviewed again", async () => {
    using repository = hooked({
      agents: good,
      tasks: [typed],
      config: programAgent("looks", "Security") + reviewedBy("looks"),
      files: { "agents/looks.mjs": program('answer("NEEDS_DECISION", ["medium: it logs names"]);') },
    });
    const { status, states, stderr } = await repository.conduct();
    expect({ status, states }, stderr).toEqual({ status: 3, states: { A: "REVIEW" } });
    expect(stderr).toContain("`lockstep decide UD-1 approved`");
    expect(await repository.run(["decide", "UD-1", "approved"])).toMatchObject({ status: 0 });
    expect(await repository.conduct()).toMatchObject({ status: 0, states: { A: "MERGED" } });
    expect(await repository.events("task.reviewed")).toHaveLength(1);
  });
});

describe("a `gatekeeper` before the merge", () => {
  const config = `task_types:
  product:
    hooks: { before_merge: [{ gatekeeper: [qa, architecture] }] }
    agents: { gatekeeper: [gatekeeper-qa, thinks] }
`;
  const gatekeepers = programAgent("gatekeeper-qa", "QA") + programAgent("thinks", "Architect");

  it("asks one matching agent for each name, once", async () => {
    const looks = program('console.log("asked for " + input.review.look_at); answer("OK");');
    using repository = hooked({
      agents: good,
      tasks: [typed],
      config: gatekeepers + config,
      files: { "agents/gatekeeper-qa.mjs": looks, "agents/thinks.mjs": looks },
    });
    const { status, stderr } = await repository.conduct();
    expect(status, stderr).toBe(0);
    const reviews = await repository.events<Reviewed>("task.reviewed");
    expect(reviews.map(({ data: { agent, focus, verdict } }) => [agent, focus, verdict])).toEqual([
      ["gatekeeper-qa", "qa", "approved"],
      ["gatekeeper-qa", "architecture", "approved"],
    ]);
    expect(await repository.hooksRun()).toContain("before_merge gatekeeper SUCCESS");
  });

  it("that refuses returns the work with its findings", async () => {
    const looks = program(`
const bad = readFileSync("A.txt", "utf8") === "made\\n";
answer(bad ? "FAIL" : "OK", bad ? ["high: more of it"] : []);`);
    using repository = hooked({
      agents: {
        a: [
          [writes("A"), answer("OK")],
          ['append: { path: A.txt, text: "more\\n" }', answer("OK")],
        ],
      },
      tasks: [typed],
      config: gatekeepers + config,
      files: { "agents/gatekeeper-qa.mjs": looks, "agents/thinks.mjs": looks },
    });
    const { status, stderr, done } = await repository.conduct();
    expect(status, stderr).toBe(0);
    expect(done.tasks[0]).toMatchObject({ state: "MERGED", attempts: 2 });
    const rejected = await repository.events<{ data: { fixDelta: unknown } }>("task.rejected");
    expect(rejected[0]?.data.fixDelta).toMatchObject({
      code: "R-HK-001",
      details: { refused_by: "qa", findings: ["high: more of it"] },
    });
  });
});

describe("work whose tests fail", () => {
  const fixes = program(`
const found = input.fix_delta === null ? "made" : input.fix_delta.details.investigation.findings[0];
writeFileSync("A.txt", found + "\\n");
answer("OK");`);
  const wanting = (agent: string) =>
    `{ id: A, goal: do A, agent: ${agent}, lock_scope: [A.txt], acceptance_checks: ["cmd: grep more A.txt"] }`;

  it("is analysed by QA, and the findings are given to the agent that fixes it", async () => {
    const asks = program(`
const { command, output } = input.review.failing;
console.log([input.role, command, output === "", input.review.look_at].join(" | "));
answer("FAIL", ["high: A.txt:1: says " + readFileSync("A.txt", "utf8").trim() + ", and no more"]);`);
    using repository = hooked({
      agents: {},
      tasks: [wanting("fixes")],
      config: programAgent("fixes") + programAgent("asks", "QA"),
      files: { "agents/fixes.mjs": fixes, "agents/asks.mjs": asks },
    });
    const { status, stderr, done } = await repository.conduct();
    expect(status, stderr).toBe(0);
    expect(done.tasks[0]).toMatchObject({ state: "MERGED", attempts: 2, agent: "fixes" });
    expect(stderr).toContain("asks: QA | grep more A.txt | true | why `grep more A.txt` fails");
    expect(repository.git("show", "main:A.txt")).toBe("high: A.txt:1: says made, and no more");
    const [review] = await repository.events<Reviewed>("task.reviewed");
    expect(review?.data).toMatchObject({ agent: "asks", focus: "why `grep more A.txt` fails" });
  });

  it("is returned with the output alone if QA made it or cannot analyse it", async () => {
    using repository = hooked({
      agents: {},
      tasks: [wanting("tests"), wanting("fixes").replace("id: A", "id: B").replaceAll("A.txt", "B.txt")],
      config: `${programAgent("tests", "QA")}${programAgent("fixes")}limits: { review_retries: 1 }\n`,
      files: {
        "agents/tests.mjs": program(
          'if (input.review !== undefined) process.exit(1);\nwriteFileSync("A.txt", "made\\n");\nanswer("OK");',
        ),
        "agents/fixes.mjs": program('writeFileSync("B.txt", "made\\n");\nanswer("OK");'),
      },
    });
    const { done, stderr } = await repository.conduct();
    for (const one of done.tasks) {
      expect(one).toMatchObject({ code: "R-PC-002", details: { command: expect.stringContaining("grep") } });
      expect(one.details).not.toHaveProperty("investigation");
    }
    expect(stderr).toContain("`tests` could not investigate the failure");
    expect(await repository.events("task.reviewed")).toEqual([]);
  });

  it("does not wait for a hanging QA after the task is ended, and neither do other tasks", async () => {
    using repository = hooked({
      agents: good,
      tasks: [
        wanting("fixes").replace("id: A", "id: B").replaceAll("A.txt", "B.txt"),
        task("A", "a"),
        '{ id: C, goal: do C, agent: late, depends_on: [A], lock_scope: [C.txt], acceptance_checks: ["cmd: true"] }',
      ],
      config: `${programAgent("fixes")}${programAgent("late")}${programAgent("hangs", "QA")}limits: { batching: continuous }\n`,
      files: {
        "agents/fixes.mjs": program('writeFileSync("B.txt", "made\\n");\nanswer("OK");'),
        "agents/late.mjs": program('writeFileSync("C.txt", "made\\n");\nanswer("OK");'),
        "agents/hangs.mjs": program('console.log("looking");\nsetInterval(() => {}, 1000);'),
      },
    });
    using run = repository.start(["run", "--json"], { env: repository.env });
    await eventually("QA is asked", () => (run.errors().includes("hangs: looking") ? true : undefined));
    await eventually("the others are merged", () =>
      run.errors().match(/[AC] .*merged/g)?.length === 2 ? true : undefined,
    );
    expect((await repository.run(["stop", "B"])).status).toBe(0);
    const { stderr, done } = resultOf(await run.ended);
    const states = done.tasks.map(({ id, state }) => [id.slice(-1), state]);
    expect(states, stderr).toEqual([
      ["A", "MERGED"],
      ["B", "BLOCKED"],
      ["C", "MERGED"],
    ]);
  });
});
