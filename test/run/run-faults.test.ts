import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import type { LandRepository } from "../support/land-repository.ts";
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
import { eventually, type Running } from "../support/run-command.ts";

async function until(running: Running, word: string): Promise<void> {
  await eventually(`it says ${word}`, () => (running.errors().includes(word) ? true : undefined));
}

function merges({ git }: LandRepository): string {
  return git("rev-list", "--merges", "--count", "main");
}

/** The proof takes a while, so that other commands can run meanwhile. */
const slowlyProven = () =>
  planned({
    agents: { a: [[writes("A"), answer("OK")]] },
    tasks: [task("A", "a").replace("test -e A.txt", "test ! -e A.txt || sleep 3")],
  });

describe("a task that a person ends during its proof", () => {
  it.each([["task", "cancel"], ["task", "escalate"], ["stop-all"]])(
    "by %s %s is not merged",
    async (...words) => {
      using repository = slowlyProven();
      using running = repository.start(["run", "--json"]);
      await until(running, "running on the merged tree: test ! -e");
      const key = `${(await repository.run(["task", "list", "--json"])).stdout.match(/"id": ?"([^"]+)"/)?.[1]}`;
      const named = words[0] === "task" ? [...words, key, "--reason", "no more"] : words;
      const { status, stderr } = await repository.run(named);
      expect(status, stderr).toBe(0);
      const ended = await running.ended;
      expect(ended.status, ended.stderr).not.toBe(0);
      expect(merges(repository)).toBe("0");
      expect(repository.git("status", "--porcelain")).toBe("");
    },
  );
});

describe("a run", () => {
  it("whose session's folder is removed continues the session, and nothing is done twice", async () => {
    using repository = planned({
      agents: {
        a: [[writes("A"), answer("OK")]],
        b: [["say: begun", awaits, writes("B"), answer("OK")]],
      },
      tasks: [task("A", "a"), task("B", "b", ", depends_on: [A]")],
    });
    using running = repository.start(["run", "--json"]);
    await until(running, "begun");
    rmSync(join(repository.path, ".agents-work"), { recursive: true });
    repository.write("state/go", "");
    const { status, stdout, stderr } = await running.ended;
    expect({ status, ...readRun(stdout).states }, stderr).toEqual({ status: 0, A: "MERGED", B: "MERGED" });
    rmSync(join(repository.path, ".agents-work"), { recursive: true });
    expect((await runPlan(repository)).status).toBe(0);
    expect(merges(repository)).toBe("2");
  });

  it("whose base branch was deleted reports it and waits", async () => {
    using repository = planned({
      agents: { a: [["say: begun", awaits, writes("A"), answer("OK")]] },
      tasks: [task("A", "a")],
    });
    using running = repository.start(["run"]);
    await until(running, "begun");
    repository.git("checkout", "-q", "--detach");
    repository.git("branch", "-m", "main", "other");
    repository.write("state/go", "");
    const { status, stderr } = await running.ended;
    expect({ status, stderr }).toEqual({
      status: 3,
      stderr: expect.stringContaining("the branch `main` no longer exists"),
    });
  });

  it("whose merge git cannot finish leaves the checkout unchanged", async () => {
    using repository = planned({ agents: { a: [[writes("A"), answer("OK")]] }, tasks: [task("A", "a")] });
    const lock = join(repository.path, ".git/refs/heads/main.lock");
    using running = repository.start(["run"]);
    await until(running, "started by");
    writeFileSync(lock, "");
    expect((await running.ended).status).toBe(3);
    expect(repository.git("status", "--porcelain")).toBe("");
    rmSync(lock);
    expect((await runPlan(repository)).states).toEqual({ A: "MERGED" });
  });

  it("does only the tasks that were added to a finished plan", async () => {
    using repository = planned({
      agents: { a: [[writes("A"), answer("OK")]], b: [[writes("B"), answer("OK")]] },
      tasks: [task("A", "a")],
    });
    await runPlan(repository);
    repository.write("tasks.yaml", planText([task("A", "a"), task("B", "b")]));
    expect((await runPlan(repository)).states).toEqual({ A: "MERGED", B: "MERGED" });
    expect(merges(repository)).toBe("2");
  });

  /** Two tasks at once, merged as one batch, which is then rolled back. `state/word` determines the content of A. */
  async function rolledBack(): Promise<LandRepository> {
    const copies = `run: { command: 'cp "$LOCKSTEP_ROOT/state/word" A.txt' }`;
    const repository = planned({
      agents: { a: [[copies, answer("OK")]], b: [[writes("B"), answer("OK")]] },
      tasks: [task("A", "a"), task("B", "b")],
      config:
        'limits: { batching: batch, review_retries: 0 }\nchecks: { default: ["test ! -e A.txt || grep good A.txt"] }\n',
    });
    repository.write("state/word", "good\n");
    const first = await runPlan(repository);
    expect(first.states, first.stderr).toEqual({ A: "MERGED", B: "MERGED" });
    const [{ batch } = { batch: "" }] = first.done.tasks as unknown as { batch: string }[];
    expect((await repository.run(["rollback", "batch", batch])).status).toBe(0);
    return repository;
  }

  it("redoes a batch that was rolled back one task after the other, each proven before the next begins", async () => {
    using repository = await rolledBack();
    const again = await runPlan(repository);
    expect({ status: again.status, states: again.states }, again.stderr).toMatchObject({
      status: 0,
      states: { "A-r1": "MERGED", "B-r1": "MERGED" },
    });
    const { stdout } = await repository.run(["audit", "list", "--json", "--limit", "1000"]);
    const steps = (JSON.parse(stdout) as { type: string; task: string | null }[])
      .filter(({ type }) => ["task.started", "task.submitted", "task.merged"].includes(type))
      .map(({ type, task: key }) => `${type} ${key?.split("/").at(-1)}`);
    expect(steps.filter((step) => step.endsWith("-r1"))).toEqual(
      ["A-r1", "B-r1"].flatMap((id) => [`task.started ${id}`, `task.submitted ${id}`, `task.merged ${id}`]),
    );
    expect(repository.git("show", "main:A.txt")).toBe("good");
  });

  it("does not begin the second task of a rolled back batch if the checks of the first one fail", async () => {
    using repository = await rolledBack();
    repository.write("state/word", "bad\n");
    const { status, done } = await runPlan(repository);
    expect(status).toBe(1);
    expect(done.tasks.filter(({ id }) => id.endsWith("-r1"))).toMatchObject([
      { id: "A-r1", state: "FAILED", code: "R-PC-002", attempts: 1 },
      { id: "B-r1", state: "BLOCKED", code: "R-DP-001", attempts: 0 },
    ]);
  });
});

