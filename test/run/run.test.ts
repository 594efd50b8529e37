import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { isHeld } from "../support/held-file.ts";
import type { LandRepository } from "../support/land-repository.ts";
import {
  answer,
  awaits,
  planned,
  type RunDocument,
  runPlan as run,
  task,
  writes,
} from "../support/planned-repository.ts";
import { eventually } from "../support/run-command.ts";
import { missing } from "../support/sandboxed.ts";

describe("a plan", () => {
  it("of valid tasks is merged in the order of its dependencies, each with its proof, and its copy has the new statuses", async () => {
    using repository = planned({
      agents: {
        a: [[writes("A"), answer("OK")]],
        b: [["run: { command: test -e A.txt }", writes("B"), answer("OK")]],
      },
      tasks: [task("B", "b", ", depends_on: [A]"), task("A", "a")],
    });
    const { status, states } = await run(repository);
    expect({ status, states }).toEqual({ status: 0, states: { A: "MERGED", B: "MERGED" } });
    expect(repository.git("log", "--first-parent", "--format=%s", "main").split("\n").slice(0, 2)).toEqual([
      "B: do B",
      "A: do A",
    ]);
    expect(repository.git("status", "--porcelain")).toBe("");
    const [session = ""] = repository.git("ls-files", "--others", "--", ".agents-work").split("/").slice(1);
    const copy = readFileSync(join(repository.path, ".agents-work", session, "tasks.yaml"), "utf8");
    expect(copy.match(/status: completed/g)).toHaveLength(2);
    const memory = readFileSync(join(repository.path, ".agents-work", session, "activeContext.md"), "utf8");
    expect(memory).toMatch(
      /batchId: "BATCH-\d{8}T\d{9}Z"\n {2}agents:\n {4}- agent: "a"\n {6}ownedFiles: \["A.txt"\]/,
    );
    const again = await run(repository);
    expect({ status: again.status, outcome: again.done.outcome }).toEqual({ status: 0, outcome: "merged" });
    expect(again.stderr).not.toContain("started by");
  });

  it("whose tasks have the longest ids that the schema allows is merged, even after a rejection", async () => {
    const ids = [60, 61, 100].map((length) => `T-${length}_`.padEnd(length, "x"));
    const [, , last = ""] = ids;
    const tries = ids.map((id) => [writes(id), answer("OK")]);
    using repository = planned({
      agents: Object.fromEntries(
        tries.map((steps, at) => [`a${at}`, at === 2 ? [[answer("OK")], steps] : [steps]]),
      ),
      tasks: ids.map((id, at) => task(id, `a${at}`)),
    });
    const { status, states, done, stderr } = await run(repository);
    expect(states, stderr).toEqual(Object.fromEntries(ids.map((id) => [id, "MERGED"])));
    expect(status).toBe(0);
    expect(done.tasks.find(({ id }) => id.endsWith(last))?.attempts).toBe(2);
    for (const id of ids) expect(repository.git("show", `lockstep/${id}:${id}.txt`)).toBe("made");
  });

  it("runs independent tasks at the same time", async () => {
    const meets = (own: string, other: string) =>
      `run: { command: 'touch "$HOME/.meet/${own}"; i=0; while [ ! -e "$HOME/.meet/${other}" ]; do sleep 0.1; i=$((i+1)); [ $i -lt 200 ] || exit 1; done' }`;
    using repository = planned({
      agents: {
        a: [[meets("a", "b"), writes("A"), answer("OK")]],
        b: [[meets("b", "a"), writes("B"), answer("OK")]],
      },
      tasks: [task("A", "a"), task("B", "b")],
      config: "workspace: { home: [.meet] }\n",
    });
    repository.write("state/.meet/x", "");
    const env = { HOME: join(repository.path, "state") };
    const { status, stderr } = await repository.run(["run"], { env });
    expect(status, stderr).toBe(0);
  });

  it("with errors is refused as a whole, each error with its line, before anything starts", async () => {
    using repository = planned({
      agents: { a: [[answer("OK")]] },
      tasks: [task("A", "nobody"), task("A", "a")],
    });
    const { status, stderr } = await repository.run(["run"]);
    expect(status).toBe(2);
    expect(stderr).toContain("E-PLAN: tasks.yaml:3");
    expect(stderr).toContain("tasks.yaml:4");
    expect(existsSync(join(repository.path, ".agents-work"))).toBe(false);
  });
});

