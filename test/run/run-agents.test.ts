import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { missingScript } from "../../src/run/attempt/missing-script.ts";
import { uncommittedFiles } from "../../src/run/attempt/uncommitted-files.ts";
import { answer, planned, planText, readRun, runPlan, task, writes } from "../support/planned-repository.ts";
import { eventually } from "../support/run-command.ts";

describe("an agent that fails repeatedly", () => {
  it("is replaced by the agent that it escalates to, which starts from the base", async () => {
    using repository = planned({
      agents: {
        quick: [["write: { path: junk.txt, text: x }", answer("OK")]],
        strong: [["run: { command: 'test ! -e junk.txt && echo clean' }", writes("A"), answer("OK")]],
      },
      settings: { quick: "escalate_to: strong" },
      tasks: [task("A", "quick")],
    });
    const { status, stderr, done } = await runPlan(repository);
    expect({ status, tasks: done.tasks }, stderr).toMatchObject({
      status: 0,
      tasks: [{ state: "MERGED", attempts: 3, agent: "strong" }],
    });
    expect(stderr).toContain("clean");
    expect(repository.git("show", "--name-only", "--format=", "main^2")).toBe("A.txt");
  });

  it("is tried once more, after all other tasks, if it has no agent to escalate to", async () => {
    using repository = planned({
      agents: { a: [["exit: 3"], [writes("A"), answer("OK")]], b: [[writes("B"), answer("OK")]] },
      tasks: [task("A", "a"), task("B", "b")],
    });
    const { status, stderr, states } = await runPlan(repository);
    expect({ status, states }, stderr).toEqual({ status: 0, states: { A: "MERGED", B: "MERGED" } });
    const subjects = repository.git("log", "--first-parent", "--merges", "--format=%s", "main").split("\n");
    expect(subjects).toEqual(["A: do A", "B: do B"]);
  });

  it("gets the reason for its failure", async () => {
    using repository = planned({
      agents: { a: [["exit: 3"], ["say: again", writes("A"), answer("OK")]] },
      tasks: [task("A", "a")],
    });
    const { stderr } = await runPlan(repository);
    expect(stderr).toContain("to fix: the agent failed");
  });
});

describe("the environment of an agent", () => {
  it("has a slot, free ports and the session's files, separate from other agents", async () => {
    using repository = planned({
      agents: {
        a: [
          [
            "run: { command: 'echo slot=$LOCKSTEP_SLOT port=$LOCKSTEP_PORT_BASE compose=$COMPOSE_PROJECT_NAME task=$LOCKSTEP_TASK' }",
            "run: { command: 'ls .agents-work/*/tasks.yaml && echo plan-is-there' }",
            "run: { command: 'echo did it >> .agents-work/$(ls .agents-work)/worklogs.txt' }",
            writes("A"),
            answer("OK"),
          ],
        ],
      },
      tasks: [task("A", "a")],
    });
    const { status, stderr } = await runPlan(repository);
    expect(status, stderr).toBe(0);
    expect(stderr).toMatch(/slot=0 port=2\d{4} compose=lockstep-\S+-a task=\S+\/A/);
    expect(stderr).toContain("plan-is-there");
    expect(repository.git("show", "--name-only", "--format=", "main^2")).toBe("A.txt");
  });
});

it("an agent has its own role and name, whatever those of the process that started the run", async () => {
  const said = "run: { command: 'echo role=$CLAUDE_AGENT_ROLE name=$CLAUDE_AGENT_NAME' }";
  using repository = planned({
    agents: { a: [[said, writes("A"), answer("OK")]] },
    tasks: [task("A", "a")],
    config: "workspace: { env_pass: [PATH, HOME, CLAUDE_AGENT_ROLE] }\n",
  });
  const { status, stderr } = await repository.run(["run"], { env: { CLAUDE_AGENT_ROLE: "lead" } });
  expect(status, stderr).toBe(0);
  expect(stderr).toContain("role=coder name=a");
});

