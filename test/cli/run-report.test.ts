import { describe, expect, it } from "vitest";
import { type ReportedTask, type RunReport, runReport } from "../../src/cli/run-view/run-report.ts";
import type { CheckRecord, CheckRun } from "../../src/core/proof/check-record.ts";
import { noRetries } from "../../src/core/tasks/counters.ts";
import { shortName } from "../../src/view/task-names.ts";
import { checksByName, landRepository } from "../support/land-repository.ts";
import { eventually } from "../support/run-command.ts";

const session = "2026-08-01_shop";

function reported(id: string, state: ReportedTask["state"], more: Partial<ReportedTask> = {}): ReportedTask {
  return {
    ...{ key: `${session}/${id}`, title: `Title of ${id}`, state, agent: "coder", code: null, reason: null },
    ...{ attempts: 1, waits: [], reverted_by: null, alive: null, started_at: null, elapsed_seconds: 9 },
    ...{ usage: { tokens: 1000, cost_usd: null }, proof: null, evidence: [], details: {} },
    retries: noRetries,
    ...more,
  };
}

type Wait = ReportedTask["waits"][number];

const person = (why: Extract<Wait, { on: "person" }>["why"]): readonly Wait[] => [
  { on: "person", why, decision: null },
];

/** An event of a task of the same session that waits for a person. */
const lock = (id: string, resource: string): Wait => ({
  ...{ on: "lock", task: `${session}/${id}`, resource, state: "REVIEW", waits_for_person: true },
});

function report(tasks: readonly ReportedTask[], more: Partial<RunReport> = {}): string {
  return runReport({
    ...{ session, outcome: "failed", wasDone: false, base: "main", tasks, decisions: [] },
    ...{ last: new Map(), seconds: 72.4, missing: null, columns: 80 },
    walls: { guard: false, sandbox: true, diff: true },
    ...{
      goOn: "lockstep run",
      breaker: null,
      push: null,
      left: null,
      nameOf: shortName,
      commandsTo: () => [],
    },
    ...more,
  });
}

const run = (exit: number) => ({ exit, seconds: 1, digest: "", tail: "" });
const check = (command: string, before: number, after: number): CheckRecord => ({
  ...{ command, tree: "0".repeat(40), kind: "project", outcome: "pass" },
  ...{ before: run(before), after: run(after), again: null },
});

