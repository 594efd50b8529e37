import { existsSync, mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type LandRepository, landRepository } from "../support/land-repository.ts";
import { startProgram } from "../support/run-command.ts";

const child = new URL("../support/integration-child.ts", import.meta.url).pathname;
const session = "2026-01-31_shop";

interface RollbackDocument {
  readonly outcome: string;
  readonly to: string;
  readonly refused: { readonly code: string; readonly reason: string } | null;
  readonly reverted: readonly { readonly task: string; readonly files: readonly string[] }[];
  readonly ended: readonly string[];
  readonly blocked: readonly string[];
  readonly again: readonly string[];
  readonly restored: readonly {
    readonly task: string;
    readonly paths: readonly string[];
    readonly way_back: string;
  }[];
  readonly way_back: readonly string[];
  readonly report: { readonly recommended: readonly string[] } | null;
}

async function rollBack(repository: LandRepository, ...words: string[]) {
  const { status, stdout, stderr } = await repository.run(["rollback", ...words, "--json"]);
  expect(stdout, stderr).not.toBe("");
  return { status, done: JSON.parse(stdout) as RollbackDocument };
}

const treeOf = (repository: LandRepository, commit = "main") =>
  repository.git("rev-parse", `${commit}^{tree}`);
const show = async (repository: LandRepository, task: string) =>
  JSON.parse((await repository.run(["task", "show", task, "--json"])).stdout);

const worklogOf = (id: string) => `worklogs/${id.split("/").at(-1)}.md`;

const packet = (id: string, more: object = {}) => ({
  task_id: id,
  agent: "coder",
  active_locks: [],
  assignment: {
    lock_scope: [`${id.split("/").at(-1)}.js`],
    forbidden_scope: [],
    acceptance_criteria: ["cmd: true"],
    worklog_path: worklogOf(id),
    timeout_seconds: 900,
    heartbeat_interval_seconds: 60,
  },
  ...more,
});

async function dispatch(repository: LandRepository, id: string, more: object = {}): Promise<string> {
  const { status, stdout, stderr } = await repository.run(["dispatch"], {
    input: JSON.stringify(packet(id, more)),
  });
  expect(status, stderr).toBe(0);
  return String(JSON.parse(stdout).details.epoch);
}

/** A task that was dispatched, submitted and landed. */
async function mergeTasks(repository: LandRepository, ...ids: string[]): Promise<void> {
  for (const id of ids) {
    const epoch = await dispatch(repository, id);
    repository.write(worklogOf(id), "worked\n");
    const result = {
      status: "done",
      changes: [],
      worklog_path: worklogOf(id),
      notes_for_orchestrator: [],
      acceptance_check: [{ criterion: "cmd: true", status: "pass", evidence: "ran" }],
    };
    const submitted = await repository.run(["submit", id, "--epoch", epoch], {
      input: JSON.stringify(result),
    });
    expect(submitted.status, submitted.stderr).toBe(0);
    const name = id.split("/").at(-1) as string;
    const uses = name === "B" ? 'require("./A.js");\n' : "";
    repository.branch(`lockstep/${name}`, { [`${name}.js`]: `${uses}exports.x = 1;\n` });
  }
  const branches = ids.map((id) => `lockstep/${id.split("/").at(-1)}`);
  const { status, stderr } = await repository.land(...branches);
  expect(status, stderr).toBe(0);
}

const ignoring = { ".gitignore": "state\nworklogs\n.agents-work\n" };