describe("an agent", () => {
  it("that leaves a pipe in place of a file that git reads is refused without a wait", async () => {
    using repository = planned({
      agents: { a: [[writes("A"), "run: { command: mkfifo .gitattributes }", answer("OK")]] },
      tasks: [task("A", "a")],
    });
    const { status, stderr } = await runPlan(repository);
    expect({ status, stderr }).toEqual({
      status: 3,
      stderr: expect.stringContaining("is not a regular file"),
    });
  });

  it("that is stopped has its work saved on a ref before its checkout is used again", async () => {
    using repository = planned({
      agents: {
        a: [
          ["write: { path: A.txt, text: first }", "say: begun", "sleep: 30"],
          ["delete: A.txt", 'write: { path: A.txt, text: "second\\n" }', answer("OK")],
        ],
      },
      tasks: [task("A", "a")],
    });
    using running = repository.start(["run", "--json"]);
    await until(running, "begun");
    expect((await repository.run(["stop", "A"])).status).toBe(0);
    const { session } = readRun((await running.ended).stdout).done;
    expect((await repository.run(["task", "retry", `${session}/A`])).status).toBe(0);
    expect((await runPlan(repository)).states).toEqual({ A: "MERGED" });
    expect(repository.git("show", `refs/lockstep/${session}/A/1:A.txt`)).toBe("first");
  });

  it("that prints its secrets is shown without them", async () => {
    using repository = planned({
      agents: {
        a: [
          [
            'run: { command: "echo token $LOCKSTEP_TOKEN; cut -d= -f2 .env; echo -----BEGIN PRIVATE KEY-----; echo MIIEvQIBADANBgkq; echo -----END PRIVATE KEY-----" }',
            writes("A"),
            answer("OK"),
          ],
        ],
      },
      tasks: [task("A", "a")],
    });
    writeFileSync(join(repository.path, ".git/info/exclude"), ".env\n");
    repository.write(".env", "API_TOKEN=correct-horse-battery\n");
    const { status, stderr } = await runPlan(repository);
    expect(status, stderr).toBe(0);
    const log = (await repository.run(["log", "A"])).stdout;
    for (const secret of ["correct-horse-battery", "MIIEvQIBADANBgkq"]) {
      expect(stderr).not.toContain(secret);
      expect(log).not.toContain(secret);
    }
    expect(stderr).toContain("token [secret: known]");
  });
});

