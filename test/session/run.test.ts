import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { eventually } from "../support/run-command.ts";
import { goal, sessionsAtGates } from "../support/sessions-at-gates.ts";
import { type TeamAnswers, type TeamRepository, teamRepository } from "../support/team-repository.ts";

const sessions = sessionsAtGates();
afterAll(() => sessions[Symbol.dispose]());

/** Past both gates. */
async function throughGates(repository: TeamRepository) {
  await repository.start(goal);
  return fromDesign(repository);
}

async function fromDesign(repository: TeamRepository) {
  await repository.decide("UD-APPROVE-DESIGN", "approved");
  await repository.resume();
  return fromPlan(repository);
}

async function fromPlan(repository: TeamRepository, strategy = "per-batch") {
  await repository.decide("UD-REVIEW-STRATEGY", strategy);
  return repository.resume();
}

/** A session whose tasks are worked on next. */
async function sessionIn(mode: string, given: TeamAnswers): Promise<TeamRepository> {
  return mode === "lean" ? teamRepository(given) : sessions.at("REVIEW_STRATEGY", given);
}

function build(repository: TeamRepository, mode: string) {
  return mode === "lean" ? repository.start(goal, "--lean") : fromPlan(repository);
}

describe("a goal", () => {
  it("is completed with a person's approval at both gates", async () => {
    using repository = teamRepository();
    const asked = await repository.start(goal);
    expect(asked.status, asked.stderr).toBe(3);
    expect(repository.status()).toMatchObject({ current_state: "APPROVE_DESIGN", mode: "full" });
    expect((await repository.start(goal)).done.session).toBe(asked.done.session);
    expect((await repository.decide("UD-APPROVE-DESIGN", "approved")).status).toBe(0);
    const planned = await repository.resume();
    expect(planned.status, planned.stderr).toBe(3);
    expect(repository.status().current_state).toBe("REVIEW_STRATEGY");
    expect((await repository.decide("UD-REVIEW-STRATEGY", "per-batch")).status).toBe(0);
    const { status, stderr, done } = await repository.resume();
    expect(status, stderr).toBe(0);
    expect(done).toMatchObject({ outcome: "merged", workflow: { state: "DONE" } });
    expect(repository.status()).toMatchObject({ current_state: "DONE", last_ci_result: "green" });
    expect(repository.git("show", "main:b.txt")).toContain("by T-002");
    expect(repository.file("tasks.yaml").match(/completed/g)).toHaveLength(2);
    expect(await repository.dispatches()).toEqual(
      "SpecAgent Architect Planner Reviewer Security Integrator Docs".split(" "),
    );
    expect(done.session).toMatch(/^\d{4}-\d\d-\d\d_two-small-text-files$/);
    expect(readdirSync(join(repository.path, ".agents-work", done.session)).toSorted()).toEqual(
      "acceptance.json activeContext.md architecture.md progress.md report.md spec.md status.json tasks.yaml worklogs".split(
        " ",
      ),
    );
    // Only the agents of the tasks changed files.
    expect(repository.git("diff", "--name-only", "HEAD~2", "main").split("\n")).toEqual(["a.txt", "b.txt"]);
    expect(repository.git("status", "--porcelain")).toBe("");
    const shown = await repository.run(["resume"]);
    expect({ status: shown.status, shown: shown.stdout }).toEqual({
      status: 0,
      shown: expect.stringMatching(/DONE[\s\S]*T-001 +MERGED[\s\S]*report: \.agents-work\/.*\/report\.md/),
    });
  });

  it("prints the full name of its gate if another session waits at the same gate", async () => {
    using repository = await sessions.at("APPROVE_DESIGN");
    const { stdout } = await repository.run(["start", "Another goal"]);
    expect(stdout).toMatch(/^ {2}lockstep decide \S+_another-goal\/UD-APPROVE-DESIGN approved$/m);
  });

  it("is reviewed once at the end if a person chooses that, and no task is completed before", async () => {
    using repository = await sessions.at("REVIEW_STRATEGY", {
      "QA meta": { status: "BLOCKED", summary: "b.txt is not tested", works: false },
    });
    const stuck = await fromPlan(repository, "Single Final");
    expect(stuck.status, stuck.stderr).toBe(3);
    expect(repository.status()).toMatchObject({
      current_state: "ASK_USER",
      retry_counts: { meta: { FIX_TESTS: 3 } },
    });
    expect(repository.file("tasks.yaml")).not.toContain("completed");
    expect(repository.file("tasks.yaml").match(/implemented/g)).toHaveLength(2);
    const decision = stuck.done.decisions[0]?.id ?? "";
    expect((await repository.decide(decision, "accept: it is only text")).status).toBe(0);
    const { status, stderr } = await repository.resume();
    expect(status, stderr).toBe(0);
    expect(repository.status().known_issues).toEqual(["b.txt is not tested"]);
    expect(repository.file("tasks.yaml").match(/completed/g)).toHaveLength(2);
  });

  it("that is small skips the gates", async () => {
    using repository = teamRepository();
    const { status, stderr } = await repository.start(goal, "--lean");
    expect(status, stderr).toBe(0);
    expect(repository.status()).toMatchObject({
      ...{ current_state: "DONE", mode: "lean", user_decisions: [] },
      runtime_flags: { copilot_instructions_exists: false, copilot_checked_at: expect.any(String) },
    });
    expect(repository.has("architecture.md")).toBe(false);
    // S4-191: what was done, how to test it, what was decided and what is open; nothing else.
    expect(repository.file("report.md").replace(/\b[0-9a-f]{12}\b/, "COMMIT")).toBe(
      [
        `# ${goal}`,
        "## What was done\n\n- T-001 write a.txt: merged as COMMIT",
        "## How to test\n\n- `test -e f.js` (passes)\n- `node test/f.test.js` (passes)",
        "## Decisions\n\nNone.",
        "## Known issues\n\nNone.\n",
      ].join("\n\n"),
    );
    expect(await repository.dispatches()).toEqual(["SpecAgent"]);
    expect(repository.git("show", "main:a.txt")).toContain("by T-001");
  });

  it.each([["lean"], ["full"]])(
    "in %s mode ends with a report of the steps, tests and unproven claims of its agents",
    async (mode) => {
      const artifacts = {
        manual_steps: ["run the migration"],
        tests_added_or_updated: ["a.txt"],
        notes: ["deployed to production"],
      };
      using repository = await sessionIn(mode, { "Coder T-001": { artifacts } });
      const { status, stderr } = await build(repository, mode);
      expect(status, stderr).toBe(0);
      const report = repository.file("report.md");
      expect(report).toContain(
        "## Manual steps\n\n- T-001: run the migration\n\n## Tests added or updated\n\n- T-001: a.txt\n",
      );
      expect(report.match(/run the migration/g)).toHaveLength(1);
      expect(repository.status().known_issues).toContain(
        'T-001 claims "deployed to production", without evidence',
      );
    },
  );

  it("that only looked small is done with all gates", async () => {
    const scope = { lock_scope: ["."], acceptance_checks: ["cmd: test -e f.js"] };
    using repository = teamRepository({ tasks: [{ id: "T-001", goal: "everything", ...scope }] });
    const { status, stderr } = await repository.start(goal, "--lean");
    expect(status, stderr).toBe(3);
    expect(repository.status()).toMatchObject({ current_state: "APPROVE_DESIGN", mode: "full" });
    expect(await repository.dispatches()).toEqual(["SpecAgent", "SpecAgent", "Architect"]);
  });

  it("that turns out not to be small while it is built starts again, with tasks of other names", async () => {
    const task = (id: string) => ({
      ...{ id, goal: `write ${id}.txt`, lock_scope: [`${id}.txt`] },
      acceptance_checks: [`cmd: test -e ${id}.txt`],
    });
    using repository = teamRepository({
      ...{ tasks: [task("T-001")], plan: [task("T-001")] },
      "Reviewer T-001": { status: "BLOCKED", summary: "it needs a design", works: false },
    });
    const asked = await repository.start(goal, "--lean");
    expect(asked.status, asked.stderr).toBe(3);
    expect(repository.status()).toMatchObject({ current_state: "APPROVE_DESIGN", mode: "full" });
    await repository.decide("UD-APPROVE-DESIGN", "approved");
    const same = await repository.resume();
    expect({ status: same.status, stderr: same.stderr }).toEqual({
      status: 1,
      stderr: expect.stringContaining("T-001 was already a task of this session"),
    });
    repository.answers({ plan: [task("T-101")] });
    await repository.resume();
    await repository.decide("UD-REVIEW-STRATEGY", "per-batch");
    const { status, stderr } = await repository.resume();
    expect(status, stderr).toBe(0);
    expect(repository.git("ls-tree", "--name-only", "main", "T-001.txt", "T-101.txt")).toBe("T-101.txt");
  });

  it("whose status.json cannot be written is blocked, and continues once it can be written", async () => {
    using repository = await sessions.at("APPROVE_DESIGN");
    const { session } = repository.status();
    await repository.decide("UD-APPROVE-DESIGN", "approved");
    const file = join(repository.path, ".agents-work", session, "status.json");
    rmSync(file);
    mkdirSync(join(file, "in the way"), { recursive: true });
    const { status, stderr } = await repository.resume();
    expect({ status, stderr }).toEqual({ status: 1, stderr: expect.stringContaining("E-STORE") });
    const { stdout } = await repository.run(["status", "--json"]);
    expect(JSON.parse(stdout).workflow).toMatchObject({
      state: "BLOCKED",
      blocker: { code: "persistence_failure" },
    });
    rmSync(file, { recursive: true });
    const again = await repository.resume();
    expect(again.status, again.stderr).toBe(3);
    expect(repository.status().current_state).toBe("REVIEW_STRATEGY");
  });

  it("starts nothing if no agent is available here", async () => {
    using repository = teamRepository();
    repository.write(
      ".lockstep/config.yaml",
      "agents:\n  team: { adapter: command, run: [no-such-program] }\n",
    );
    const { status, stderr } = await repository.run(["start", goal]);
    expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringContaining("no-such-program") });
    expect(existsSync(join(repository.path, ".agents-work"))).toBe(false);
  });

  it("gets research and a design-spec if a role asks for them", async () => {
    using repository = teamRepository({ SpecAgent: { next: "Researcher" }, Architect: { next: "Designer" } });
    const { status, stderr } = await repository.start(goal);
    expect(status, stderr).toBe(3);
    expect(await repository.dispatches()).toEqual(["SpecAgent", "Researcher", "Architect", "Designer"]);
    expect(repository.has("research/files.md") && repository.has("design-specs/files.md")).toBe(true);
  });
});

