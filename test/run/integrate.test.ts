import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { collectWork } from "../../src/workspace/checkouts/collect-work.ts";
import { openCheckout } from "../../src/workspace/checkouts/open-checkout.ts";
import { agentIn } from "../support/agent-checkout.ts";
import { type LandRepository, landRepository } from "../support/land-repository.ts";
import { eventually } from "../support/run-command.ts";

const files = {
  "a.js": "exports.a = 1;\n",
  "b.js": "exports.b = 1;\n",
  "c.js": "exports.c = 1;\n",
  "check-c.js": 'if (require("./b.js").b > 1) process.exit(1);\n',
};

interface Branch {
  readonly branch: string;
  readonly outcome: string;
  readonly task: string | null;
  readonly commit: string | null;
  readonly refused: { readonly code: string; readonly reason: string; readonly details: object } | null;
  readonly evidence: readonly { readonly command: string; readonly tree: string }[];
}

async function landAll(repository: LandRepository, ...words: string[]) {
  const { status, landed, stderr } = await repository.land(...words);
  return { status, landed, stderr, branches: landed.branches as Branch[] };
}

const outcomes = (branches: readonly Branch[]) =>
  branches.map(({ branch, outcome }) => `${branch} ${outcome}`);

describe("several branches", () => {
  it("are merged in smaller batches if the base moves faster than the proof of all of them", async () => {
    using repository = landRepository(files);
    for (const name of ["one", "two", "three"]) repository.branch(name, { [`${name}.js`]: "1;\n" });
    using running = repository.start(["land", "one", "two", "three", "--check", "sleep 1", "--json"]);
    let isOver = false;
    const ended = running.ended.finally(() => {
      isOver = true;
    });
    const isIn = () => repository.git("log", "--format=%s", "main").includes("Land one");
    let moves = 0;
    for (; !isIn(); moves += 1) {
      const isSecond = () =>
        (running.errors().split("moved in the meantime")[moves] ?? "").split("tree: sleep 1")[2];
      await eventually(
        "two merges are proven, or one is merged",
        () => isSecond() ?? (isIn() || isOver || undefined),
      );
      if (isOver || isIn()) break;
      repository.git("commit", "-q", "--allow-empty", "-m", "by a person");
    }
    const { status, stdout } = await ended;
    const { branches, outcome } = JSON.parse(stdout) as { branches: Branch[]; outcome: string };
    expect({ status, outcome, outcomes: outcomes(branches) }).toEqual({
      ...{ status: 0, outcome: "merged" },
      outcomes: ["one merged", "two merged", "three merged"],
    });
    expect(moves).toBe(2);
  });

  it("are merged together: one merge each, in order, with its own checks on its own tree, the project's checks on the last, and one move of the base", async () => {
    using repository = landRepository(files);
    repository.branch("one", { "a.js": "exports.a = 2;\n" });
    repository.branch("two", { "b.js": "exports.b = 1; // two\n" });
    const before = repository.git("rev-parse", "main");
    const { status, landed, branches } = await landAll(
      repository,
      "one",
      "two",
      "--check",
      "node check-c.js",
    );
    expect({ status, outcomes: outcomes(branches) }).toEqual({
      status: 0,
      outcomes: ["one merged", "two merged"],
    });
    expect(landed.batch).toMatch(/^BATCH-\d{8}T\d{9}Z-[0-9a-f]{6}$/);
    const merges = repository.git("rev-list", "--first-parent", "--reverse", `${before}..main`).split("\n");
    expect(branches.map(({ commit }) => commit)).toEqual(merges);
    const [first, tip] = merges.map((commit) => repository.git("rev-parse", `${commit}^{tree}`));
    const own = "node check-c.js";
    const project = "node test/f.test.js";
    const proven = [
      [
        { command: own, tree: first },
        { command: project, tree: tip },
      ],
      [
        { command: project, tree: tip },
        { command: own, tree: tip },
      ],
    ];
    expect(branches).toMatchObject(proven.map((evidence) => ({ evidence })));
    expect(repository.git("reflog", "show", "main", "--format=%gs").split("\n")).toHaveLength(2);
    const tasks = JSON.parse((await repository.run(["task", "list", "--json"])).stdout) as object[];
    const merged = { state: "MERGED", batch: landed.batch, proof: "proven" };
    expect(tasks).toMatchObject([
      { id: "land-one", ...merged, evidence: proven[0] },
      { id: "land-two", ...merged, evidence: proven[1] },
    ]);
  });

  it("of which the third fails its tests with the second: the earlier one is merged, and the later one has to adapt", async () => {
    using repository = landRepository(files);
    repository.branch("one", { "a.js": "exports.a = 2;\n" });
    repository.branch("two", { "b.js": "exports.b = 2;\n" });
    repository.branch("three", {
      "c.js": "exports.c = 2;\n",
      "test/f.test.js": 'require("../check-c.js");\n',
    });
    const { status, branches } = await landAll(repository, "one", "two", "three");
    expect({ status, outcomes: outcomes(branches) }).toEqual({
      status: 2,
      outcomes: ["one merged", "two merged", "three refused"],
    });
    expect(branches[2]?.refused).toMatchObject({
      code: "R-PC-002",
      details: { with: "two", command: "node test/f.test.js" },
    });
    expect(repository.git("show", "main:b.js")).toBe("exports.b = 2;");
    expect(repository.git("show", "main:c.js")).toBe("exports.c = 1;");
  });

  it("of which one breaks the tests that another adds: the later one is refused, in either order", async () => {
    for (const order of [
      ["tests", "breaks"],
      ["breaks", "tests"],
    ]) {
      using repository = landRepository(files);
      repository.branch("tests", { "test/f.test.js": 'require("../check-c.js");\n' });
      repository.branch("breaks", { "b.js": "exports.b = 2;\n" });
      const { branches } = await landAll(repository, ...order);
      expect(outcomes(branches)).toEqual([`${order[0]} merged`, `${order[1]} refused`]);
    }
  });

  it("of which two pass alone and fail together, with no hint which one is at fault: the later one is refused", async () => {
    using repository = landRepository({
      ...files,
      "test/f.test.js": 'if (require("../a.js").a + require("../b.js").b > 3) process.exit(1);\n',
    });
    repository.branch("one", { "a.js": "exports.a = 2;\n" });
    repository.branch("two", { "b.js": "exports.b = 2;\n" });
    const { branches } = await landAll(repository, "one", "two");
    expect(outcomes(branches)).toEqual(["one merged", "two refused"]);
    expect(branches[1]?.refused).toMatchObject({ code: "R-PC-002", details: { with: "one" } });
  });

  it("of which one fails by itself: that one is refused, at any position", async () => {
    for (const order of [
      ["bad", "good"],
      ["good", "bad"],
    ]) {
      using repository = landRepository(files);
      repository.branch("bad", { "f.js": "exports.f = 3;\n" });
      repository.branch("good", { "a.js": "exports.a = 2;\n" });
      const { status, branches } = await landAll(repository, ...order);
      const results = Object.fromEntries(
        branches.map(({ branch, outcome, refused }) => [branch, [outcome, refused?.code]]),
      );
      expect({ status, results }).toEqual({
        status: 2,
        results: { bad: ["refused", "R-PC-002"], good: ["merged", undefined] },
      });
    }
  });

  it("of which one fails the gate: the merges are replayed to find it", async () => {
    using repository = landRepository({
      ...files,
      ".lockstep/config.yaml": 'gate: { conventions: { command: ["sh", "-c", "! grep -q debug *.js"] } }\n',
    });
    repository.branch("one", { "a.js": "exports.a = 2;\n" });
    repository.branch("two", { "b.js": "exports.b = 1; // debug\n" });
    repository.branch("three", { "c.js": "exports.c = 2;\n" });
    const { branches } = await landAll(repository, "one", "two", "three");
    expect(outcomes(branches)).toEqual(["one merged", "two refused", "three merged"]);
    expect(branches[1]?.refused).toMatchObject({
      code: "R-GT-001",
      details: { failed: [{ check: "conventions", route: "origin" }] },
    });
  });

  it("of which two change the same file: the later one has to be done after the other", async () => {
    using repository = landRepository(files);
    repository.branch("one", { "a.js": "exports.a = 2;\nexports.x = 1;\n" });
    repository.branch("two", { "a.js": "exports.b = 0;\nexports.a = 1;\n" });
    const { branches } = await landAll(repository, "one", "two");
    expect(outcomes(branches)).toEqual(["one merged", "two refused"]);
    expect(branches[1]?.refused).toMatchObject({
      code: "R-GT-001",
      details: { check: "file_conflict", route: "serial", with: "one", paths: ["a.js"] },
    });
  });

  it("of which two change the same file by its old and its new name: the later one is refused", async () => {
    const lines = [..."abcdefgh"].map((letter) => `${letter}\n`);
    using repository = landRepository({ ...files, "old.txt": lines.join("") });
    repository.branch("one", { "old.txt": ["first\n", ...lines.slice(1)].join("") });
    repository.git("mv", "old.txt", "new.txt");
    repository.git("commit", "-qm", "renamed");
    repository.branch("two", { "new.txt": [...lines.slice(0, -1), "last\n"].join("") });
    const { branches } = await landAll(repository, "one", "two");
    expect(outcomes(branches)).toEqual(["one merged", "two refused"]);
    expect(branches[1]?.refused).toMatchObject({
      code: "R-GT-001",
      details: {
        failed: [{ check: "file_conflict", route: "serial", findings: [{ path: "new.txt" }] }],
        with: "one",
      },
    });
  });

  it("are proven and kept, and nothing is merged, if the configuration disables integration", async () => {
    using repository = landRepository({ ...files, ".lockstep/config.yaml": "integrate: none\n" });
    repository.branch("one", { "a.js": "exports.a = 2;\n" });
    const before = repository.git("rev-parse", "main");
    const { status, branches } = await landAll(repository, "one");
    expect({ status, outcomes: outcomes(branches) }).toEqual({ status: 0, outcomes: ["one proven"] });
    expect(repository.git("rev-parse", "main")).toBe(before);
    expect(repository.git("rev-parse", "refs/lockstep/proven/one")).toBe(branches[0]?.commit);
  });

  it("leave no trial merges behind", async () => {
    using repository = landRepository(files);
    repository.branch("one", { "a.js": "exports.a = 2;\n" });
    repository.branch("two", { "f.js": "exports.f = 3;\n" });
    await landAll(repository, "one", "two");
    expect(repository.git("for-each-ref", "refs/lockstep/integration")).toBe("");
  });
});

