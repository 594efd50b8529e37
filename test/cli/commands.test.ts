import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { packet, result } from "../support/memory-engine.ts";
import { type Repository, temporaryRepository, verdictIn } from "../support/run-command.ts";
import { missing } from "../support/sandboxed.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const text = JSON.stringify;
const packetText = (id: string, scope: readonly string[], more = {}) => text(packet(id, scope, more));

async function verdictOf(repository: Repository, words: readonly string[], input = "", env = {}) {
  const run = await repository.run(words, { input, env });
  const verdict = verdictIn(run);
  expect(run.status).toBe(verdict.allow ? 0 : 2);
  if (!verdict.allow) expect(run.stderr).toContain(verdict.code);
  return verdict;
}

describe("a task on the command line", () => {
  it("ends quietly if its output is closed", async () => {
    using repository = temporaryRepository();
    using running = repository.start(["schema"]);
    running.process.stdout?.destroy();
    expect(await running.ended).toMatchObject({ status: 0, stderr: "" });
    using other = repository.start(["status", "--json"]);
    other.process.stdout?.destroy();
    expect(await other.ended).toMatchObject({ status: 0, stderr: "" });
  });

  it("goes from dispatch to merged, and its whole history is in the audit log", async () => {
    using repository = temporaryRepository({ "worklogs/T-1.md": "" });
    const started = await verdictOf(repository, ["dispatch"], packetText("T-1", ["src"]));
    expect(started.details).toMatchObject({ attempt: 1, epoch: 1, state: "IN_PROGRESS" });
    expect((await verdictOf(repository, ["heartbeat", "T-1", "--epoch", "1"])).allow).toBe(true);
    repository.write("worklogs/T-1.md", "done\n");
    expect((await verdictOf(repository, ["submit", "T-1"], text(result("T-1")))).details).toMatchObject({
      state: "REVIEW",
    });
    expect((await verdictOf(repository, ["complete", "T-1"])).details).toMatchObject({ proof: "claimed" });
    const status = JSON.parse((await repository.run(["status", "--json"])).stdout);
    expect(status).toMatchObject({
      session: null,
      outcome: "merged",
      batches: 0,
      decisions: [],
      cost_usd: null,
      walls: { guard: false, sandbox: false, diff: false },
      tasks: [
        { id: "T-1", state: "MERGED", status: "completed", attempts: 1, code: null, usage: { tokens: 0 } },
      ],
    });
    const events = JSON.parse((await repository.run(["audit", "list", "--json"])).stdout) as {
      type: string;
    }[];
    expect(events.map(({ type }) => type)).toEqual([
      "task.created",
      "task.started",
      "task.submitted",
      "task.merged",
    ]);
    expect(await repository.run(["audit", "verify"])).toMatchObject({
      status: 0,
      stdout: "4 events, the hash chain is intact\n",
    });
    expect((await repository.run(["reconcile"])).stdout).toBe("1 task, 0 held locks and 4 events agree\n");
  });

  it.each([
    ["land", "work"],
    ["run", "tasks.yaml"],
    ["diff", "T-1"],
  ])("exits 1 if git fails: %s", async (...words) => {
    using repository = temporaryRepository({ "tasks.yaml": "tasks: []\n" });
    await repository.run(["task", "add", "T-1", "--scope", "src", "--check", "reads well"]);
    await verdictOf(repository, ["dispatch"], '{"task_id":"T-1"}');
    using beside = temporaryFolder();
    chmodSync(beside.write("git", "#!/bin/sh\nexit 128\n"), 0o755);
    const PATH = `${beside.path}:${process.env.PATH}`;
    const { status, stderr } = await repository.run(words, { env: { PATH } });
    expect({ status, stderr }).toEqual({ status: 1, stderr: expect.stringContaining("E-GIT: ") });
  });

  it("that was added by hand is dispatched by its id", async () => {
    using repository = temporaryRepository();
    await repository.run(["task", "add", "T-1", "--scope", "src", "--check", "reads well", "--agent", "ann"]);
    const started = await verdictOf(repository, ["dispatch"], '{"task_id":"T-1"}');
    expect(started.details).toMatchObject({ state: "IN_PROGRESS", epoch: 1 });
    expect((await repository.run(["task", "show", "T-1"])).stdout).toContain("agent     ann\n");
  });

  it("proves `cmd:` criteria on the tree of the commit, not in the working folder", async () => {
    using repository = temporaryRepository({ "worklogs/T-1.md": "", "check.sh": "echo is red; exit 1\n" });
    const { git } = repository;
    git("add", "check.sh");
    git("commit", "-qm", "red");
    const red = git("rev-parse", "HEAD");
    await verdictOf(
      repository,
      ["dispatch"],
      packetText("T-1", ["."], { assignment: { acceptance_criteria: ["cmd: sh check.sh"] } }),
    );
    repository.write("worklogs/T-1.md", "done\n");
    repository.write("check.sh", "exit 0\n");
    await verdictOf(repository, ["submit", "T-1"], text({ status: "OK", summary: "green here" }));
    expect(await verdictOf(repository, ["complete", "T-1", "--commit", red])).toMatchObject({
      code: "R-PC-002",
      details: {
        state: "REJECTED",
        output: "is red",
        log: expect.stringContaining("/logs/checks/"),
        fix_delta: { details: { command: "sh check.sh", output: "is red" } },
      },
    });
    expect((await repository.run(["log", "T-1", "--check", "1"])).stdout).toBe("is red\n");
    git("commit", "-qam", "green");
    await verdictOf(
      repository,
      ["dispatch"],
      packetText("T-1", ["."], { assignment: { acceptance_criteria: ["cmd: sh check.sh"] } }),
    );
    repository.write("worklogs/T-1.md", "done\nagain\n");
    await verdictOf(repository, ["submit", "T-1"], text({ status: "OK", summary: "green" }));
    const done = await verdictOf(repository, ["complete", "T-1", "--commit", git("rev-parse", "HEAD")]);
    expect(done.details).toMatchObject({
      state: "MERGED",
      proof: "proven",
      evidence: [{ command: "sh check.sh", exit: 0, tree: git("rev-parse", "HEAD^{tree}") }],
    });
  });

  it("a result with an invalid form blocks its task, and the answer names the next step", async () => {
    using repository = temporaryRepository();
    await verdictOf(repository, ["dispatch"], packetText("T-1", ["src/a/**"]));
    const wrong = await verdictOf(repository, ["submit", "T-1"], text({ hello: 1 }));
    expect(wrong).toMatchObject({ code: "R-PO-001", details: { state: "BLOCKED" } });
    expect(wrong.reason).toContain("`lockstep task retry T-1 FILE` with its changed assignment");
    const changed = packetText("T-1", ["src/a/**", "src/c/**"]);
    const again = await verdictOf(repository, ["task", "retry", "T-1", "-", "--json"], changed);
    expect(again.allow).toBe(true);
  });

  it("accepts a delegation output in YAML, and reports the position of a YAML error", async () => {
    using repository = temporaryRepository({ "worklogs/T-1.md": "" });
    await verdictOf(repository, ["dispatch"], packetText("T-1", ["src"]));
    repository.write("worklogs/T-1.md", "done\n");
    const wrong = await verdictOf(repository, ["submit", "T-1"], "taskId: T-1\nstatus: [complete\n");
    expect(wrong).toMatchObject({ code: "R-IN-001", reason: expect.stringMatching(/line \d/) });
    const yaml = `taskId: T-1
status: complete
deliverable: { filesCreated: [src/a.ts], filesModified: [], testsAdded: 1, testsPassing: true }
evidence: { testOutput: "1 passed" }
blockers: []
`;
    expect((await verdictOf(repository, ["submit", "T-1"], yaml)).details).toMatchObject({ state: "REVIEW" });
  });

  it("uses one ledger for every worktree of the repository", async () => {
    using repository = temporaryRepository({ "a.txt": "a" });
    const { git } = repository;
    git("add", "a.txt");
    git("commit", "-qm", "a");
    git("worktree", "add", "-q", "side");
    await verdictOf(repository, ["dispatch"], packetText("T-1", ["src"]));
    const side = execFileSync(
      "sh",
      ["-c", `cd side && node "$0" lock list --json`, join(import.meta.dirname, "../../bin/lockstep.cjs")],
      {
        cwd: repository.path,
        encoding: "utf8",
        env: { ...process.env, PATH: `${join(process.execPath, "..")}:${process.env.PATH}` },
      },
    );
    expect(JSON.parse(side).locks).toHaveLength(2);
    expect(existsSync(join(repository.path, ".git/lockstep/state.db"))).toBe(true);
  });
});

