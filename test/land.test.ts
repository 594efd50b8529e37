import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type Repository, temporaryRepository } from "./support/run-command.ts";

const files = {
  "f.js": "exports.f = 1;\n",
  "test/f.test.js": 'if (![1, 2].includes(require("../f.js").f)) process.exit(1);\n',
  "package.json": '{"scripts":{"test":"node test/f.test.js"}}\n',
  ".gitignore": "state\n",
};

interface LandRepository extends Repository {
  branch(name: string, changes: Readonly<Record<string, string | null>>): void;
  land(
    ...words: string[]
  ): Promise<{ status: number | null; stderr: string; landed: Record<string, unknown> }>;
}

/** A repository with a green base on `main`. */
function landRepository(more: Readonly<Record<string, string>> = {}): LandRepository {
  const repository = temporaryRepository({ ...files, ...more });
  const { git } = repository;
  git("checkout", "-q", "-b", "main");
  git("add", "-A");
  git("commit", "-qm", "base");
  const branch = (name: string, changes: Readonly<Record<string, string | null>>) => {
    git("checkout", "-q", "-b", name, "main");
    for (const [path, text] of Object.entries(changes)) {
      if (text === null) git("rm", "-q", path);
      else repository.write(path, text);
    }
    git("add", "-A");
    git("commit", "-qm", `change ${name}`);
    git("checkout", "-q", "main");
  };
  const land = async (...words: string[]) => {
    const env = { XDG_STATE_HOME: join(repository.path, "state") };
    const { status, stdout, stderr } = await repository.run(["land", ...words, "--json"], { env });
    return { status, stderr, landed: JSON.parse(stdout) };
  };
  return { ...repository, git, branch, land };
}

describe("a branch", () => {
  it("that is good is merged with its proof, and people's uncommitted work stays", async () => {
    using repository = landRepository();
    repository.branch("good", { "f.js": "exports.f = 2;\n" });
    repository.write("notes.txt", "mine\n");
    const { status, landed } = await repository.land("good", "--scope", "f.js", "--proves", "grep -q 2 f.js");
    expect(status).toBe(0);
    expect(landed).toMatchObject({
      outcome: "merged",
      task: "land-good",
      evidence: [
        { command: "npm test", kind: "project", outcome: "pass" },
        {
          command: "grep -q 2 f.js",
          kind: "proves",
          before: { exit: 1 },
          after: { exit: 0 },
          outcome: "pass",
        },
      ],
    });
    const head = repository.git("rev-parse", "HEAD");
    expect(landed.commit).toBe(head);
    expect(repository.git("show", "-s", "--format=%P", head).split(" ")).toHaveLength(2);
    expect(repository.git("show", "-s", "--format=%B", head)).toContain("Lockstep-Evidence: npm test (pass)");
    expect(JSON.parse(repository.git("notes", "--ref=lockstep", "show", head))).toMatchObject({
      changed: ["f.js"],
    });
    expect(readFileSync(join(repository.path, "f.js"), "utf8")).toBe("exports.f = 2;\n");
    expect(readFileSync(join(repository.path, "notes.txt"), "utf8")).toBe("mine\n");
    const evidence = landed.evidence as { tree: string }[];
    expect(evidence[0]?.tree).toBe(repository.git("rev-parse", "HEAD^{tree}"));
    expect((await repository.land("good")).landed).toMatchObject({ outcome: "nothing" });
  });

  it.each<[string, Record<string, string | null>, readonly string[], string, number]>([
    [
      "reaches outside its scope",
      { "f.js": "exports.f = 2;\n", "other.js": "1\n" },
      ["--scope", "f.js"],
      "R-PO-002",
      2,
    ],
    ["deletes outside its scope", { "test/f.test.js": null }, ["--scope", "f.js"], "R-PO-002", 2],
    ["touches what no agent may write", { ".claude/settings.json": "{}\n" }, [], "R-PW-002", 2],
    ["breaks the tests", { "f.js": "exports.f = 3;\n" }, [], "R-PC-002", 2],
    ["fails its own check", { "f.js": "exports.f = 2;\n" }, ["--check", "grep -q 9 f.js"], "R-PC-002", 2],
    ["proves nothing", { "f.js": "exports.f = 2;\n" }, ["--proves", "true"], "R-PC-002", 3],
  ])("that %s is refused, and the base stays", async (_name, changes, words, code, exit) => {
    using repository = landRepository();
    repository.branch("work", changes);
    const before = repository.git("rev-parse", "main");
    const { status, landed } = await repository.land("work", ...words);
    expect({ status, code: (landed.refused as { code: string }).code }).toEqual({ status: exit, code });
    expect(repository.git("rev-parse", "main")).toBe(before);
    expect(repository.git("status", "--porcelain")).toBe("");
  });

  it("that conflicts with the base is refused by the names of the files", async () => {
    using repository = landRepository();
    repository.branch("work", { "f.js": "exports.f = 2;\n" });
    repository.write("f.js", "exports.f = 1; // same line\n");
    repository.git("commit", "-qam", "meanwhile");
    const { status, stderr, landed } = await repository.land("work");
    expect({ status, refused: landed.refused }).toMatchObject({
      status: 2,
      refused: { code: "R-GT-001", details: { conflicts: ["f.js"] } },
    });
    expect(stderr).toContain("rebase it on `main`");
  });

  it("whose check is flaky is refused with both runs, unless it is listed", async () => {
    const flaky =
      'test -e "$HOME/ran-$(cat f.js | tr -dc 0-9)" || { touch "$HOME/ran-$(cat f.js | tr -dc 0-9)"; exit 1; }';
    using repository = landRepository({
      ".lockstep/config.yaml": `checks: { flaky: [${JSON.stringify(flaky)}] }\n`,
    });
    repository.branch("work", { "f.js": "exports.f = 2;\n" });
    repository.write(".lockstep/config.yaml", "version: 1\n");
    const home = { HOME: join(repository.path, "state") };
    const env = { ...home, XDG_STATE_HOME: join(repository.path, "state") };
    repository.write("state/x", "");
    const run = await repository.run(["land", "work", "--check", flaky, "--json"], { env });
    const landed = JSON.parse(run.stdout);
    expect(run.status).toBe(2);
    expect(landed.evidence.at(-1)).toMatchObject({
      outcome: "flaky",
      after: { exit: 1 },
      again: { exit: 0 },
    });
  });

  it("that deletes or redefines tests has that in its proof", async () => {
    using repository = landRepository();
    repository.branch("work", { "test/f.test.js": null, "package.json": '{"scripts":{"test":"true"}}\n' });
    const { landed } = await repository.land("work");
    expect(landed).toMatchObject({
      outcome: "merged",
      weakened: [
        { path: "package.json", what: "script `test` was redefined" },
        { path: "test/f.test.js", what: "a test file was deleted" },
      ],
    });
  });
});

