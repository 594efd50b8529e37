import { describe, expect, it } from "vitest";
import { checksByName, type LandRepository, landRepository } from "../support/land-repository.ts";
import { answer, planned, runPlan } from "../support/planned-repository.ts";

const files = { "a.js": "exports.a = 1;\n", "b.js": "exports.b = 1;\n", "c.js": "exports.c = 1;\n" };
const projectCheck = "node test/f.test.js";

interface Branch {
  readonly branch: string;
  readonly outcome: string;
  readonly commit: string;
  readonly evidence: readonly { readonly command: string; readonly tree: string }[];
  readonly refused: { readonly code: string } | null;
}

async function land(repository: LandRepository, ...words: string[]) {
  const { landed } = await repository.land(...words);
  const branches = landed.branches as readonly Branch[];
  const treeOf = (commit: string) => repository.git("rev-parse", `${commit}^{tree}`);
  return {
    outcomes: branches.map(({ branch, outcome }) => `${branch} ${outcome}`),
    /** For each branch, the merges on which a command ran for its proof. */
    provenOn: (command: string) =>
      branches.map(({ evidence }) => {
        const record = evidence.find((one) => one.command === command);
        return branches.find(({ commit }) => commit && treeOf(commit) === record?.tree)?.branch;
      }),
    branches,
  };
}

function threeBranches(config = ""): LandRepository {
  const repository = landRepository({ ...files, ".lockstep/config.yaml": `${checksByName}${config}` });
  repository.branch("one", { "a.js": "exports.a = 2;\n" });
  repository.branch("two", { "b.js": "exports.b = 2;\n" });
  repository.branch("three", { "c.js": "exports.c = 2;\n" });
  return repository;
}

describe("several changes that hold together", () => {
  it("are proven by one run of the project's checks on the last merge, which every proof names", async () => {
    using repository = threeBranches();
    const { outcomes, provenOn, branches } = await land(repository, "one", "two", "three");
    expect(outcomes).toEqual(["one merged", "two merged", "three merged"]);
    expect(provenOn(projectCheck)).toEqual(["three", "three", "three"]);
    const [first, , tip] = branches as [Branch, Branch, Branch];
    const note = JSON.parse(repository.git("notes", "--ref=lockstep", "show", first.commit));
    expect(note).toMatchObject({
      tip: tip.commit,
      tree: repository.git("rev-parse", `${first.commit}^{tree}`),
    });
    const tree = repository.git("rev-parse", `${tip.commit}^{tree}`);
    const message = repository.git("log", "-1", "--format=%B", first.commit);
    expect(message).toContain(`${projectCheck} (pass, on the tip with tree ${tree.slice(0, 12)})`);
  });

  it("are proven one by one with `proof: each`", async () => {
    using repository = threeBranches("proof: each\n");
    const { provenOn } = await land(repository, "one", "two", "three");
    expect(provenOn(projectCheck)).toEqual(["one", "two", "three"]);
  });

  it("run their own checks on their own merge, even if one is also a check of the project", async () => {
    using repository = threeBranches();
    const { provenOn } = await land(repository, "one", "two", "--check", projectCheck);
    expect(provenOn(projectCheck)).toEqual(["one", "two"]);
  });

  it("run the project's checks on their own merge if they touch tests", async () => {
    using repository = threeBranches();
    repository.branch("tests", { "test/g.test.js": "process.exit(0);\n" });
    const { outcomes, provenOn } = await land(repository, "one", "tests", "three");
    expect(outcomes).toEqual(["one merged", "tests merged", "three merged"]);
    expect(provenOn(projectCheck)).toEqual(["three", "tests", "three"]);
  });

  it("start from the evidence of the last tip: the base is not proven again", async () => {
    using repository = threeBranches();
    await land(repository, "one", "two");
    const { stderr } = await repository.land("three");
    const [onBase] = stderr.split("\n").filter((line) => line.includes(`on the base: ${projectCheck}`));
    expect(onBase).toBeDefined();
    expect(stderr).not.toContain("setting up");
    const proofs = repository.git("notes", "--ref=lockstep", "show", "main");
    const [record] = JSON.parse(proofs).evidence as readonly {
      readonly before: { readonly seconds: number };
    }[];
    const tip = JSON.parse(repository.git("notes", "--ref=lockstep", "show", "main^"));
    expect(record?.before.seconds).toBe(tip.evidence[0].after.seconds);
  });
});