describe("the output for people", () => {
  it("is an aligned table, with the tasks that wait for a person first", async () => {
    using repository = temporaryRepository();
    expect((await repository.run(["status"])).stdout).toContain("no tasks yet");
    expect(existsSync(join(repository.path, ".git/lockstep"))).toBe(false);
    await repository.run(["task", "add", "T-1", "--title", "Round prices", "--scope", "src/price"]);
    await repository.run(["task", "add", "T-2", "--depends-on", "T-1"]);
    await repository.run(["task", "escalate", "T-1", "--reason", "which rounding?"]);
    const { stdout } = await repository.run(["status"]);
    expect(stdout).toBe(`waiting for you
  T-1  which rounding?
      lockstep task resolve T-1 --note "…"

TASK  STATE      AGENT  TRY  TIME  SCOPE      WHY
T-1   ESCALATED  agent  0    -     src/price  which rounding?
T-2   BLOCKED    agent  0    -     -          R-DP-001 waits for T-1 (waits for you)

1 ESCALATED, 1 BLOCKED
0 tasks with locks
`);
    expect(await repository.run(["task", "resolve", "T-1", "--note", "half even"])).toMatchObject({
      status: 0,
      stdout: "task T-1 is PENDING\n",
    });
    expect((await repository.run(["task", "show", "T-1"])).stdout).toContain("answer    half even\n");
  });

  it("never prints an agent's control characters to the terminal", async () => {
    using repository = temporaryRepository({ "worklogs/T-1.md": "" });
    await verdictOf(repository, ["dispatch"], packetText("T-1", ["src"]));
    const escalation = { taskId: "T-1", reason: "x\u001b[2Jy\u0007", attemptedPaths: [], blockers: ["b"] };
    await verdictOf(repository, ["submit", "T-1"], text({ escalation }));
    for (const words of [["status"], ["task", "show", "T-1"], ["audit", "list"]])
      expect((await repository.run(words)).stdout).not.toMatch(/[^\P{Cc}\n]/u);
  });

  it.each<[readonly string[], string]>([
    [["task", "show", "T-9"], "R-IN-001: there is no task `T-9`: see `lockstep task list`"],
    [["task", "show", "9"], "R-IN-001: `9` is not a task id"],
    [["heartbeat", "T-9"], "R-IN-001: there is no task `T-9`"],
    [["task", "cancel", "T-9"], "R-IN-001: required option '--reason <text>' not specified"],
    [["decide", "UD-7", "approved"], "R-IN-001: there is no decision `UD-7`"],
    [["watchdog", "--now", "noon"], "R-WD-002: `noon` is not an ISO 8601 time"],
    [["heartbeat", "T-1", "--tokens", "many"], "R-IN-001: `--tokens many` is not a whole number"],
    [["statsu"], "R-IN-001: unknown command 'statsu': did you mean `status`?"],
    [["completion"], "missing required argument 'bash|zsh|fish'; see `lockstep completion --help`"],
    [["zzzzzz"], "R-IN-001: unknown command 'zzzzzz'; see `lockstep --help`"],
    [["audit", "export", "."], "R-IN-001: `.` is a folder: name a file in it"],
    [["watchdog", "--every", "99999999999"], "R-IN-001: `--every` takes 1 to 86400 seconds"],
  ])("%j gets a clear error and exit 2", async (words, error) => {
    using repository = temporaryRepository();
    const { status, stderr } = await repository.run(words);
    expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringContaining(error) });
    expect(stderr.trimEnd().split("\n")).toHaveLength(1);
  });
});