describe("a design", () => {
  it("is changed as often as a person requests, and each request is kept", async () => {
    using repository = await sessions.at("APPROVE_DESIGN");
    for (const request of ["three modules", "smaller acceptance criteria"]) {
      expect((await repository.decide("UD-APPROVE-DESIGN", `changes-requested: ${request}`)).status).toBe(0);
      const { status, stderr } = await repository.resume();
      expect(status, stderr).toBe(3);
      expect(repository.status()).toMatchObject({
        current_state: "APPROVE_DESIGN",
        user_decisions: [{ decision_id: "UD-APPROVE-DESIGN", status: "pending", answer: null }],
      });
    }
    const history = repository.file("approve-design-history.jsonl").trim().split("\n");
    const kept = {
      at: expect.any(String),
      decision_id: "UD-APPROVE-DESIGN",
      state_context: "APPROVE_DESIGN",
    };
    expect(history.map((line) => JSON.parse(line))).toEqual([
      { ...kept, answer: "changes-requested: three modules" },
      { ...kept, answer: "changes-requested: smaller acceptance criteria" },
    ]);
    expect(await repository.dispatches()).toEqual(["SpecAgent", "Architect", "Architect", "SpecAgent"]);
    await repository.decide("UD-APPROVE-DESIGN", "Approved, go on");
    await repository.resume();
    expect(repository.status()).toMatchObject({
      current_state: "REVIEW_STRATEGY",
      user_decisions: [
        { decision_id: "UD-APPROVE-DESIGN", status: "answered", answer: "approved, go on" },
        { decision_id: "UD-REVIEW-STRATEGY", status: "pending" },
      ],
    });
  });

  it("is not changed if the request cannot be stored", async () => {
    using repository = await sessions.at("APPROVE_DESIGN");
    const { session } = repository.status();
    const file = join(repository.path, ".agents-work", session, "approve-design-history.jsonl");
    mkdirSync(file);
    await repository.decide("UD-APPROVE-DESIGN", "changes-requested: three modules");
    const { status } = await repository.resume();
    expect({ status, blocker: repository.status().blocker }).toMatchObject({
      status: 1,
      blocker: { code: "persistence_failure", from_state: "APPROVE_DESIGN" },
    });
    expect(repository.status().user_decisions).toMatchObject([
      { answer: "changes-requested: three modules" },
    ]);
    expect(await repository.dispatches()).toEqual(["SpecAgent", "Architect"]);
    const shown = await repository.run(["resume"]);
    expect({ status: shown.status, shown: shown.stdout }).toEqual({
      status: 1,
      shown: expect.stringMatching(
        /BLOCKED in APPROVE_DESIGN\n {2}persistence_failure:\s[\s\S]*\n {2}next: /,
      ),
    });
    rmSync(file, { recursive: true });
    await repository.resume();
    expect(await repository.dispatches()).toEqual(["SpecAgent", "Architect", "Architect"]);
  });

  it("without a valid answer blocks the session, which continues at that gate", async () => {
    using repository = await sessions.at("APPROVE_DESIGN");
    const answers = ["maybe", "approvedX", "changes-requested:", "no"];
    for (const answer of answers) {
      const { status, stderr } = await repository.decide("UD-APPROVE-DESIGN", answer);
      expect({ status, code: /R-\w+-\d+/.exec(stderr)?.[0] }).toEqual({ status: 2, code: "R-IN-001" });
    }
    expect(repository.status()).toMatchObject({
      current_state: "BLOCKED",
      blocker: { code: "mandatory_user_decision_missing" },
      user_decisions: [{ status: "cancelled" }],
    });
    const again = await repository.resume();
    expect(again.status, again.stderr).toBe(3);
    expect(repository.status()).toMatchObject({
      current_state: "APPROVE_DESIGN",
      user_decisions: [{ status: "pending" }],
    });
    expect(await repository.dispatches()).toEqual(["SpecAgent", "Architect"]);
  });
});