describe("an agent", () => {
  it("that leaves a repository or an unreadable file gets instructions, and its work is kept", async () => {
    const init = "git init -q fx && echo made > fx/A.txt && git -C fx add . && git -C fx commit -qm x";
    const steps = [init, "rm -rf fx/.git && mkfifo fx/.gitignore", "rm fx/.gitignore"];
    using repository = planned({
      agents: { a: steps.map((command) => [`run: { command: "${command}" }`, answer("OK")]) },
      tasks: [
        '{ id: A, goal: do A, agent: a, lock_scope: [fx], acceptance_checks: ["cmd: grep made fx/A.txt"] }',
      ],
    });
    const { status, states, done, stderr } = await run(repository);
    expect({ status, states }, stderr).toEqual({ status: 0, states: { A: "MERGED" } });
    expect(stderr).not.toContain("R-AG-001");
    expect(stderr).toContain("R-GT-001: `fx` is a git repository inside this one, which cannot be merged");
    expect(stderr).toContain("keep the files and delete `fx/.git`");
    expect(stderr).toContain(
      "R-GT-001: the work cannot be read: `fx/.gitignore` is not a regular file: remove",
    );
    expect(repository.git("show", `refs/lockstep/${done.session}/A/1:fx/A.txt`)).toBe("made");
    expect(done.tasks[0]?.attempts).toBe(3);
  });

  it("that changes files outside its scope is rejected by its real diff, and merged after it fixed that", async () => {
    using repository = planned({
      agents: {
        a: [
          [writes("A"), 'write: { path: f.js, text: "exports.f = 2;\\n" }', answer("OK")],
          ['run: { command: "git show HEAD:f.js > f.js" }', answer("OK")],
        ],
      },
      tasks: [task("A", "a")],
    });
    const { status, stderr, done } = await run(repository);
    expect({ status, tasks: done.tasks }).toMatchObject({
      status: 0,
      tasks: [{ state: "MERGED", attempts: 2 }],
    });
    expect(stderr).toContain("R-PO-002");
    expect(repository.git("show", "main:f.js")).toBe("exports.f = 1;");
  });

  it("that changes a path outside its scope again waits for a person, who can widen it", async () => {
    const steps = [writes("A"), 'write: { path: g.js, text: "exports.g = 2;\\n" }', answer("OK")];
    using repository = planned({ agents: { a: [steps] }, tasks: [task("A", "a")] });
    const text = (await repository.run(["run"])).stdout.replace(/\s+/g, " ");
    expect(text).toContain("R-PO-002 the work changes `g.js` outside its scope, which may be too small");
    expect(text).toContain(
      'lockstep widen A g.js --why "…" && lockstep task resolve A --note "…" && lockstep run',
    );
    const shown = await repository.run(["task", "show", "A"]);
    expect(shown.stdout).toContain("the scope may be too small: widen it");
    expect((await repository.run(["widen", "A", "g.js", "--why", "it belongs to A"])).status).toBe(0);
    expect((await repository.run(["task", "resolve", "A", "--note", "go on"])).status).toBe(0);
    expect((await repository.run(["run"])).status).toBe(0);
  });

  it.each<[string, readonly string[], string, string]>([
    ["reports success and has changed nothing", [answer("OK")], "R-PC-003", "ESCALATED"],
    ["fails its own check", ["link: { path: A.txt, to: nowhere }", answer("OK")], "R-PC-002", "ESCALATED"],
    ["gives an incomplete answer", [writes("A"), "answer: { status: OK }"], "R-AG-001", "ESCALATED"],
    ["ends badly", [writes("A"), "exit: 3"], "R-AG-001", "ESCALATED"],
  ])("that %s is never merged, and a person is notified", async (_name, steps, code, state) => {
    using repository = planned({ agents: { a: [steps] }, tasks: [task("A", "a")] });
    const before = repository.git("rev-parse", "main");
    const { status, done } = await run(repository);
    expect({ status, tasks: done.tasks }).toMatchObject({
      status: 3,
      tasks: [{ code, state }],
    });
    expect(repository.git("rev-parse", "main")).toBe(before);
  });

  it("that breaks the tests of the project is rejected with their output, and its work is kept", async () => {
    using repository = planned({
      agents: { a: [['write: { path: f.js, text: "exports.f = 9;\\n" }', answer("OK")]] },
      tasks: ['{ id: A, goal: break it, agent: a, lock_scope: [f.js], acceptance_checks: ["cmd: true"] }'],
    });
    const { status, done } = await run(repository);
    expect({ status, tasks: done.tasks }).toMatchObject({
      status: 3,
      tasks: [{ code: "R-PC-002", state: "ESCALATED", attempts: 3 }], // the same error three times (S1-111)
    });
    expect(repository.git("show", "lockstep/A:f.js")).toBe("exports.f = 9;");
  });
});