describe("a command with wrong arguments", () => {
  it.each([
    [["statsu", "--json"], "unknown command 'statsu': did you mean `status`?"],
    [["land", "--json"], "missing required argument 'branch'; see `lockstep land --help`"],
    [
      ["task", "cancel", "T-5", "--json"],
      "required option '--reason <text>' not specified; see `lockstep task cancel --help`",
    ],
    [
      ["--debug", "land", "x", "--json", "--scope"],
      "option '--scope <path...>' argument missing; see `lockstep land --help`",
    ],
    [
      ["status", "extra", "--json"],
      "too many arguments for 'status'. Expected 0 arguments but got 1: extra; see `lockstep status --help`",
    ],
    [["task", "--json"], "unknown option '--json'; see `lockstep task --help`"],
    [["run", "--json", "--agents", "a"], "unknown option '--agents': did you mean `--agent`?"],
    [["run", "--json", "--parallel", "3"], "unknown option '--parallel': did you mean `--max-parallel`?"],
    [["version", "--json"], "unknown command 'version': did you mean `--version`?"],
  ])("reports that to programs too: %j", async (words, reason) => {
    using repository = temporaryRepository();
    const { status, stdout, stderr } = await repository.run(words);
    expect({ status, stderr }).toEqual({ status: 2, stderr: `lockstep: R-IN-001: ${reason}\n` });
    expect(JSON.parse(stdout)).toEqual({ allow: false, code: "R-IN-001", reason, details: {} });
  });

  it("prints no JSON if none was requested, or with the help", async () => {
    using repository = temporaryRepository();
    expect((await repository.run(["statsu"])).stdout).toBe("");
    expect((await repository.run(["run", "--json", "--help"])).stdout).toMatch(/^Usage: /);
  });
});