describe("a session", () => {
  it("keeps the branch that it began on", async () => {
    using repository = await sessions.at("APPROVE_DESIGN");
    repository.git("switch", "-q", "-c", "other");
    await repository.decide("UD-APPROVE-DESIGN", "approved");
    await repository.resume();
    await repository.decide("UD-REVIEW-STRATEGY", "single-final");
    const { status, stderr } = await repository.resume();
    expect(status, stderr).toBe(0);
    expect(repository.git("show", "main:a.txt")).toContain("by T-001");
    expect(repository.git("ls-tree", "--name-only", "other", "a.txt")).toBe("");
  });

  it("whose files were deleted restores them in the next command", async () => {
    using repository = await sessions.at("APPROVE_DESIGN");
    repository.git("clean", "-fdxq");
    repository.answers({});
    expect(repository.has("spec.md")).toBe(false);
    expect((await repository.decide("UD-APPROVE-DESIGN", "approved")).status).toBe(0);
    expect(repository.has("spec.md")).toBe(true);
    repository.git("clean", "-fdxq");
    repository.answers({});
    const { status, stderr } = await repository.resume();
    expect(status, stderr).toBe(3);
    expect(repository.status().current_state).toBe("REVIEW_STRATEGY");
  });

  it("asks for approval again if the design changed after it was approved", async () => {
    using repository = await sessions.at("APPROVE_DESIGN");
    const { session } = repository.status();
    await repository.decide("UD-APPROVE-DESIGN", "approved");
    const file = join(repository.path, ".agents-work", session, "architecture.md");
    writeFileSync(file, "# Other\n\n## Overview\n\nOther.\n\n## Modules\n\nMany.\n");
    const { status, stderr } = await repository.resume();
    expect(status, stderr).toBe(3);
    expect(repository.status()).toMatchObject({
      current_state: "APPROVE_DESIGN",
      user_decisions: [{ status: "pending" }],
    });
    await repository.decide("UD-APPROVE-DESIGN", "approved");
    await repository.resume();
    expect(repository.status().current_state).toBe("REVIEW_STRATEGY");
  });

  it("that is abandoned asks no more questions, and is not the one that continues", async () => {
    using repository = await sessions.at("APPROVE_DESIGN");
    const first = repository.status().session;
    const { status } = await repository.resume("--abandon", "not needed");
    expect({ status, blocker: repository.status().blocker }).toMatchObject({
      status: 1,
      blocker: { code: "abandoned", reason: "not needed", from_state: "APPROVE_DESIGN" },
    });
    expect((await repository.run(["decide"])).stdout).toContain("nothing is waiting for you");
    const second = await repository.start("A later goal");
    expect((await repository.resume()).done.session).toBe(second.done.session);
    const back = await repository.resume(first);
    expect({ status: back.status, state: repository.status().current_state }).toEqual({
      status: 3,
      state: "APPROVE_DESIGN",
    });
  });

  it.each([
    ["nothing", " ", "empty"],
    ["control characters", "red \u001b[31m", "control characters"],
    ["a book", "x".repeat(10_001), "longer than"],
  ])("does not begin with %s for a goal", async (_name, wanted, shown) => {
    using repository = teamRepository();
    const { status, stderr } = await repository.run(["start", wanted]);
    expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringContaining(shown) });
    expect(existsSync(join(repository.path, ".agents-work"))).toBe(false);
  });

  it("does not begin while another process runs a session, and leaves nothing behind", async () => {
    using repository = teamRepository({ sleep: 3000 });
    using running = repository.launch(["start", "An earlier goal"]);
    await eventually("its first role", () => (running.errors().includes("SpecAgent") ? true : undefined));
    const { status, stderr } = await repository.run(["start", goal]);
    expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringContaining("is active here") });
    expect(readdirSync(join(repository.path, ".agents-work"))).toHaveLength(1);
    running.process.kill("SIGTERM");
    await running.ended;
  });
});