describe("a change that fails", () => {
  it("is found by proving the changes one by one, and the others are merged", async () => {
    for (const order of [
      ["bad", "one", "two"],
      ["one", "bad", "two"],
      ["one", "two", "bad"],
    ]) {
      using repository = threeBranches();
      repository.branch("bad", { "f.js": "exports.f = 3;\n" });
      const { outcomes, branches } = await land(repository, ...order);
      expect(outcomes).toEqual(order.map((name) => `${name} ${name === "bad" ? "refused" : "merged"}`));
      expect(branches.find(({ branch }) => branch === "bad")?.refused?.code).toBe("R-PC-002");
    }
  });

  it("is not blamed on a later change whose own check it breaks", async () => {
    using repository = threeBranches();
    repository.branch("bad", { "f.js": "exports.f = 3;\n" });
    const own = "node -e \"process.exit(require('./f.js').f === 3 ? 1 : 0)\"";
    const { outcomes } = await land(repository, "bad", "two", "--check", own);
    expect(outcomes).toEqual(["bad refused", "two merged"]);
  });

  it("does not block a later change of the same file", async () => {
    using repository = threeBranches();
    repository.branch("bad", { "f.js": "exports.f = 3;\n", "a.js": "exports.a = 7;\n" });
    const { outcomes } = await land(repository, "bad", "one", "two");
    expect(outcomes).toEqual(["bad refused", "one merged", "two merged"]);
  });

  it("asks no question about tests that a later change deletes because of it", async () => {
    using repository = threeBranches();
    repository.branch("bad", { "f.js": "exports.f = 3;\n" });
    repository.branch("hides", { "test/f.test.js": "process.exit(0);\n" });
    const { outcomes, branches } = await land(repository, "bad", "hides");
    expect(outcomes[0]).toBe("bad refused");
    expect(branches[1]?.outcome).not.toBe("refused");
  });
});

// INV-10: a permission to change tests belongs to one task.
describe("a change that may change tests", () => {
  const test = [
    'import test from "node:test"; import assert from "node:assert"; import * as m from "../add.mjs";',
    'test("adds", { skip: !m.isOn }, () => assert.equal(m.add(1, 2), 3));',
    'test("loads", () => assert.ok(m));\n',
  ].join("\n");
  const write = (path: string, text: string) => `write: ${JSON.stringify({ path, text })}`;
  const task = (id: string, more: string) =>
    `{ id: ${id}, goal: do ${id}, agent: ${id}, acceptance_checks: ["cmd: test -e add.mjs"], ${more} }`;

  it("does not excuse the tests that an earlier change of the same chain loses", async () => {
    using repository = planned({
      agents: {
        A: [
          [
            write("add.mjs", "export const isOn = false; export const add = (a, b) => a - b;\n"),
            answer("OK"),
          ],
        ],
        C: [[write("test/x.test.mjs", `${test}test("new", () => assert.ok(1 + 1 === 2));\n`), answer("OK")]],
      },
      tasks: [
        task("A", "lock_scope: [add.mjs]"),
        task("C", 'lock_scope: [test], may_change_tests: ["test/x.*"]'),
      ],
      config: 'limits: { batching: batch }\nchecks: { default: ["node --test"] }\n',
      files: {
        "add.mjs": "export const isOn = true; export const add = (a, b) => a + b;\n",
        "test/x.test.mjs": test,
      },
    });
    const { states } = await runPlan(repository);
    expect(states).toEqual({ A: "REVIEW", C: "MERGED" });
    const { stdout } = await repository.run(["decide", "--json"]);
    expect(JSON.parse(stdout)).toMatchObject([{ kind: "weakened", task: expect.stringMatching(/A$/) }]);
    expect(repository.git("show", "main:add.mjs")).toContain("a + b");
  });
});