describe("an invalid configuration", () => {
  it("is reported with file, line and the nearest valid word, before anything is done", async () => {
    using repository = temporaryRepository({
      ".lockstep/config.yaml": "version: 1\nlimits:\n  max_paralel: 4\n  widen: aks\n",
    });
    const verdict = await verdictOf(repository, ["dispatch"], packetText("T-1", ["src"]));
    expect(verdict).toMatchObject({ code: "E-CONFIG" });
    const { status, stderr } = await repository.run(["run"]);
    expect(status).toBe(2);
    expect(stderr).toMatch(/config\.yaml:3:3: .*max_paralel.*max_parallel/);
    expect(stderr).toMatch(/config\.yaml:4:\d+: .*ask/);
    expect(existsSync(join(repository.path, ".git/lockstep"))).toBe(false);
  });

  it("that is valid is applied", async () => {
    using repository = temporaryRepository({
      ".lockstep/config.yaml": "limits: { tokens: { warn: 5, halt: 10 } }\n",
    });
    await verdictOf(repository, ["dispatch"], packetText("T-1", ["src"]));
    expect((await verdictOf(repository, ["heartbeat", "T-1", "--tokens", "10"])).code).toBe("R-BG-001");
  });
});

describe("hook commands in a project with a ledger", () => {
  it("read facts that are missing in the payload from the ledger, and no others", async () => {
    using repository = temporaryRepository();
    await verdictOf(repository, ["dispatch"], packetText("T-1", ["src"]));
    const asked = packet("T-2", ["src/a"]);
    expect((await verdictOf(repository, ["hook", "PreDispatch"], text(asked))).code).toBe("R-PD-003");
    const own = { ...asked, active_locks: [] };
    expect((await verdictOf(repository, ["hook", "PreDispatch"], text(own))).code).toBe("OK");
    expect((await verdictOf(repository, ["hook", "OnLockUpdate"], "{}")).code).toBe("OK");
    const later = new Date(Date.now() + 3_600_000).toISOString();
    expect((await verdictOf(repository, ["hook", "WatchdogTick"], "{}")).code).toBe("OK");
    expect((await verdictOf(repository, ["hook", "WatchdogTick"], text({ now: later }))).code).toBe(
      "R-WD-001",
    );
    const compacted = await verdictOf(repository, ["hook", "PreCompact"], "{}");
    const snapshot = JSON.parse(readFileSync(compacted.details?.path as string, "utf8"));
    expect(snapshot).toMatchObject({ ledger: [{ task_id: "T-1", state: "IN_PROGRESS" }], locks: [{}, {}] });
  });

  it("refuse every write while all work is stopped", async () => {
    using repository = temporaryRepository();
    const write = text({ ...packet("T-1", ["src"]), write: { resource: "src/a", action: "edit" } });
    const codes = [];
    for (const words of [["pause"], ["stop-all"], ["clear"]]) {
      expect((await repository.run(words)).status).toBe(0);
      codes.push((await verdictOf(repository, ["hook", "PreWrite"], write)).code);
      codes.push((await verdictOf(repository, ["hook", "PreDispatch"], packetText("T-1", ["src"]))).code);
    }
    expect(codes).toEqual(["OK", "R-CB-001", "R-CB-001", "R-CB-001", "OK", "OK"]);
  });
});