describe("rolling back a task", () => {
  it("restores the exact tree, keeps the commits, and prints the command that restores the work", async () => {
    using repository = landRepository();
    repository.branch("work", { "f.js": "exports.f = 2;\n", "new/deep.txt": "n\n" });
    const before = treeOf(repository);
    const { landed } = await repository.land("work");
    const merged = treeOf(repository);
    repository.write("notes.txt", "mine\n");
    const { status, done } = await rollBack(repository, "task", "land-work");
    expect({ status, outcome: done.outcome, tree: treeOf(repository) }).toEqual({
      status: 0,
      outcome: "rolled-back",
      tree: before,
    });
    expect(done.reverted).toMatchObject([{ task: "land-work", files: ["f.js", "new/deep.txt"] }]);
    expect(readFileSync(join(repository.path, "notes.txt"), "utf8")).toBe("mine\n");
    expect(existsSync(join(repository.path, "new"))).toBe(false);
    expect(await show(repository, "land-work")).toMatchObject({ state: "MERGED", reverted_by: done.to });
    expect(repository.git("merge-base", "--is-ancestor", landed.commit as string, "main")).toBe("");
    for (const line of done.way_back.slice(0, 2)) repository.git(...line.split(" ").slice(1));
    repository.git("switch", "-q", "-");
    expect((await repository.land("again-land-work")).landed.outcome).toBe("merged");
    expect(treeOf(repository)).toBe(merged);
    expect((await repository.run(["reconcile"])).status).toBe(0);
  });

  it("that is not the last reverts only its own change", async () => {
    using repository = landRepository();
    for (const name of ["one", "two", "three"]) {
      repository.branch(name, { [`${name}.txt`]: `${name}\n` });
      expect((await repository.land(name)).status).toBe(0);
    }
    await rollBack(repository, "task", "land-two");
    expect(repository.git("ls-tree", "--name-only", "main").split("\n")).toEqual(
      expect.arrayContaining(["one.txt", "three.txt"]),
    );
    expect(repository.git("ls-tree", "--name-only", "main")).not.toContain("two.txt");
    expect((await rollBack(repository, "task", "land-two")).done.outcome).toBe("nothing");
  });

  it("also rolls back merged tasks that depend on it, and unmerged ones wait until it is done again", async () => {
    using repository = landRepository(ignoring);
    const before = treeOf(repository);
    await mergeTasks(repository, "A");
    await repository.run(["task", "add", "B", "--file", "-"], {
      input: JSON.stringify({ ...packet("B"), depends_on: ["A"] }),
    });
    await mergeTasks(repository, "B");
    await repository.run(["task", "add", "C", "--scope", "c.js", "--depends-on", "B"]);
    const planned = await rollBack(repository, "task", "A", "--dry-run");
    expect(planned.done).toMatchObject({
      outcome: "planned",
      reverted: [{ task: "B" }, { task: "A" }],
      blocked: ["C"],
    });
    const text = (await repository.run(["rollback", "task", "A", "--dry-run"])).stdout;
    expect(text).toContain("nothing was changed\n");
    expect(text).not.toContain("to undo");
    expect(await show(repository, "C")).toMatchObject({ state: "PENDING" });
    const { done } = await rollBack(repository, "task", "A");
    expect(done.reverted.map(({ task }) => task)).toEqual(["B", "A"]);
    expect(treeOf(repository)).toBe(before);
    expect((await repository.run(["task", "show", "A"])).stdout).toContain("state     ROLLED BACK\n");
    expect(await show(repository, "C")).toMatchObject({ state: "BLOCKED", code: "R-DP-001" });
    expect((await repository.run(["task", "retry", "B"])).stdout).toContain("B-r1");
    expect(await show(repository, "C")).toMatchObject({ depends_on: ["B-r1"], waiting_for: ["B-r1"] });
    const output = await repository.run([
      "audit",
      "list",
      "--task",
      "C",
      "--type",
      "task.redirected",
      "--json",
    ]);
    expect(output.stdout, output.stderr).toContain('"B-r1"');
    expect((await repository.run(["reconcile"])).status).toBe(0);
  });

  it("does not take a dependent task away from a person, and reports what to do first", async () => {
    using repository = landRepository(ignoring);
    await mergeTasks(repository, "A");
    await dispatch(repository, "B", { depends_on: ["A"] });
    const taken = await repository.run(["take", "B"]);
    expect(taken.status, taken.stderr).toBe(0);
    const before = repository.git("rev-parse", "main");
    for (const more of [[], ["--dry-run"]])
      expect(await rollBack(repository, "task", "A", ...more)).toMatchObject({
        status: 2,
        done: {
          outcome: "refused",
          refused: {
            code: "R-ST-001",
            reason:
              "a person has taken over `B`, and the rollback would end that: hand it in or give it up first (`lockstep submit B` or `lockstep release B`), then roll back again",
          },
        },
      });
    expect(repository.git("rev-parse", "main")).toBe(before);
    expect(await show(repository, "B")).toMatchObject({ state: "IN_PROGRESS", alive: { lease: "held" } });
    expect((await repository.run(["release", "B"])).status).toBe(0);
    expect((await rollBack(repository, "task", "A")).done).toMatchObject({ outcome: "rolled-back" });
    await dispatch(repository, "C");
    expect((await repository.run(["take", "C"])).status).toBe(0);
    expect((await rollBack(repository, "task", "C")).done).toMatchObject({ ended: ["C"] });
  });

  it("that is not merged ends it, and restores its files", async () => {
    using repository = landRepository({ ...ignoring, "A.js": "exports.a = 0;\n" });
    repository.write("A.js", "exports.a = 1; // a person's, not committed\n");
    repository.write("other.txt", "theirs\n");
    await dispatch(repository, "A");
    repository.write("A.js", "exports.a = 2; // the agent's\n");
    repository.write("other.txt", "changed\n");
    const index = repository.git("ls-files", "--stage");
    const { status, done } = await rollBack(repository, "task", "A");
    expect({ status, done }).toMatchObject({
      status: 0,
      done: { outcome: "rolled-back", ended: ["A"], restored: [{ task: "A", paths: ["A.js"] }] },
    });
    expect(readFileSync(join(repository.path, "A.js"), "utf8")).toContain("a person's");
    expect(readFileSync(join(repository.path, "other.txt"), "utf8")).toBe("changed\n");
    expect(repository.git("ls-files", "--stage")).toBe(index);
    expect(await show(repository, "A")).toMatchObject({ state: "FAILED" });
    repository.git(...(done.restored[0]?.way_back.split(" ").slice(1) ?? []));
    expect(readFileSync(join(repository.path, "A.js"), "utf8")).toContain("the agent's");
  });

  it("that is not merged keeps what was merged into the base meanwhile", async () => {
    using repository = landRepository({ ...ignoring, "A.js/a.js": "0;\n", "A.js/b.js": "0;\n" });
    await dispatch(repository, "A");
    repository.branch("work", { "A.js/b.js": "1;\n", "A.js/new.js": "1;\n" });
    expect((await repository.land("work")).status).toBe(0);
    repository.write("A.js/a.js", "the agent's\n");
    const { done } = await rollBack(repository, "task", "A");
    expect(done.restored).toMatchObject([{ paths: ["A.js/a.js"], left: [] }]);
    expect(repository.git("status", "--porcelain")).toBe("");
    expect(repository.git("show", "HEAD:A.js/new.js")).toBe("1;");
  });

  it("does not count it as merged when its branch is landed again", async () => {
    using repository = landRepository();
    repository.branch("work", { "f.js": "exports.f = 2;\n" });
    await repository.land("work");
    await rollBack(repository, "task", "land-work");
    const again = await repository.land("work");
    expect(again).toMatchObject({
      status: 2,
      landed: { refused: { reason: expect.stringContaining("rolled back") } },
    });
    expect((await repository.run(["status"])).stdout).toContain("ROLLED BACK");
  });

  it.each<[string, (repository: LandRepository) => void, string]>([
    [
      "later work changed the same lines",
      (one) => {
        one.write("f.js", "exports.f = 1; // later\n");
        one.git("commit", "-qam", "later");
      },
      "R-GT-001",
    ],
    [
      "the checks fail on what is left",
      (one) => {
        one.write("test/f.test.js", 'if (require("../f.js").f !== 2) process.exit(1);\n');
        one.git("commit", "-qam", "later");
      },
      "R-PC-002",
    ],
  ])("is refused if %s", async (_name, later, code) => {
    using repository = landRepository();
    repository.branch("work", { "f.js": "exports.f = 2;\n" });
    await repository.land("work");
    later(repository);
    const before = repository.git("rev-parse", "main");
    const { status, done } = await rollBack(repository, "task", "land-work");
    expect({ status, code: done.refused?.code }).toEqual({ status: 2, code });
    expect(repository.git("rev-parse", "main")).toBe(before);
    expect(await show(repository, "land-work")).toMatchObject({ reverted_by: null });
    if (code === "R-PC-002")
      expect((await rollBack(repository, "task", "land-work", "--allow-red")).done.outcome).toBe(
        "rolled-back",
      );
  });

  it.each(["prepared", "moved", "noted", "settled"])(
    "that is killed while it is %s is finished or undone, never done twice",
    async (point) => {
      using repository = landRepository();
      const before = treeOf(repository);
      repository.branch("work", { "f.js": "exports.f = 2;\n" });
      await repository.land("work");
      const words = [process.execPath, child, point, "rollback", "land-work"];
      const env = { XDG_STATE_HOME: `${repository.path}/.git/state` };
      using running = startProgram(words, { cwd: repository.path, env });
      expect(await running.ended).toMatchObject({ signal: "SIGKILL" });
      const { done } = await rollBack(repository, "task", "land-work");
      expect(done.outcome).toBe(point === "prepared" ? "rolled-back" : "nothing");
      expect(treeOf(repository)).toBe(before);
      expect(
        repository
          .git("log", "--format=%s", "main")
          .split("\n")
          .filter((line) => line.startsWith("Roll back")),
      ).toHaveLength(1);
      expect((await show(repository, "land-work")).reverted_by).not.toBeNull();
    },
  );

  it("is refused to agents, and reports unknown tasks", async () => {
    using repository = landRepository();
    const agent = await repository.run(["rollback", "task", "T-1"], {
      env: { LOCKSTEP_TASK: "T-1", LOCKSTEP_EPOCH: "1" },
    });
    expect(agent).toMatchObject({ status: 2, stderr: expect.stringContaining("R-AU-001") });
    const unknown = await repository.run(["rollback", "batch", "BATCH-0"]);
    expect(unknown).toMatchObject({
      status: 2,
      stderr: expect.stringContaining("there is no batch `BATCH-0`"),
    });
  });
});