describe("a role", () => {
  it.each([
    ["answers with prose", { says: "All done, the specification is written." }],
    ["answers with broken JSON", { says: '{"status": "OK", "summary": ' }],
    ["answers with another role's status", { status: "NEEDS_DECISION" }],
    ["omits a section", { works: false, files: { "SESSION/spec.md": "# Spec\n\n## Goals\n\nx\n" } }],
    ["writes nothing", { works: false }],
    [
      "hides text from the reader",
      { works: false, files: { "SESSION/spec.md": "# Spec\n\n## Goals\n\n\u202ex\n" } },
    ],
  ])("that %s is asked three times, then the session is blocked", async (_name, request) => {
    using repository = teamRepository({ SpecAgent: request });
    const { status, stderr } = await repository.start(goal);
    expect(status, stderr).toBe(1);
    expect(stderr.match(/its answer cannot be used/g)).toHaveLength(3);
    expect(repository.status()).toMatchObject({
      current_state: "BLOCKED",
      blocker: { code: "subagent_failure", from_state: "INTAKE" },
    });
    repository.answers({});
    const again = await repository.resume();
    expect(again.status, again.stderr).toBe(3);
    expect(repository.status().current_state).toBe("APPROVE_DESIGN");
  });

  it.each([
    ["full", "a status that is not its own", { status: "NEEDS_DECISION", works: false }],
    ["lean", "a status that is not its own", { status: "NEEDS_DECISION", works: false }],
    ["full", "prose", { says: "All done.", works: false }],
    ["lean", "prose", { says: "All done.", works: false }],
  ])(
    "that codes in %s mode and answers only with %s blocks the session, which writes no code itself",
    async (mode, _what, request) => {
      using repository = await sessionIn(mode, { Coder: request });
      const base = repository.git("rev-parse", "main");
      const { status, stderr } = await build(repository, mode);
      expect(status, stderr).toBe(1);
      const blocker = { code: "subagent_failure", from_state: "IMPLEMENT_LOOP" };
      expect(repository.status()).toMatchObject({ current_state: "BLOCKED", mode, blocker });
      // No other role does the work, and neither does Lockstep.
      expect(repository.git("rev-parse", "main")).toBe(base);
      expect(repository.git("status", "--porcelain")).toBe("");
      repository.answers({});
      const again = await repository.resume();
      expect(again.status, again.stderr).toBe(0);
      expect(repository.status()).toMatchObject({ current_state: "DONE", mode });
      expect(repository.git("show", "main:a.txt")).toContain("by T-001");
    },
  );

  it("that is asked for a repair and makes none blocks the session, and is asked again on resume", async () => {
    using repository = await sessions.at("REVIEW_STRATEGY", {
      "QA meta": { status: "BLOCKED", summary: "no", until: { file: "a.txt", has: "FIX-1" }, works: false },
      "Coder FIX-1": { status: "NEEDS_DECISION", works: false },
    });
    const { status, stderr } = await fromPlan(repository, "single-final");
    expect(status, stderr).toBe(1);
    expect(repository.status()).toMatchObject({
      blocker: { code: "subagent_failure", reason: expect.stringContaining("FIX-1") },
    });
    repository.answers({});
    const again = await repository.resume();
    expect(again.status, again.stderr).toBe(0);
  });

  it("that exceeds its budget is stopped, and asked again on resume with a new budget", async () => {
    using repository = teamRepository(
      { Architect: { says: '{"usage":{"tokens":90}}\n{"usage":{"tokens":90}}\n', sleep: 3000 } },
      "limits: { tokens: { warn: 50, halt: 100 } }\n",
    );
    const { status, stderr } = await repository.start(goal);
    expect(status, stderr).toBe(1);
    expect(repository.status().blocker).toMatchObject({ code: "subagent_failure", from_state: "DESIGN" });
    repository.answers({});
    const again = await repository.resume();
    expect(again.status, again.stderr).toBe(3);
    expect(repository.status().current_state).toBe("APPROVE_DESIGN");
  });

  it("that prints a secret is shown without it", async () => {
    using repository = teamRepository({ SpecAgent: { summary: `token ghp_${"a1B2".repeat(9)} works` } });
    const { stderr } = await repository.start(goal);
    expect(stderr).toContain("SpecAgent  OK: token");
    expect(stderr).not.toContain("a1B2a1B2");
  });

  it("that cannot do its work reports it, and is asked again on resume", async () => {
    using repository = teamRepository({ Architect: { status: "BLOCKED", summary: "which language?" } });
    const { status } = await repository.start(goal);
    expect({ status, blocker: repository.status().blocker }).toMatchObject({
      status: 1,
      blocker: { code: "agent_blocked", reason: "Architect: which language?", from_state: "DESIGN" },
    });
    repository.answers({});
    await repository.resume();
    expect(await repository.dispatches()).toEqual(["SpecAgent", "Architect", "Architect"]);
  });

  it("whose context file is missing is not asked", async () => {
    using repository = teamRepository({ Architect: { status: "BLOCKED" } });
    await repository.start(goal);
    const { session } = (await repository.resume()).done;
    rmSync(join(repository.path, ".agents-work", session, "spec.md"));
    const { status, stdout } = await repository.resume();
    expect({ status, blocker: repository.status().blocker }).toMatchObject({
      status: 1,
      blocker: {
        code: "missing_context_file",
        reason: `Architect needs .agents-work/${session}/spec.md`,
      },
    });
    expect(stdout).toContain("spec.md");
  });

  it("whose input file is invalid is not asked", async () => {
    using repository = teamRepository({ Architect: { status: "BLOCKED" } });
    const { session } = (await repository.start(goal)).done;
    writeFileSync(join(repository.path, ".agents-work", session, "spec.md"), "# Spec\n\n## Goals\n\nx\n");
    const { status } = await repository.resume();
    expect({ status, blocker: repository.status().blocker }).toMatchObject({
      status: 1,
      blocker: { code: "artifact_invalid", reason: expect.stringContaining("Acceptance Criteria") },
    });
  });

  it("that needs information has a person asked, and continues with the answer", async () => {
    using repository = teamRepository({
      SpecAgent: { next: "Researcher" },
      Researcher: { status: "NEEDS_INFO", artifacts: { questions: ["Which encoding?"] } },
    });
    const { status, done, stderr } = await repository.start(goal);
    expect(status, stderr).toBe(3);
    expect(repository.status()).toMatchObject({
      current_state: "ASK_USER",
      user_decisions: [{ decision_id: "UD-1", status: "pending", state_context: "DESIGN" }],
    });
    expect(done.decisions.map(({ question }) => question)).toEqual(["Researcher asks: Which encoding?"]);
    repository.answers({});
    expect((await repository.decide("UD-1", "UTF-8")).status).toBe(0);
    await repository.resume();
    expect(repository.status()).toMatchObject({ current_state: "APPROVE_DESIGN" });
    expect(await repository.dispatches()).toEqual(["SpecAgent", "Researcher", "Researcher", "Architect"]);
  });

  it("that answers a decision itself, or sets a state, is refused, and its whole answer is ignored", async () => {
    const status = {
      current_state: "DONE",
      user_decisions: [{ decision_id: "UD-APPROVE-DESIGN", status: "answered", answer: "approved" }],
      assumptions: ["files are small"],
    };
    using repository = teamRepository({
      Architect: { files: { "SESSION/status.json": JSON.stringify(status) } },
    });
    const { stderr } = await repository.start(goal);
    expect(stderr).toContain("Architect may not change `user_decisions` in status.json");
    expect(repository.status()).toMatchObject({
      current_state: "APPROVE_DESIGN",
      assumptions: ["files are small"],
      user_decisions: [{ status: "pending", answer: null }],
    });
  });

  it("writes only its own files: not another role's, not another session's, not the source", async () => {
    using repository = await sessions.at("APPROVE_DESIGN");
    const first = repository.status().session;
    const earlier = repository.file("spec.md");
    repository.answers({
      SpecAgent: {
        files: {
          [`.agents-work/${first}/spec.md`]: "forged",
          "SESSION/architecture.md": "mine",
          "f.js": "exports.f = 2;",
        },
      },
    });
    const { stderr } = await repository.start("A later goal");
    expect(stderr).toContain("architecture.md, which is not one of its files");
    expect(repository.file("architecture.md")).not.toBe("mine");
    expect(repository.git("show", "main:f.js")).toBe("exports.f = 1;");
    expect(repository.git("status", "--porcelain")).toBe("");
    const before = join(repository.path, ".agents-work", first, "spec.md");
    expect(readFileSync(before, "utf8")).toBe(earlier);
  });
});