describe("a changed plan", () => {
  const stuck = () =>
    planned({
      agents: { a: [[answer("OK")]], b: [[writes("B"), answer("OK")]], c: [[writes("C"), answer("OK")]] },
      tasks: [task("A", "a"), task("B", "b", ", depends_on: [A]"), task("D", "b", ", depends_on: [B]")],
    });

  it("continues its session with new tasks, and with the new text of tasks that have not started", async () => {
    using repository = stuck();
    const first = await runPlan(repository);
    expect(first.states).toEqual({ A: "ESCALATED", B: "BLOCKED", D: "BLOCKED" });
    repository.write("tasks.yaml", planText([task("A", "a"), task("B", "b"), task("C", "c")]));
    const { status, states, stderr, done } = await runPlan(repository);
    expect({ status, states }, stderr).toEqual({
      status: 3,
      states: { A: "ESCALATED", B: "MERGED", C: "MERGED" },
    });
    expect(done.session).toBe(first.done.session);
    const copy = readFileSync(join(repository.path, ".agents-work", done.session, "tasks.yaml"), "utf8");
    expect(copy.match(/status: completed/g)).toHaveLength(2);
  });

  it("is refused if a started task was changed, with the way to apply it, and nothing is done", async () => {
    using repository = stuck();
    await runPlan(repository);
    repository.write("tasks.yaml", planText([task("A", "b"), task("C", "c")]));
    const { status, stderr } = await repository.run(["run"]);
    expect(status).toBe(2);
    expect(stderr).toContain("E-PLAN: `A` cannot be changed, because it has started");
    expect(stderr).toContain("--again");
    const again = await runPlan(repository, "--again");
    expect(again.states).toMatchObject({ C: "MERGED" });
  });
});

describe("an agent without a sign of life for longer than its timeout", () => {
  it("is stopped, and the timeout is reported", async () => {
    using repository = planned({
      agents: { a: [["sleep: 600"]] },
      tasks: [task("A", "a", ", timeout_seconds: 2, heartbeat_interval_seconds: 1")],
    });
    const { stderr, done } = await runPlan(repository);
    expect(done.tasks).toMatchObject([{ code: "R-WD-001" }]);
    expect(stderr).toMatch(/ A {2}R-WD-001: .* its timeout is 2 s\n/);
    expect(stderr).not.toContain("R-LS-001");
  });
});

describe("an agent that cannot be started here", () => {
  const gone = (more: string) =>
    planned({
      agents: { b: [[writes("A"), answer("OK")]] },
      config: `  gone: { adapter: command, run: [no-such-program]${more} }\n`,
      tasks: [task("A", "gone")],
    });

  it("is replaced by its fallback", async () => {
    using repository = gone(", fallback: b");
    const { status, done, stderr } = await runPlan(repository);
    expect({ status, tasks: done.tasks }, stderr).toMatchObject({ status: 0, tasks: [{ agent: "b" }] });
  });

  it("is reported before anything starts if it has no fallback, and leaves nothing behind", async () => {
    using repository = gone("");
    const { status, stderr } = await repository.run(["run"]);
    expect(status).toBe(2);
    expect(stderr).toContain("R-AG-001: agent `gone` cannot be used: `no-such-program` is not on PATH");
    expect(stderr).not.toContain("running on `main`: "); // the base's checks run later
    expect(readdirSync(join(repository.path, ".agents-work"))).toEqual([]);
  });

  it("is reported if its own files are not committed, and not if they are committed or included", async () => {
    const [answered, config] = [JSON.stringify({}), "workspace: { include: [vendor] }\n"];
    const program = (file: string) =>
      `  own: { adapter: command, run: [cat, ${file}], args: [-u] }\n${config}`;
    using repository = planned({ agents: {}, config: program("./own/a.txt"), tasks: [task("A", "own")] });
    repository.write("own/a.txt", answered);
    const { status, stderr } = await repository.run(["run"]);
    expect(status).toBe(2);
    expect(stderr).toContain(
      "R-AG-001: agent `own` cannot be used: `own/a.txt` is not committed, and agents see only what is committed: commit it",
    );
    expect(stderr).not.toContain("running on `main`: ");
    const dry = await repository.run(["run", "--dry-run", "--json"]);
    expect({ status: dry.status, done: JSON.parse(dry.stdout) }).toMatchObject({
      status: 2,
      done: { dry_run: true, tasks: [{ id: "A" }], refused: { code: "R-AG-001" } },
    });
    const found = JSON.parse((await repository.run(["doctor", "--json"])).stdout).findings;
    expect(found.find(({ what }: { what: string }) => what === "agent own")).toMatchObject({
      state: "broken",
      detail: "`own/a.txt` is not committed, and agents see only what is committed",
    });
    const ground = (file: string) => ({
      agent: { adapter: "command" as const, run: ["cat", file] as [string, string], args: ["-u"] },
      at: { root: repository.path, baseCommit: "HEAD", include: ["vendor/"] },
    });
    const lacking = ({ agent, at }: ReturnType<typeof ground>) => uncommittedFiles(agent, at);
    repository.write("vendor/b.txt", "");
    expect(await lacking(ground("own/a.txt"))).toEqual(["own/a.txt"]);
    expect(await lacking(ground("vendor/b.txt"))).toEqual([]);
    expect(await lacking(ground("tasks.yaml"))).toEqual([]);
    expect(await lacking(ground(join(repository.path, "own/a.txt")))).toEqual([]);
    expect(await lacking(ground("nowhere.txt"))).toEqual([]);
  });
});