describe("rolling back a batch", () => {
  it("reverts all of it, and its tasks are done again one after the other", async () => {
    using repository = landRepository(ignoring);
    const before = treeOf(repository);
    await mergeTasks(repository, "A", "B");
    const { batch } = await show(repository, "A");
    const { done } = await rollBack(repository, "batch", batch);
    expect(done).toMatchObject({
      outcome: "rolled-back",
      again: ["A-r1", "B-r1"],
      hidden: [{ task: "B", needs: "A", path: "B.js", uses: "A.js" }],
    });
    expect(treeOf(repository)).toBe(before);
    expect(await show(repository, "A-r1")).toMatchObject({
      state: "PENDING",
      scope: ["A.js"],
      depends_on: [],
    });
    expect(await show(repository, "B-r1")).toMatchObject({ state: "PENDING", depends_on: ["A-r1"] });
    const early = await repository.run(["dispatch"], { input: JSON.stringify(packet("B-r1")) });
    expect(early).toMatchObject({ status: 2, stderr: expect.stringContaining("R-PE-001") });
  });
});

describe("rolling back a session", () => {
  it("halts active work, reverts merged work, writes the memory and reports how to continue", async () => {
    using repository = landRepository(ignoring);
    const before = treeOf(repository);
    await mergeTasks(repository, `${session}/A`);
    const epoch = await dispatch(repository, `${session}/B`);
    await repository.run(["task", "add", `${session}/C`, "--scope", "c.js"]);
    const { status, done } = await rollBack(repository, "session", session);
    expect({ status, done }).toMatchObject({
      status: 0,
      done: {
        outcome: "rolled-back",
        reverted: [{ task: `${session}/A` }],
        ended: [`${session}/B`, `${session}/C`],
        report: {
          state: { "rolled back": 1, ESCALATED: 2 },
          completed: [expect.stringContaining(`${session}/A`)],
          unfinished: [{ task: `${session}/B` }, { task: `${session}/C` }],
        },
      },
    });
    expect(treeOf(repository)).toBe(before);
    expect(await show(repository, `${session}/B`)).toMatchObject({ state: "ESCALATED", owner: "person" });
    const beat = await repository.run(["heartbeat", `${session}/B`, "--epoch", epoch]);
    expect(beat.status).toBe(2);
    const memory = readFileSync(join(repository.path, ".agents-work", session, "activeContext.md"), "utf8");
    expect(memory).toMatch(/^## \d{4}-\d\d-\d\dT[\d:.]+Z session rolled back$/m);
    for (const line of done.report?.recommended ?? ["missing"]) expect(memory).toContain(line);
    expect(done.report?.recommended).toMatchObject([
      `to answer ${session}/B: lockstep task resolve ${session}/B --note "…", or lockstep task cancel ${session}/B --reason "…"`,
      expect.stringContaining(`lockstep task resolve ${session}/C`),
      `to do ${session}/A again: lockstep task retry ${session}/A && lockstep run`,
      expect.stringMatching(/^to bring everything back: git /),
    ]);
  });

  it("does not write through a link in the place of its memory", async () => {
    using repository = landRepository(ignoring);
    await dispatch(repository, `${session}/A`);
    repository.write("state/outside", "theirs\n");
    mkdirSync(join(repository.path, ".agents-work", session), { recursive: true });
    symlinkSync(
      join(repository.path, "state/outside"),
      join(repository.path, ".agents-work", session, "activeContext.md"),
    );
    const { status, stderr } = await repository.run(["rollback", "session", session]);
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: expect.stringContaining("is a link: remove it"),
    });
    expect(readFileSync(join(repository.path, "state/outside"), "utf8")).toBe("theirs\n");
  });
});