describe("an agent", () => {
  it("may not run a watchdog, not even a continuous one", async () => {
    using repository = temporaryRepository();
    await verdictOf(repository, ["dispatch"], packetText("T-1", ["src"]));
    const env = { LOCKSTEP_TASK: "T-1", LOCKSTEP_EPOCH: "1" };
    for (const words of [["watchdog"], ["watchdog", "--every", "1"]]) {
      const { status, stderr } = await repository.run(words, { env });
      expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringContaining("R-AU-001") });
    }
  });
});

describe("explain --task", () => {
  it("judges by the current locks", async () => {
    using repository = temporaryRepository();
    await verdictOf(repository, ["dispatch"], packetText("T-1", ["src"]));
    expect((await repository.run(["explain", "touch src/a", "--task", "T-1"])).status).toBe(0);
    expect(await repository.run(["explain", "touch lib/a", "--task", "T-1", "--json"])).toMatchObject({
      status: 2,
      stdout: expect.stringContaining("R-PW-001"),
    });
    expect((await repository.run(["explain", "ls", "--task", "T-2"])).status).toBe(2);
  });

  it.skipIf(missing)("reports which programs run inside the lock, and why", async () => {
    using repository = temporaryRepository({ ".gitignore": "coverage\n" });
    await verdictOf(repository, ["dispatch"], packetText("T-1", ["src"]));
    repository.write(".git/hooks/pre-commit", "#!/bin/sh\n");
    chmodSync(join(repository.path, ".git/hooks/pre-commit"), 0o755);
    const line = "npm test && rm -rf coverage && git commit -m x -- src && ssh host ls";
    const json = JSON.parse((await repository.run(["explain", line, "--task", "T-1", "--json"])).stdout);
    expect(json).toMatchObject({
      allow: true,
      inside: [
        { by: "npm", why: expect.stringMatching(/./) },
        { by: "git", why: "its hooks (pre-commit) are programs, and only they run inside" },
      ],
      outside: [{ by: "ssh", why: expect.stringContaining("no sandbox can confine") }],
    });
    const { stdout } = await repository.run(["explain", line, "--task", "T-1"]);
    expect(stdout).toMatch(/^inside +npm runs in the sandbox of the lock, because /m);
    expect(stdout).toMatch(/^outside +ssh runs outside the sandbox/m);
    repository.write(".lockstep/config.yaml", "guard:\n  opaque: verify\n");
    const verified = await repository.run(["explain", line, "--task", "T-1", "--json"]);
    expect(JSON.parse(verified.stdout)).toMatchObject({ allow: true, inside: [] });
    repository.write(".lockstep/config.yaml", "guard:\n  opaque: deny\n");
    const denied = await repository.run(["explain", line, "--task", "T-1", "--json"]);
    expect(JSON.parse(denied.stdout)).toMatchObject({ allow: false, inside: [], outside: [] });
    const unjudged = JSON.parse((await repository.run(["explain", line, "--json"])).stdout);
    expect(unjudged).not.toHaveProperty("inside");
  });

  it.skipIf(missing)(
    "does so for a scope too, and reports that a merge cannot write git's folder there",
    async () => {
      using repository = temporaryRepository();
      const explain = async (...words: string[]) => (await repository.run(["explain", ...words])).stdout;
      expect(await explain("make", "--scope", "src")).toMatch(
        /^inside +make runs in the sandbox of the lock, because recipes run$/m,
      );
      expect(JSON.parse(await explain("make", "--scope", "src", "--json"))).toMatchObject({
        allow: true,
        inside: [{ by: "make", why: "recipes run" }],
      });
      expect(await explain("git merge x", "--scope", "src")).toMatch(
        /^inside +git runs in the sandbox of the lock, because .*; git's own folder is read-only there, so a person has to run commands that write to it$/m,
      );
    },
  );

  it("prints every reason, five of them as text", async () => {
    using repository = temporaryRepository();
    await verdictOf(repository, ["dispatch"], packetText("T-1", ["src"]));
    const line = "touch a b c d e f g; git push";
    const { stdout } = await repository.run(["explain", line, "--task", "T-1"]);
    expect(stdout.match(/lies outside the lock scope/g)).toHaveLength(4);
    expect(stdout).toContain("and 3 more");
    const json = await repository.run(["explain", line, "--task", "T-1", "--json"]);
    expect(JSON.parse(json.stdout).reasons).toHaveLength(8);
  });
});