describe("an agent whose script does not exist", () => {
  it("is reported by `run`, `run --dry-run` and `doctor`, and never started", async () => {
    const config = "  own: { adapter: command, run: [sh, ./agents/x.sh] }\n";
    using repository = planned({ agents: {}, config, tasks: [task("A", "own")] });
    const said = "R-AG-001: agent `own` cannot be used: `agents/x.sh` does not exist: create and commit it";
    for (const more of [[], ["--dry-run"]]) {
      const { status, stderr } = await repository.run(["run", ...more]);
      expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringContaining(said) });
    }
    const found = JSON.parse((await repository.run(["doctor", "--json"])).stdout).findings;
    expect(found.find(({ what }: { what: string }) => what === "agent own")).toMatchObject({
      ...{ state: "broken", detail: "`agents/x.sh` does not exist", fix: "create and commit it" },
    });
  });

  it("is known by its interpreter, and by a word that is surely a path", async () => {
    using repository = planned({ agents: {}, tasks: [] });
    repository.write(".gitignore", "dist\n");
    repository.write("agents/here.sh", "");
    const at = { root: repository.path, baseCommit: "HEAD", include: [] };
    const cases: readonly (readonly [run: string, missing: string | undefined])[] = [
      ["sh agents/x.sh", "agents/x.sh"],
      ["/bin/bash agents/x", "agents/x"],
      ["python3.12 -u x.py", "x.py"],
      ["node --no-warnings --import=tsx agents/x.ts", "agents/x.ts"],
      ["node agents/x", undefined],
      ["node -r ts-node/register agents/x.ts", undefined],
      ["python3 -m tools.x", undefined],
      ["sh -c agents/x.sh", undefined],
      ["sh agents/here.sh", undefined],
      ["sh tasks.yaml other.sh", undefined],
      ["sh /nowhere/x.sh", undefined],
      ["sh ../x.sh", undefined],
      ["node dist/x.js", undefined],
      ["mytool fix", undefined],
      ["mytool agents/x.sh", undefined],
    ];
    for (const [line, missing] of cases) {
      const [program = "", ...args] = line.split(" ");
      const agent = { adapter: "command" as const, run: [program] as [string], args };
      expect(await missingScript(agent, at), line).toBe(missing);
    }
  });
});