describe("the gate", () => {
  it.each<[string, Record<string, string>, Record<string, string | null>, string, string]>([
    ["syntax", {}, { "broken.js": "const = 1;\n" }, "broken.js", "fail"],
    ["syntax", {}, { "broken.json": "{,}\n" }, "broken.json", "fail"],
    ["imports", {}, { "a.mjs": 'import "./nowhere.mjs";\n' }, "a.mjs", "fail"],
    [
      "imports",
      { "user.js": 'require("./f.js");\n' },
      { "f.js": null, "test/f.test.js": "// nothing is left\n" },
      "user.js",
      "fail",
    ],
    [
      "conventions",
      { ".lockstep/systemPatterns.md": "rule: `console\\.log` in `**/*.js`: no logging\n" },
      { "g.js": 'console.log("x");\n' },
      "g.js",
      "fail",
    ],
    [
      "cross_reference",
      { "server.js": 'app.get("/api/users", list);\n' },
      { "client.js": 'fetch("/api/user");\n' },
      "client.js",
      "fail",
    ],
  ])("refuses what fails its %s check", async (check, base, changes, path, result) => {
    using repository = landRepository(base);
    repository.branch("work", changes);
    const { status, landed } = await repository.land("work");
    const gate = landed.gate as { check: string; result: string; findings: { path: string }[] }[];
    const found = gate.find((one) => one.check === check);
    expect({ status, code: (landed.refused as { code: string }).code }).toEqual({
      status: 2,
      code: "R-GT-001",
    });
    expect({ result: found?.result, path: found?.findings[0]?.path }).toEqual({ result, path });
  });

  it("says of each check what it had to go by, and lets a person configure or switch off", async () => {
    using repository = landRepository({
      ".lockstep/config.yaml":
        'gate: { conventions: { command: ["sh", "-c", "test ! -e bad.txt"] }, syntax: off }\n',
    });
    repository.branch("work", { "broken.js": "const = 1;\n", "f.js": "exports.f = 2;\n" });
    const { landed } = await repository.land("work");
    const gate = landed.gate as { check: string; result: string }[];
    expect(Object.fromEntries(gate.map(({ check, result }) => [check, result]))).toEqual({
      file_conflict: "pass",
      tests: "pass",
      syntax: "not_configured",
      imports: "pass",
      conventions: "pass",
      cross_reference: "not_configured",
    });
  });
});