describe("the report of a run", () => {
  it("breaks a long title and a long proof between words, aligned with their first line", () => {
    const commands = [
      "npm run lint -- --max-warnings 0",
      "npm test -- price",
      "node scripts/check-prices.js",
    ];
    const evidence = commands.map((command) => check(command, 0, 0));
    const title = "Round prices half-even to two digits, in the cart and on the invoice too";
    expect(report([reported("T-001", "MERGED", { title, evidence })], { columns: 60 })).toContain(`
  T-001  Round prices half-even to two digits, in the cart
         and on the invoice too
         proof: npm run lint -- --max-warnings 0; npm test
                -- price; node scripts/check-prices.js
`);
  });

  it("names the breaker that stopped the work, and the command that clears it, before the run command", () => {
    const breaker = "paused: release day; `lockstep clear` resumes work";
    const text = report([reported("T-001", "PENDING", { attempts: 0 })], { breaker });
    expect(text).toContain(`0 of 1 task merged into main\n${breaker}\n`);
    expect(text).toContain("next: lockstep clear && lockstep run\n");
    expect(report([reported("T-001", "PENDING", { attempts: 0 })])).not.toContain("lockstep clear");
  });

  it("puts the diff before the question about weakened tests, which shows both answers", () => {
    const question = { id: "UD-2", kind: "weakened" as const, task: `${session}/T-002` };
    const asked = {
      ...question,
      question: "T-002 weakens tests. Accept the change?",
      options: ["accept", "refuse"],
    };
    const text = report([reported("T-002", "REVIEW")], { decisions: [asked], columns: 120 });
    expect(text).toContain("next: lockstep diff T-002 && lockstep decide UD-2 && lockstep run\n");
    expect(text).toContain("(accept: … or refuse: …)");
  });

  it("warns of a check that passed without running a test", () => {
    const of = (command: string, tests: CheckRun["tests"]): CheckRecord => ({
      ...check(command, 0, 0),
      ...(tests === undefined ? {} : { after: { ...run(0), tests } }),
    });
    const evidence = [of("npm test", { ran: 0, skipped: 2 }), of("make lint", undefined)];
    const tested = [of("npm test", { ran: 3, skipped: 2 })];
    expect(
      report([reported("T-001", "MERGED", { evidence }), reported("T-002", "MERGED", { evidence: tested })], {
        columns: 100,
      }),
    ).toContain(`
         proof: npm test (all 2 tests were skipped); make lint
         warning: \`npm test\` passed, but all 2 tests were skipped, so it verified nothing
  T-002  Title of T-002
         proof: npm test

`);
  });

  it("lists merged tasks with their proof, other tasks with the next command, and how to share the work", () => {
    const tasks = [
      reported("T-001", "MERGED", { evidence: [check("npm test", 0, 0), check("npm test -- price", 1, 0)] }),
      reported("T-002", "MERGED", { evidence: [check("npm test", 1, 1)] }),
      reported("T-003", "ESCALATED", {
        waits: person("escalated"),
        code: "R-PC-002",
        reason: "`npm test` fails on the merged tree (exit 1): fix it and hand it in again\n  at x.js:1",
      }),
      reported("T-004", "PENDING", {
        attempts: 0,
        waits: [{ on: "dependency", task: `${session}/T-003`, state: "ESCALATED", waits_for_person: true }],
        usage: { tokens: 0, cost_usd: 0.25 },
      }),
    ];
    expect(report(tasks, { outcome: "waiting", push: "git push origin main" })).toBe(`\
2026-08-01_shop: 2 of 4 tasks merged into main

merged
  T-001  Title of T-001
         proof: npm test; npm test -- price (failed before)
  T-002  Title of T-002
         proof: npm test (fails as before)

not merged
  T-003  escalated: R-PC-002 \`npm test\` fails on the merged tree (exit 1): fix
         it and hand it in again
         look: lockstep log T-003; lockstep diff T-003
         next: lockstep task resolve T-003 --note "…" && lockstep run
  T-004  pending: waits for T-003 (waits for you)

1m 12s, 3k tokens, 0.25 USD, isolation: sandbox on, scope check on
to share it: git push origin main
`);
  });

  const key = `${session}/T-001`;
  const decision = {
    ...{ id: "UD-001", kind: "manual" as const, task: key },
    ...{ question: "may it?", options: ["approved", "refused"] },
  };

  it.each<[string, ReportedTask, Partial<RunReport>, string]>([
    [
      "waits for a decision",
      reported("T-001", "REVIEW"),
      { decisions: [decision] },
      "lockstep decide UD-001 approved && lockstep run",
    ],
    ["failed", reported("T-001", "FAILED"), {}, 'lockstep task resolve T-001 --note "…" && lockstep run'],
    [
      "reported a blocker",
      reported("T-001", "BLOCKED", { waits: person("reported") }),
      {},
      "lockstep task retry T-001 && lockstep run",
    ],
    [
      "was stopped by a person",
      reported("T-001", "BLOCKED", { waits: person("stopped") }),
      {},
      "lockstep task retry T-001 && lockstep run",
    ],
    ["was denied once, and is retried by a run", reported("T-001", "BLOCKED"), {}, "lockstep run"],
    [
      "was denied again",
      reported("T-001", "BLOCKED", { waits: person("denied") }),
      { columns: 120 },
      'lockstep task escalate T-001 --reason "…" && lockstep task resolve T-001 --note "…" && lockstep run',
    ],
    [
      "was taken by a person",
      reported("T-001", "IN_PROGRESS", { alive: { lease: "held" }, waits: person("taken") }),
      {},
      "lockstep submit T-001 && lockstep run",
    ],
    [
      "was rolled back",
      reported("T-001", "MERGED", { reverted_by: "abc" }),
      {},
      "lockstep task retry T-001 && lockstep run",
    ],
    ["is rejected", reported("T-001", "REJECTED"), {}, "lockstep run"],
    [
      "changed paths outside its scope again",
      reported("T-001", "ESCALATED", {
        ...{ code: "R-PO-002", details: { outside: ["src/a.js", "b c.js", "d.js", "e.js"] } },
        waits: person("escalated"),
      }),
      { columns: 160 },
      `lockstep widen T-001 src/a.js 'b c.js' d.js --why "…" && lockstep task resolve T-001 --note "…" && lockstep run`,
    ],
  ])("names the next command for a task that %s", (_title, task, more, next) => {
    expect(report([task], more)).toContain(`         next: ${next}\n`);
  });

  it("shows the last message of a task that no rule refused", () => {
    const last = new Map([[key, "waiting, R-GT-001: `main` cannot move now"]]);
    expect(report([reported("T-001", "REVIEW")], { last })).toContain(
      "T-001  in review: waiting, R-GT-001: `main` cannot move now\n",
    );
  });

  it("breaks commands only between commands", () => {
    const denied = reported("T-001", "BLOCKED", { waits: person("denied") });
    expect(report([denied])).toContain(`\
         next: lockstep task escalate T-001 --reason "…" &&
               lockstep task resolve T-001 --note "…" && lockstep run
`);
  });

  it("lists all tasks that have not begun in one line", () => {
    const waiting = Array.from({ length: 23 }, (_, at) => reported(`T-${at}`, "PENDING", { attempts: 0 }));
    expect(report(waiting)).toContain("not merged\n  23 pending: `lockstep run`\n\n");
  });

  it("names the holder of the lock that a task needs, and what the holder waits for, once for several tasks", () => {
    const waiting = (id: string) => reported(id, "PENDING", { attempts: 0, waits: [lock("T-001", "src")] });
    const text = report([reported("T-001", "REVIEW"), waiting("T-002"), waiting("T-003")]);
    expect(text).toContain("  T-002  pending: waits for T-001 (holds src, waits for you)\n  T-003  pending");
    const many = Array.from({ length: 40 }, (_, at) => waiting(`P-${at}`));
    expect(report(many)).toContain(
      "not merged\n  40 pending: each waits for T-001 (holds src, waits for you)\n\n",
    );
  });

  it("breaks the line of a task with a long name", () => {
    const id = `T-${"very-long-name-".repeat(6)}end`;
    const reason = "a reason of some words that has to be read by people who look at a terminal";
    const text = report([reported(id, "FAILED", { reason }), reported("T-2", "FAILED", { reason })]);
    expect(text).toMatch(/^ {2}T-very-lon…-name-end {2}failed: a reason of some words/m);
    expect(text).toContain(`lockstep log ${id};`);
  });

  it("suggests no command for a cancelled task", () => {
    const details = { cancelled: true };
    const cancelled = reported("T-001", "FAILED", { reason: "cancelled: not needed", details });
    expect(report([cancelled])).toContain(`\
  T-001  cancelled: not needed
         look: lockstep log T-001; lockstep diff T-001

`);
  });

  it("of a run that only watched names the run that continues", () => {
    const text = report([reported("T-001", "IN_PROGRESS")], { outcome: "running", left: 42 });
    expect(text).toMatch(
      /you left the run: process 42 continues with the tasks; `lockstep run` follows it again\n$/,
    );
  });

  it("of a stopped run names the command that continues it", () => {
    const text = report([reported("T-001", "IN_PROGRESS")], {
      outcome: "stopped",
      goOn: "lockstep run plan.yaml",
    });
    expect(text).toMatch(/stopped; all work is kept\. To continue: `lockstep run plan\.yaml`\n$/);
    expect(text).not.toContain("next:");
  });

  it("gives the reason for a missing sandbox", () => {
    expect(report([reported("T-001", "MERGED")], { missing: "bwrap is not installed" })).toContain(
      "the agents ran without a sandbox: bwrap is not installed\n",
    );
  });
});