describe("a task that waits for a person", () => {
  it("does not delay other tasks, nor their batches", async () => {
    using repository = planned({
      agents: { a: [[writes("A"), answer("OK")]], b: [[writes("B"), answer("OK")]] },
      tasks: [task("A", "a").replace('"cmd:', '"manual: it looks right", "cmd:'), task("B", "b")],
      config: "limits: { max_parallel: 1 }\n",
    });
    const { status, states, stderr } = await runPlan(repository);
    expect({ status, states }, stderr).toEqual({ status: 3, states: { A: "REVIEW", B: "MERGED" } });
  });
});

describe("tasks that wait for a person since an earlier run", () => {
  it("take no slot in this run", async () => {
    const asked = (id: string) => task(id, id).replace('"cmd:', '"manual: it looks right", "cmd:');
    using repository = planned({
      agents: Object.fromEntries(["A", "B", "C"].map((id) => [id, [[writes(id), answer("OK")]]])),
      tasks: [asked("A"), asked("B")],
      config: "limits: { max_parallel: 2, max_review: 1, max_active: 2 }\n",
    });
    expect((await runPlan(repository)).states).toEqual({ A: "REVIEW", B: "REVIEW" });
    repository.write("tasks.yaml", planText([asked("A"), asked("B"), task("C", "C")]));
    const { states, stderr } = await runPlan(repository);
    expect(states, stderr).toEqual({ A: "REVIEW", B: "REVIEW", C: "MERGED" });
    const lines = stderr.split("\n");
    const at = (part: RegExp) => lines.findIndex((line) => part.test(line));
    expect(at(/ C +started by/)).toBeGreaterThan(0);
    // It started before the others were resolved.
    expect(at(/ C +started by/)).toBeLessThan(at(/ [AB] +.*waiting/));
  });
});

describe("`run` without a plan", () => {
  it("does `tasks.yaml`, and then continues the unfinished session", async () => {
    using repository = planned({
      agents: { a: [["exit: 3"]], b: [[writes("B"), answer("OK")]] },
      tasks: [task("B", "b")],
    });
    repository.write("other.yaml", planText([task("A", "a")], "other"));
    await runPlan(repository, "other.yaml");
    expect((await runPlan(repository)).states).toEqual({ B: "MERGED" });
    expect((await runPlan(repository)).states).toEqual({ A: "ESCALATED" });
    const [stuck] = (await runPlan(repository)).done.tasks;
    expect((await repository.run(["task", "cancel", stuck?.id ?? "", "--reason", "enough"])).status).toBe(0);
    expect((await runPlan(repository)).states).toEqual({ B: "MERGED" });
  });
});

describe("`lockstep stop` for all work", () => {
  it("ends the run's agents, and the run continues after `clear`", async () => {
    using repository = planned({
      agents: {
        a: [
          ["say: begun", "sleep: 30", answer("OK")],
          [writes("A"), answer("OK")],
        ],
      },
      tasks: [task("A", "a")],
    });
    using running = repository.start(["run", "--json"]);
    await eventually("the agent works", () => (running.errors().includes("begun") ? true : undefined));
    expect((await repository.run(["stop-all"])).status).toBe(0);
    const { status, stdout, stderr } = await running.ended;
    expect({ status, ...readRun(stdout).states }, stderr).toEqual({ status: 3, A: "PENDING" });
    expect(stderr).toContain("R-CB-001");
    expect((await repository.run(["clear"])).status).toBe(0);
    expect((await runPlan(repository)).states).toEqual({ A: "MERGED" });
  });
});

describe("an agent that writes a secret into its work", () => {
  it("gets the file and the kind of secret, and is merged without it", async () => {
    const key = ["AKIA", "2E0A8F3B244C9986"].join("");
    using repository = planned({
      agents: {
        a: [
          [`write: { path: A.txt, text: "key ${key}\\n" }`, answer("OK")],
          [writes("A"), answer("OK")],
        ],
      },
      tasks: [task("A", "a")],
    });
    const { status, stderr, done } = await runPlan(repository);
    expect({ status, tasks: done.tasks }, stderr).toMatchObject({
      status: 0,
      tasks: [{ state: "MERGED", attempts: 2 }],
    });
    expect(stderr).toContain("R-PO-004: `A.txt` contains a secret");
  });
});