describe("an agent that hangs", () => {
  it("is stopped with all its processes, including those in other sessions, and its task is free again", async () => {
    using repository = planned({
      agents: {
        a: [
          [
            "spawn: { command: 'echo up > $HOME/.meet/alive; exec flock $HOME/.meet/alive sleep 60' }",
            "hang: true",
          ],
        ],
      },
      tasks: [task("A", "a", ", timeout_seconds: 2, heartbeat_interval_seconds: 1")],
      config: "workspace: { home: [.meet] }\n",
    });
    repository.write("state/.meet/alive", "");
    const env = { HOME: join(repository.path, "state") };
    const { status, stdout, stderr } = await repository.run(["run", "--json"], { env });
    expect({ status, tasks: JSON.parse(stdout).tasks, stderr }).toMatchObject({
      status: 3,
      tasks: [{ state: "ESCALATED", code: "R-WD-001", attempts: 2 }], // S0: retried once
    });
    const alive = join(repository.path, "state/.meet/alive");
    expect(readFileSync(alive, "utf8")).toBe("up\n");
    expect(isHeld(alive)).toBe(false);
  });
});

describe.skipIf(missing !== undefined)("`sandbox: strict`", () => {
  it("blocks writes of tracked files outside the lock; ignored output stays writable", async () => {
    using repository = planned({
      agents: {
        a: [
          [
            "run: { command: 'echo 9 > f.js && echo ESCAPED; mkdir -p state && echo x > state/out && echo built' }",
            writes("A"),
            answer("OK"),
          ],
        ],
      },
      tasks: [task("A", "a")],
      config: "sandbox: strict\n",
    });
    const { status, stderr, done } = await run(repository);
    expect({ status, tasks: done.tasks }).toMatchObject({
      status: 0,
      tasks: [{ state: "MERGED", attempts: 1 }],
    });
    expect(stderr).toContain("built");
    expect(stderr).not.toContain("ESCAPED");
  });
});

describe("an agent that works for longer than its timeout", () => {
  it("keeps its task as long as it sends signs of life", async () => {
    using repository = planned({
      agents: {
        a: [["loop: { times: 5, steps: [{ say: still here }, { sleep: 1 }] }", writes("A"), answer("OK")]],
      },
      tasks: [task("A", "a", ", timeout_seconds: 3, heartbeat_interval_seconds: 1")],
    });
    const { status, stderr } = await run(repository);
    expect(status, stderr).toBe(0);
  });
});

/** As `status` and `session list` show it. */
async function shown(repository: LandRepository) {
  const read = async (...words: string[]) => JSON.parse((await repository.run([...words, "--json"])).stdout);
  const { sessions } = await read("session", "list");
  return { status: (await read("status")).outcome, session: sessions[0].state };
}