describe("the base", () => {
  it("that is red stops everything before, and a person has to mend it", async () => {
    using repository = landRepository();
    repository.branch("work", { "other.js": "1\n" });
    repository.write("f.js", "exports.f = 9;\n");
    repository.git("commit", "-qam", "red");
    const { status, landed } = await repository.land("work");
    expect({ status, outcome: landed.outcome }).toEqual({ status: 3, outcome: "waiting" });
    expect((landed.refused as { reason: string }).reason).toContain("fails on the base already");
  });

  it("that moves during the proof is proven anew", async () => {
    using repository = landRepository();
    repository.branch("work", { "other.js": "1\n" });
    const check = `test -e ${repository.path}/state/once || { touch ${repository.path}/state/once; cd ${repository.path} && echo x > new.txt && git add new.txt && git -c user.name=t -c user.email=t@localhost commit -qm meanwhile; }`;
    repository.write("state/x", "");
    const { status, stderr, landed } = await repository.land("work", "--check", check);
    expect({ status, outcome: landed.outcome }).toEqual({ status: 0, outcome: "merged" });
    expect(stderr).toContain("moved meanwhile");
    expect(repository.git("show", "--format=", "--name-only", "HEAD^1")).toBe("new.txt");
    expect(existsSync(join(repository.path, "other.js"))).toBe(true);
    expect(existsSync(join(repository.path, "new.txt"))).toBe(true);
  });

  it("that is checked out with work in the way waits for the person, and nothing is lost", async () => {
    using repository = landRepository();
    repository.branch("work", { "f.js": "exports.f = 2;\n" });
    repository.write("f.js", "exports.f = 1; // mine, not committed\n");
    const before = repository.git("rev-parse", "main");
    const { status, landed } = await repository.land("work");
    expect({ status, code: (landed.refused as { code: string }).code }).toEqual({
      status: 3,
      code: "R-GT-001",
    });
    expect(repository.git("rev-parse", "main")).toBe(before);
    expect(readFileSync(join(repository.path, "f.js"), "utf8")).toContain("mine");
    repository.git("checkout", "-q", "f.js");
    expect((await repository.land("work")).landed).toMatchObject({ outcome: "merged", task: "land-work" });
  });

  it("that is not checked out moves by compare and swap", async () => {
    using repository = landRepository();
    repository.branch("work", { "f.js": "exports.f = 2;\n" });
    repository.write(".lockstep/config.yaml", "base_branch: main\n");
    repository.git("checkout", "-q", "-b", "elsewhere");
    expect((await repository.land("work")).landed).toMatchObject({ outcome: "merged", base: "main" });
    expect(repository.git("show", "main:f.js")).toBe("exports.f = 2;");
    expect(readFileSync(join(repository.path, "f.js"), "utf8")).toBe("exports.f = 1;\n");
  });
});

describe("a dry run", () => {
  it("proves and moves nothing", async () => {
    using repository = landRepository();
    repository.branch("work", { "f.js": "exports.f = 2;\n" });
    const before = repository.git("rev-parse", "main");
    expect((await repository.land("work", "--dry-run")).landed).toMatchObject({ outcome: "proven" });
    expect(repository.git("rev-parse", "main")).toBe(before);
  });
});

describe("what is not supported", () => {
  it.each<[string, (repository: LandRepository) => void, string]>([
    ["a branch that does not exist", () => {}, "there is no branch `work`"],
    ["submodules", (one) => one.write(".gitmodules", ""), "submodules are not supported yet"],
    [
      "a sparse checkout",
      (one) => one.git("config", "core.sparseCheckout", "true"),
      "git sparse-checkout disable",
    ],
    ["a detached head", (one) => one.git("checkout", "-q", "--detach"), "no branch is checked out"],
  ])("is refused by name: %s", async (_name, prepare, text) => {
    using repository = landRepository();
    prepare(repository);
    const { status, stderr } = await repository.run(["land", "work"], {
      env: { XDG_STATE_HOME: join(repository.path, "state") },
    });
    expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringContaining(text) });
  });

  it("is refused for agents", async () => {
    using repository = landRepository();
    const run = await repository.run(["land", "work"], {
      env: { LOCKSTEP_TASK: "T-1", LOCKSTEP_EPOCH: "1" },
    });
    expect(run).toMatchObject({ status: 2, stderr: expect.stringContaining("R-AU-001") });
  });
});