const steps = (...lines: string[]) => `steps:\n${lines.map((line) => `  - ${line}\n`).join("")}`;
const answer =
  "answer: { status: OK, summary: said so, artifacts: { files_changed: [], commands_to_run: [], notes: [] }, gates: { meets_definition_of_done: true, needs_review: false, needs_tests: false, security_concerns: [] }, next: { recommended_agent: Orchestrator, recommended_task_id: same, reason: x } }";

function planned(tasks: readonly string[]) {
  return landRepository({
    "agents/a.yaml": steps('write: { path: A.txt, text: "made\\n" }', answer),
    "agents/b.yaml": steps("exit: 3"),
    "agents/c.yaml": steps('say: "at work"', "sleep: 60"),
    ".gitignore": "state\n.agents-work\n",
    ".lockstep/config.yaml": `${checksByName}agents:\n  a: { adapter: script, run: [agents/a.yaml] }\n  b: { adapter: script, run: [agents/b.yaml] }\n  c: { adapter: script, run: [agents/c.yaml] }\n`,
    "tasks.yaml": `project: { name: shop }\ntasks:\n${tasks.map((task) => `  - ${task}\n`).join("")}`,
  });
}
const task = (id: string, agent: string) =>
  `{ id: ${id}, goal: do ${id}, agent: ${agent}, lock_scope: [${id}.txt], acceptance_checks: ["cmd: test -e ${id}.txt"] }`;