describe("the work of a task in review", () => {
  const packet = (id: string, scope: string, forbidden: readonly string[]) =>
    JSON.stringify({
      task_id: id,
      assignment: {
        lock_scope: [scope],
        forbidden_scope: forbidden,
        acceptance_criteria: ["cmd: grep -q 2 a.js"],
        worklog_path: `worklogs/${id}.md`,
        timeout_seconds: 900,
        heartbeat_interval_seconds: 60,
      },
      agent: "coder",
      title: "Better a",
      active_locks: [],
    });

  async function inReview(repository: LandRepository, scope: string, forbidden: readonly string[] = []) {
    const dispatched = await repository.run(["dispatch"], { input: packet("T-001", scope, forbidden) });
    expect(dispatched).toMatchObject({ status: 0 });
    repository.write("worklogs/T-001.md", "done\n");
    const result = {
      task_id: "T-001",
      status: "done",
      changes: [],
      notes_for_orchestrator: [],
      worklog_path: "worklogs/T-001.md",
      acceptance_check: [{ criterion: "cmd: grep -q 2 a.js", status: "pass", evidence: "ran it" }],
    };
    const { epoch } = JSON.parse(dispatched.stdout).details;
    const words = ["submit", "T-001", "--epoch", String(epoch)];
    expect(await repository.run(words, { input: JSON.stringify(result) })).toMatchObject({ status: 0 });
  }
  const stateOf = async (repository: LandRepository) =>
    JSON.parse((await repository.run(["task", "show", "T-001", "--json"])).stdout);

  it("is merged under its own name, with its own lock and criteria", async () => {
    using repository = landRepository({ ...files, ".gitignore": "state\nworklogs\n" });
    await inReview(repository, "a.js");
    repository.branch("lockstep/T-001", { "a.js": "exports.a = 2;\n" });
    const { status, branches } = await landAll(repository, "lockstep/T-001");
    expect({ status, branches }).toMatchObject({
      status: 0,
      branches: [{ outcome: "merged", task: "T-001" }],
    });
    expect(repository.git("log", "-1", "--format=%s", "main")).toBe("T-001: Better a");
    expect(repository.git("log", "-1", "--format=%B", "main")).toContain("Lockstep-Task: T-001");
    expect(await stateOf(repository)).toMatchObject({ state: "MERGED", proof: "proven" });
    expect(JSON.parse((await repository.run(["lock", "list", "--json"])).stdout).locks).toEqual([]);
  });

  it("is merged from its checkout, and the checkout is removed after its content was saved", async () => {
    using repository = landRepository({ ...files, ".gitignore": "state\nworklogs\n" });
    await inReview(repository, "a.js");
    const commonFolder = join(repository.path, ".git");
    process.env.XDG_STATE_HOME = join(commonFolder, "state");
    const base = repository.git("rev-parse", "main");
    const name = { session: null, task: "T-001", attempt: 1 };
    const { checkout } = await openCheckout({
      ...name,
      commonFolder,
      root: repository.path,
      base,
      include: [],
      isContained: false,
    });
    const agent = agentIn(checkout);
    agent.write("a.js", "exports.a = 2;\n");
    const work = await collectWork(checkout);
    if (work === "unchanged") throw new Error("nothing was collected");
    repository.git("branch", "lockstep/T-001", work.commit);
    agent.write("late.txt", "after it was handed in\n");
    const disk = JSON.parse((await repository.run(["status", "--disk", "--json"])).stdout);
    expect(disk.checkouts).toMatchObject([{ task: "T-001", bytes: expect.any(Number) }]);
    const { status, stderr } = await landAll(repository, "lockstep/T-001");
    expect(status, stderr).toBe(0);
    expect(repository.git("show", "main:a.js")).toBe("exports.a = 2;");
    expect(existsSync(checkout.folder)).toBe(false);
    const kept = /refs\/lockstep\/\S+-kept\/\w+/.exec(stderr)?.[0] ?? "no ref was named";
    expect(repository.git("show", `${kept}:late.txt`)).toBe("after it was handed in");
  });

  it.each<[string, string, readonly string[], Record<string, string>, string]>([
    ["outside its lock", "b.js", [], { "a.js": "exports.a = 2;\n" }, "R-PO-002"],
    [
      "inside its forbidden scope",
      ".",
      ["b.js"],
      { "a.js": "exports.a = 2;\n", "b.js": "exports.b = 2;\n" },
      "R-PW-002",
    ],
    ["without meeting its criteria", "a.js", [], { "a.js": "exports.a = 3;\n" }, "R-PC-002"],
  ])("that is %s is rejected with what it has to fix", async (_name, scope, forbidden, changes, code) => {
    using repository = landRepository({ ...files, ".gitignore": "state\nworklogs\n" });
    await inReview(repository, scope, forbidden);
    repository.branch("lockstep/T-001", changes);
    expect((await landAll(repository, "lockstep/T-001")).status).toBe(2);
    expect(await stateOf(repository)).toMatchObject({ state: "REJECTED", code, fix_delta: { code } });
  });
});