describe("lock files of a killed git", () => {
  it("do not block a run, on any ref", async () => {
    using repository = planned({ agents: { a: [[writes("A"), answer("OK")]] }, tasks: [task("A", "a")] });
    for (const lock of [
      "index.lock",
      "ORIG_HEAD.lock",
      "packed-refs.lock",
      "refs/heads/main.lock",
      "refs/notes/lockstep.lock",
    ]) {
      mkdirSync(dirname(join(repository.path, ".git", lock)), { recursive: true });
      writeFileSync(join(repository.path, ".git", lock), "");
    }
    const { status, states, stderr } = await runPlan(repository);
    expect({ status, states }, stderr).toEqual({ status: 0, states: { A: "MERGED" } });
    expect(repository.git("status", "--porcelain")).toBe("");
  });
});

describe("an agent that claims more than its work proves", () => {
  it("is merged for what is proven, and the unproven claims are in the report and in the document", async () => {
    const claims = answer("OK").replace("files_changed: []", "files_changed: [./A.txt, ghost.ts]");
    using repository = planned({ agents: { a: [[writes("A"), claims]] }, tasks: [task("A", "a")] });
    const { status, stdout } = await repository.run(["run"]);
    expect(status, stdout).toBe(0);
    expect(stdout).toContain(
      "unproven claim: the agent says that it changed ghost.ts, but its work does not contain that\n",
    );
    const [reported] = (await runPlan(repository)).done.tasks as unknown as { unproven_claims: unknown }[];
    expect(reported?.unproven_claims).toEqual(["ghost.ts"]);
  });

  it("is reported for tests that it did not write and for actions without evidence", async () => {
    const claims = answer("OK")
      .replace("said so", "'Made A.txt and deployed it to production.'")
      .replace("notes: []", "notes: [published to npm], tests_added_or_updated: [test/a.test.ts]");
    using repository = planned({ agents: { a: [[writes("A"), claims]] }, tasks: [task("A", "a")] });
    const { status, stdout } = await repository.run(["run"]);
    expect(status, stdout).toBe(0);
    const lines = [
      "the agent says that it changed test/a.test.ts, but its work does not contain that",
      'the agent says "Made A.txt and deployed it to production.", but nothing confirms it',
      'the agent says "published to npm", but nothing confirms it',
    ];
    for (const line of lines) expect(stdout).toContain(`unproven claim: ${line}\n`);
    const { stdout: shown } = await repository.run(["task", "show", "A"]);
    for (const line of lines) expect(shown).toContain(line);
    const [reported] = (await runPlan(repository)).done.tasks as unknown as { unproven_deeds: unknown }[];
    expect(reported?.unproven_deeds).toHaveLength(2);
  });
});

describe("an agent that disables a test", () => {
  it("waits for a person, whose approval is in the report, the document and the merge", async () => {
    using repository = planned({
      agents: {
        a: [
          [writes("A"), "delete: test/f.test.js", "run: { command: 'echo > test/f.test.js' }", answer("OK")],
        ],
      },
      tasks: [task("A", "a").replace("[A.txt]", "[A.txt, test]")],
    });
    const waiting = await repository.run(["run"]);
    expect(waiting.status, waiting.stdout).toBe(3);
    expect((await repository.run(["decide", "UD-1", "accept"])).stderr).toContain("say why");
    expect((await repository.run(["decide", "UD-1", "accept: f is gone"])).status).toBe(0);
    const { status, stdout } = await repository.run(["run"]);
    expect(status, stdout).toBe(0);
    expect(stdout).toContain("tests weakened");
    const [reported] = (await runPlan(repository)).done.tasks as unknown as { weakened: unknown }[];
    expect(reported?.weakened).toMatchObject([
      { path: "test/f.test.js", what: "most of the test file is gone" },
    ]);
    expect(repository.git("log", "-1", "--format=%B")).toContain(
      "Lockstep-Weakened: accepted in UD-1: f is gone",
    );
  });
});