describe("a run", () => {
  it("ends with its report, and the next time reports that nothing is left to do", async () => {
    using repository = planned([task("A", "a")]);
    const first = await repository.run(["run"]);
    expect(first).toMatchObject({ status: 0 });
    expect(first.stdout).toContain("1 of 1 task merged into main\n\nmerged\n  A  do A\n");
    expect(first.stdout).toContain("     proof: node test/f.test.js; test -e A.txt (failed before)\n");
    expect(first.stdout).not.toContain("git push");
    repository.git("remote", "add", "origin", "https://127.0.0.1/none.git");
    const again = await repository.run(["run"]);
    expect(again).toMatchObject({ status: 0 });
    expect(again.stdout).toMatch(
      /^\S+_shop is done: its task was already merged, and the plan has not changed; --again starts a new session\nto share it: git push origin main\n$/,
    );
  });

  it("continues if the suggested commands are executed", async () => {
    using repository = planned([task("A", "b")]);
    const { status, stdout } = await repository.run(["run"]);
    expect(status).not.toBe(0);
    const [, next = ""] = /next: (.*)/.exec(stdout) ?? [];
    expect(next).toMatch(/lockstep run$/);
    repository.write("agents/b.yaml", steps('write: { path: A.txt, text: "made\\n" }', answer));
    repository.git("commit", "-qam", "fix the agent");
    for (const line of next.split(" && ")) {
      const words = line.match(/"[^"]*"|\S+/g)?.map((word) => word.replaceAll('"', "")) ?? [];
      const done = await repository.run(words.slice(1));
      expect(done, `${line}\n${done.stderr}`).toMatchObject({ status: 0 });
    }
    expect(repository.git("show", "main:A.txt")).toBe("made");
  });

  it("of one task without a plan suggests how to continue it", async () => {
    using repository = planned([]);
    using running = repository.start(["do", "make it", "--agent", "c"]);
    const { ended } = running;
    await eventually("its agent", () => running.errors().includes("at work") || undefined);
    running.process.kill("SIGINT");
    await eventually("an answer", () => running.errors().includes("No new task starts") || undefined);
    running.process.kill("SIGINT");
    const { status, stdout } = await ended;
    expect(status).toBe(3);
    const [, goOn = ""] =
      /To continue: `(lockstep run \.agents-work\/\S+_make-it\/tasks\.yaml)`/.exec(stdout) ?? [];
    repository.write("agents/c.yaml", steps('write: { path: A.txt, text: "made\\n" }', answer));
    repository.git("commit", "-qam", "fix the agent");
    const again = await repository.run([...goOn.split(" ").slice(1), "--agent", "c"]);
    expect(again, again.stderr).toMatchObject({ status: 0 });
  });
});