describe("work", () => {
  it("that a reviewer refuses is fixed, and then all reviewers look again", async () => {
    using repository = await sessions.at("REVIEW_STRATEGY", {
      "Reviewer T-001": {
        ...{ status: "BLOCKED", summary: "too short", works: false },
        until: { file: "a.txt", has: "repaired" },
      },
    });
    const { status, stderr } = await fromPlan(repository);
    expect(status, stderr).toBe(0);
    expect(stderr).toMatch(/IMPLEMENT_LOOP → FIX_REVIEW[\s\S]*FIX_REVIEW → IMPLEMENT_LOOP/);
    expect(repository.status().retry_counts).toEqual({
      "T-001": { FIX_REVIEW: 1, FIX_TESTS: 0, FIX_SECURITY: 0, FIX_BUILD: 0 },
    });
    expect(repository.git("show", "main:a.txt")).toContain("repaired");
  });

  it("that three repairs did not fix waits for a person's decision: it is left out, and the rest continues", async () => {
    const tasks = ["a", "b"].map((name, at) => ({
      ...{ id: `T-00${at + 1}`, goal: `write ${name}.txt`, lock_scope: [`${name}.txt`] },
      acceptance_checks: [`cmd: test -e ${name}.txt`],
    }));
    using repository = await sessions.at("APPROVE_DESIGN", {
      tasks,
      "Reviewer T-001": { status: "BLOCKED", summary: "never good enough", works: false },
    });
    const stuck = await fromDesign(repository);
    expect(stuck.status, stuck.stderr).toBe(3);
    expect(repository.status()).toMatchObject({
      current_state: "ASK_USER",
      retry_counts: { "T-001": { FIX_REVIEW: 3 } },
      user_decisions: [{}, {}, { decision_id: "UD-1", status: "pending", state_context: "IMPLEMENT_LOOP" }],
    });
    expect((await repository.decide("UD-1", "leave-out: not worth it")).status).toBe(0);
    const { status, stderr } = await repository.resume();
    expect(status, stderr).toBe(0);
    expect(repository.status().known_issues).toEqual([
      "T-001 was left out (`reviewer` reviewed the work and refused it: never good enough): not worth it",
    ]);
    expect(repository.git("ls-tree", "--name-only", "main", "a.txt", "b.txt")).toBe("b.txt");
  });

  it("that has used up its budget waits for a person, who is asked once and decides how it continues", async () => {
    using repository = teamRepository(
      { "Coder T-001": { says: '{"usage":{"tokens":90}}\n{"usage":{"tokens":90}}\n', sleep: 3000 } },
      "limits: { tokens: { warn: 50, halt: 100 } }\n",
    );
    const stuck = await repository.start(goal, "--lean");
    expect(stuck.status, stuck.stderr).toBe(3);
    expect(stuck.done.decisions).toMatchObject([{ id: "UD-1", kind: "continue" }]);
    expect(repository.status()).toMatchObject({ current_state: "ASK_USER", mode: "lean" });
    repository.answers({});
    expect((await repository.decide("UD-1", "continue: 500")).status).toBe(0);
    const { status, stderr } = await repository.resume();
    expect(status, stderr).toBe(0);
    expect(repository.status()).toMatchObject({ current_state: "DONE", mode: "lean" });
  });

  it("that its agent reports as blocked waits for a person, whose answer decides how it continues", async () => {
    using repository = await sessions.at("REVIEW_STRATEGY", {
      "Coder T-001": { status: "BLOCKED", summary: "which encoding?", works: false },
    });
    const stuck = await fromPlan(repository);
    expect(stuck.status, stuck.stderr).toBe(3);
    expect(stuck.done.decisions.map(({ question }) => question).join()).toContain("which encoding?");
    repository.answers({});
    expect((await repository.decide("UD-1", "retry: UTF-8")).status).toBe(0);
    const { status, stderr } = await repository.resume();
    expect(status, stderr).toBe(0);
    expect(repository.status()).toMatchObject({ current_state: "DONE", known_issues: [] });
  });

  it("that security leaves to a person continues when the decision is deferred, which is recorded", async () => {
    using repository = await sessions.at("REVIEW_STRATEGY", {
      "Security meta": {
        ...{ status: "NEEDS_DECISION", summary: "a token may leak", works: false },
        artifacts: { findings: [{ severity: "medium", file: "a.txt", description: "a token may leak" }] },
      },
    });
    const asked = await fromPlan(repository);
    expect(asked.status, asked.stderr).toBe(3);
    expect(repository.status()).toMatchObject({ current_state: "ASK_USER" });
    expect(repository.status().user_decisions.at(-1)).toMatchObject({ x_security: true, status: "pending" });
    const { id = "" } = asked.done.decisions[0] ?? {};
    expect((await repository.decide(id, "--cancel", "deferred to the next sprint")).status).toBe(0);
    const { status, stderr } = await repository.resume();
    expect(status, stderr).toBe(0);
    expect(repository.status().user_decisions.at(-1)).toMatchObject({
      status: "cancelled",
      resolution_reason: "deferred to the next sprint",
    });
    expect(repository.status().known_issues.join()).toContain("deferred to the next sprint");
  });

  it("that security leaves to a person is fixed on their request, and reviewed again", async () => {
    using repository = await sessions.at("REVIEW_STRATEGY", {
      "Security meta": {
        ...{ status: "NEEDS_DECISION", summary: "a token may leak", works: false },
        until: { file: "a.txt", has: "by FIX-1" },
      },
    });
    const asked = await fromPlan(repository);
    const { id = "" } = asked.done.decisions[0] ?? {};
    expect((await repository.decide(id, "retry: mask it")).status).toBe(0);
    const { status, stderr } = await repository.resume();
    expect(status, stderr).toBe(0);
    expect(stderr).toMatch(/IMPLEMENT_LOOP → FIX_SECURITY[\s\S]*FIX_SECURITY → IMPLEMENT_LOOP/);
    expect(repository.status()).toMatchObject({
      known_issues: [],
      retry_counts: { meta: { FIX_SECURITY: 1 } },
    });
  });

  it("whose acceptance commands fail on the merged tree is repaired by the integrator", async () => {
    using repository = teamRepository({ verify: [" CMD: test -e fixes/FIX-1.txt"] });
    const { status, stderr } = await throughGates(repository);
    expect(status, stderr).toBe(0);
    expect(stderr).toMatch(/INTEGRATE → FIX_BUILD[\s\S]*FIX_BUILD → INTEGRATE/);
    expect(repository.status()).toMatchObject({
      current_state: "DONE",
      last_ci_result: "green",
      retry_counts: { meta: { FIX_BUILD: 1 } },
    });
    expect(repository.git("show", "main:fixes/FIX-1.txt")).toBe("fixed");
  });

  it("without any test is blocked, with what to add", async () => {
    using repository = teamRepository({ verify: ["manual: look at it"] }, "checks: { default: [] }\n");
    const { status, stderr } = await throughGates(repository);
    expect(status, stderr).toBe(1);
    expect(repository.status()).toMatchObject({
      current_state: "BLOCKED",
      blocker: { code: "no_way_to_test", from_state: "INTEGRATE" },
    });
  });

  it("whose criteria became invalid meanwhile is blocked: none of them is skipped silently", async () => {
    using repository = await sessions.at("REVIEW_STRATEGY");
    const criteria = repository.file("acceptance.json").replace(/"cmd: [^"]*"/, '"command: npm test"');
    repository.write(`.agents-work/${repository.status().session}/acceptance.json`, criteria);
    const { status, stderr } = await fromPlan(repository, "single-final");
    expect(status, stderr).toBe(1);
    expect(repository.status()).toMatchObject({
      current_state: "BLOCKED",
      blocker: {
        code: "artifact_invalid",
        reason: expect.stringContaining("is `command: npm test`: write `cmd:`"),
      },
    });
  });

  it("that repairs the merged whole is reviewed before it is merged, as every task is", async () => {
    using repository = teamRepository({
      verify: ["cmd: test -e fixes/FIX-1.txt"],
      "Reviewer FIX-1": {
        ...{ status: "BLOCKED", summary: "too short", works: false },
        until: { file: "fixes/FIX-1.txt", has: "repaired" },
      },
    });
    const { status, stderr } = await throughGates(repository);
    expect(status, stderr).toBe(0);
    expect(repository.git("show", "main:fixes/FIX-1.txt")).toBe("fixed and repaired");
  });

  it("that cannot be repaired waits for a person's decision after three attempts", async () => {
    using repository = teamRepository(
      { verify: ["cmd: test -e never.txt"] },
      "limits: { review_retries: 1, same_error: 2 }\n",
    );
    const stuck = await throughGates(repository);
    expect(stuck.status, stuck.stderr).toBe(3);
    expect(repository.status()).toMatchObject({
      current_state: "ASK_USER",
      retry_counts: { meta: { FIX_BUILD: 3 } },
    });
    const { id = "" } = stuck.done.decisions[0] ?? {};
    expect((await repository.decide(id, "accept: it comes with the next release")).status).toBe(0);
    const { status, stderr } = await repository.resume();
    expect(status, stderr).toBe(0);
    expect(repository.status()).toMatchObject({ current_state: "DONE", last_ci_result: "red" });
    expect(repository.status().known_issues.join()).toContain("test -e never.txt");
  }, 180_000);

  it("that weakens tests waits for a person, and the result says so", async () => {
    const tasks = [
      { id: "T-001", goal: "less", lock_scope: ["test"], acceptance_checks: ["cmd: test -e f.js"] },
    ];
    using repository = await sessions.at("APPROVE_DESIGN", {
      tasks,
      // Not a test of this project: what the agent writes counts as a disabled test.
      Coder: { works: false, files: { "test/f.test.js": "// it.skip\n" } },
    });
    const waiting = await fromDesign(repository);
    expect(waiting.status, waiting.stderr).toBe(3);
    const { id = "" } = waiting.done.decisions[0] ?? {};
    expect((await repository.decide(id, "accept: f is gone")).status).toBe(0);
    const { status, stderr } = await repository.resume();
    expect(status, stderr).toBe(0);
    expect(repository.status().known_issues.join()).toContain("T-001 weakens tests: ");
  });

  it("that a person rolled back is not reported as done", async () => {
    using repository = await sessions.at("REVIEW_STRATEGY", {
      "Security meta": { status: "NEEDS_DECISION", works: false },
    });
    const asked = await fromPlan(repository);
    repository.git("reset", "-q", "--hard", "HEAD~1");
    await repository.decide(asked.done.decisions[0]?.id ?? "", "accept");
    const { status, stderr } = await repository.resume();
    expect(status, stderr).toBe(1);
    expect(repository.status().blocker).toMatchObject({
      reason: expect.stringContaining("merged, but no longer on `main`: T-002"),
    });
  });

  it("that changes documents is proven and merged like other work", async () => {
    using repository = await sessions.at("REVIEW_STRATEGY", {
      "Docs meta": { artifacts: { files_to_create_or_update: ["README.md"] } },
      "Docs DOCS": { works: false, files: { "README.md": "# Two files\n" } },
    });
    const { status, stderr } = await fromPlan(repository);
    expect(status, stderr).toBe(0);
    expect(repository.git("show", "main:README.md")).toBe("# Two files");
    expect(repository.git("log", "--format=%s", "--first-parent", "main").split("\n")[0]).toContain("DOCS");
  });
});