describe("Ctrl-C", () => {
  const slow = (): LandRepository =>
    planned({
      agents: {
        slow: [["say: begun", awaits, writes("A"), answer("OK")]],
        b: [[writes("B"), answer("OK")]],
      },
      tasks: [task("A", "slow"), task("B", "b", ", depends_on: [A]")],
    });
  async function interrupted(repository: LandRepository, times: number) {
    using running = repository.start(["run", "--json"]);
    const says = (word: string) =>
      eventually(`it says ${word}`, () => running.errors().includes(word) || undefined);
    await says("begun");
    for (const message of ["No new task starts", "Stopping the agents"].slice(0, times)) {
      running.process.kill("SIGINT");
      await says(message);
    }
    repository.write("state/go", "");
    const { status, stdout } = await running.ended;
    const { outcome, tasks } = JSON.parse(stdout) as RunDocument;
    return { status, outcome, states: tasks.map(({ state }) => state) };
  }

  it("once lets the agents finish and starts no more", async () => {
    using repository = slow();
    expect(await interrupted(repository, 1)).toEqual({
      status: 3,
      outcome: "stopped",
      states: ["MERGED", "PENDING"],
    });
    expect(await shown(repository)).toEqual({ status: "stopped", session: "stopped" });
    expect((await run(repository)).states).toEqual({ A: "MERGED", B: "MERGED" });
  });

  it("during a landing reports it, and finishes it", async () => {
    using repository = planned({
      agents: { a: [[writes("A"), answer("OK")]], b: [[writes("B"), answer("OK")]] },
      tasks: [
        task("A", "a").replace("test -e A.txt", "test ! -e A.txt || sleep 3"),
        task("B", "b", ", depends_on: [A]"),
      ],
    });
    using running = repository.start(["run", "--json"]);
    await eventually(
      "the landing",
      () => /running on the merged tree: test ! -e A/.test(running.errors()) || undefined,
    );
    running.process.kill("SIGTERM");
    const { stdout, stderr } = await running.ended;
    expect(stderr).toContain("Finishing the landing of A, then the run ends. ");
    expect(stderr).not.toContain("Stopping the agents");
    expect(
      Object.fromEntries((JSON.parse(stdout) as RunDocument).tasks.map(({ id, state }) => [id, state])),
    ).toEqual({ A: "MERGED", B: "PENDING" });
  });

  it("twice stops them, keeps everything, and the next run continues", async () => {
    using repository = slow();
    expect(await interrupted(repository, 2)).toMatchObject({ status: 3, outcome: "stopped" });
    expect(await shown(repository)).toEqual({ status: "stopped", session: "stopped" });
    expect((await run(repository)).states).toEqual({ A: "MERGED", B: "MERGED" });
  });
});

describe("a run that is stopped", () => {
  it("is continued by the next one, and every task is merged once", async () => {
    using repository = planned({
      agents: { slow: [["sleep: 60", writes("A")], [writes("A")]], b: [[writes("B"), answer("OK")]] },
      tasks: [task("A", "slow"), task("B", "b")],
    });
    using running = repository.start(["run"], { through: ["setsid"] });
    await eventually("B submitted", () => (running.errors().includes("handed in") ? true : undefined));
    expect(await shown(repository)).toEqual({ status: "running", session: "running" });
    process.kill(-(running.process.pid as number), "SIGKILL");
    await running.ended;
    expect(await shown(repository)).toEqual({ status: "stopped", session: "stopped" });
    const { status, states, stderr } = await run(repository);
    expect({ status, states, stderr }).toMatchObject({ status: 0, states: { A: "MERGED", B: "MERGED" } });
    expect(repository.git("rev-list", "--merges", "--count", "main")).toBe("2");
    expect((await repository.run(["reconcile"])).status).toBe(0);
  });
});

describe("the work in review", () => {
  it("is the submitted commit, even if its branch has changed since", async () => {
    using repository = planned({ agents: { a: [[writes("A"), answer("OK")]] }, tasks: [task("A", "a")] });
    repository.write("A.txt", "a person's, in the way\n");
    expect((await run(repository)).status).toBe(3);
    repository.branch("evil", { "A.txt": "EVIL\n" });
    repository.git("branch", "-f", "lockstep/A", "evil");
    rmSync(join(repository.path, "A.txt"), { force: true });
    expect((await run(repository)).status).toBe(0);
    expect(repository.git("show", "main:A.txt")).toBe("made");
  });

  it("gets a branch for people, which replaces no existing branch", async () => {
    using repository = planned({
      agents: { a: [[writes("A"), answer("OK")]], b: [[writes("B"), answer("OK")]] },
      tasks: [task("A", "a"), task("B", "b")],
    });
    repository.branch("lockstep/A", { "precious.txt": "mine\n" });
    const precious = repository.git("rev-parse", "lockstep/A");
    repository.branch("lockstep/B", { "precious.txt": "mine\n" });
    repository.git("worktree", "add", "-q", join(repository.path, "state/other"), "lockstep/B");
    const before = repository.git("rev-parse", "lockstep/B");
    expect((await run(repository)).states).toEqual({ A: "MERGED", B: "MERGED" });
    expect(repository.git("for-each-ref", "--format=%(objectname)", "refs/lockstep/replaced/A")).toBe(
      precious,
    );
    expect(repository.git("rev-parse", "lockstep/B")).toBe(before);
  });

  it("does not fail the run if that branch cannot be created", async () => {
    using repository = planned({ agents: { a: [[writes("A"), answer("OK")]] }, tasks: [task("A", "a")] });
    repository.git("branch", "lockstep");
    const { status, stderr } = await run(repository);
    expect({ status, stderr }).toEqual({ status: 0, stderr: expect.stringContaining("cannot be set") });
  });
});

describe("a session whose folder was deleted", () => {
  it("is still known, and is not confused with the next one of that name", async () => {
    using repository = planned({ agents: { a: [[writes("A"), answer("OK")]] }, tasks: [task("A", "a")] });
    expect((await run(repository)).status).toBe(0);
    rmSync(join(repository.path, ".agents-work"), { recursive: true });
    repository.git("rm", "-q", "A.txt");
    repository.git("commit", "-qm", "taken out by hand");
    expect((await run(repository)).done.tasks[0]?.key).toMatch(/_shop\/A$/);
    rmSync(join(repository.path, ".agents-work"), { recursive: true });
    const { status, done } = await run(repository, "--again");
    expect({ status, key: done.tasks[0]?.key }).toEqual({
      status: 0,
      key: expect.stringMatching(/_shop-2\/A$/),
    });
    expect(repository.git("show", "main:A.txt")).toBe("made");
  });
});

describe("one task", () => {
  it("is done without a plan, with the project's own tests, and its log and diff can be shown", async () => {
    using repository = planned({
      agents: {
        a: [
          [
            "say: a password is AKIAABCDEFGHIJKLMNOP",
            'write: { path: f.js, text: "exports.f = 2;\\n" }',
            answer("OK").replace("reason: x", "reason: AKIAZZZZZZZZZZZZZZZZ"),
          ],
        ],
      },
      tasks: [task("A", "a")],
    });
    const { status, stdout, stderr } = await repository.run([
      "do",
      "Make f two",
      "--scope",
      "f.js",
      "--json",
    ]);
    expect(status, stderr).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      outcome: "merged",
      batches: 1,
      walls: { sandbox: missing === undefined, diff: true },
      tasks: [{ title: "Make f two", evidence: [{ command: "node test/f.test.js" }] }],
    });
    const log = await repository.run(["log", "T-001"]);
    expect({ status: log.status, log: log.stdout }).toEqual({
      status: 0,
      log: expect.stringContaining("handed in"),
    });
    expect(log.stdout).not.toContain("AKIAABCDEFGHIJKLMNOP");
    const folder = join(repository.path, ".agents-work");
    const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
    const texts = files.map((one) => readFileSync(join(one.parentPath, one.name), "utf8"));
    expect(texts.filter((text) => text.includes("said so"))).toHaveLength(1); // the worklog
    expect(texts.filter((text) => text.includes("AKIAZZZZZZZZZZZZZZZZ"))).toEqual([]);
    expect((await repository.run(["diff", "T-001"])).stdout).toContain("+exports.f = 2;");
  });
});
