import { describe, expect, it } from "vitest";
import { foundRepository, type LandRepository } from "../support/land-repository.ts";
import { isMissing } from "../support/test-runners.ts";

const deletes = { "f.js": "exports.f = 9;\n", "test/f.test.js": "// gone\n" };

interface Refused {
  readonly code: string;
  readonly reason: string;
  readonly details: { readonly decision?: string; readonly weakened: readonly string[] };
}

async function landed(repository: LandRepository, ...words: string[]) {
  const { status, landed: landing } = await repository.land(...words);
  return { status, landing, refused: landing.refused as Refused | null };
}

const recipes: readonly [string, string, Record<string, string | null>][] = isMissing("make")
  ? []
  : [["the recipe of make", "make test", { Makefile: ".PHONY: test\ntest:\n\ttrue\n" }]];

describe("a change that weakens the tests that it is judged by", () => {
  it("waits for a person, whose reason is recorded with the merge", async () => {
    using repository = foundRepository();
    repository.branch("work", deletes);
    const before = repository.git("rev-parse", "main");
    const { status, refused } = await landed(repository, "work");
    expect({ status, code: refused?.code }).toEqual({ status: 3, code: "R-TW-001" });
    expect(refused?.details.weakened).toEqual([
      "`npm test` fails with the base's tests",
      "test/f.test.js: most of the test file is gone",
    ]);
    expect(repository.git("rev-parse", "main")).toBe(before);
    const asked = (await repository.run(["decide"])).stdout;
    expect(asked).toContain("weakens the tests that judge it");
    expect(asked).toContain("\n  The change touches:\n    - test/f.test.js: test file changed");
    expect(asked).toContain("lockstep decide UD-1 'accept: …'");
    expect(asked).toContain("\n  to see the work: lockstep diff work\n");
    expect((await repository.run(["diff", "work"])).stdout).toContain("--- a/test/f.test.js");
    expect((await repository.run(["decide", "UD-1", "accept"])).status).toBe(2);
    expect((await repository.run(["decide", "UD-1", "yes: f is 9 now"])).status).toBe(0);
    const accepted = await landed(repository, "work");
    expect(accepted.status).toBe(0);
    expect(accepted.landing.tests).toMatchObject({
      outcome: "accepted",
      accepted: { decision: "UD-1", reason: "f is 9 now" },
    });
    expect(repository.git("log", "-1", "--format=%B")).toContain(
      "Lockstep-Weakened: accepted in UD-1: f is 9 now",
    );
    const note = JSON.parse(repository.git("notes", "--ref=lockstep", "show", "main"));
    expect(note.tests.accepted.reason).toBe("f is 9 now");
  });

  it("is refused if the person rejects it, and asked about once", async () => {
    using repository = foundRepository();
    repository.branch("work", deletes);
    await repository.land("work");
    expect((await repository.run(["decide", "UD-1", "no", "--note", "keep f"])).status).toBe(0);
    const { status, refused } = await landed(repository, "work");
    expect({ status, code: refused?.code }).toEqual({ status: 2, code: "R-TW-001" });
    expect(refused?.reason).toContain("a person refused it: keep f");
    expect((await repository.run(["decide"])).stdout).toBe("nothing is waiting for you\n");
  });

  it("is asked about again for other work, and if more is weakened", async () => {
    using repository = foundRepository({ "test/g.sh": "test ! -e g.txt\n" });
    repository.branch("work", deletes);
    await repository.land("work");
    await repository.run(["decide", "UD-1", "accept: fine"]);
    const more = ["--check", "sh test/g.sh", "--dry-run"];
    expect((await landed(repository, "work", ...more)).landing).toMatchObject({ outcome: "proven" });
    repository.git("checkout", "-q", "work");
    repository.write("test/g.sh", "true\n");
    repository.write("g.txt", "x\n");
    repository.git("add", "-A");
    repository.git("commit", "-qm", "more");
    repository.git("checkout", "-q", "main");
    const grown = await landed(repository, "work", "--check", "sh test/g.sh");
    expect({ status: grown.status, decision: grown.refused?.details.decision }).toEqual({
      status: 3,
      decision: "UD-2",
    });
    expect(grown.refused?.details.weakened).toHaveLength(3);
  });

  it("asks no question in a dry run", async () => {
    using repository = foundRepository();
    repository.branch("work", deletes);
    expect(await landed(repository, "work", "--dry-run")).toMatchObject({
      status: 3,
      refused: { code: "R-TW-001" },
    });
    expect((await repository.run(["decide"])).stdout).toBe("nothing is waiting for you\n");
  });

  it("is refused, or merged and reported, as the configuration says", async () => {
    using repository = foundRepository();
    repository.branch("work", deletes);
    repository.write(".lockstep/config.yaml", "tests: { weaken: refuse }\n");
    expect(await landed(repository, "work")).toMatchObject({ status: 2, refused: { code: "R-TW-001" } });
    repository.write(".lockstep/config.yaml", "tests: { weaken: allow }\n");
    const { status, landing } = await landed(repository, "work");
    expect({ status, weakened: landing.weakened }).toEqual({
      status: 0,
      weakened: [{ path: "test/f.test.js", what: "test file changed" }],
    });
  });

  it.each<[string, string, Record<string, string | null>]>([
    ["an added test file that hides the others", "npm test", {}],
    ["a script of the check's own", "sh ci.sh", { "ci.sh": "true\n" }],
    ["a helper that only tests import", "npm test", { "lib/assert-helper.js": "exports.is = () => {};\n" }],
    ["a file that is configured as test material", "npm test", { "golden/f": "9\n" }],
    ...recipes,
  ])("is found: %s", async (_name, check, changes) => {
    using repository = foundRepository({
      "ci.sh": "node test/f.test.js\n",
      Makefile: ".PHONY: test\ntest:\n\tnode test/f.test.js\n",
      "golden/f": "1\n",
      "lib/assert-helper.js": "exports.is = (a, b) => { if (String(a) !== b.trim()) process.exit(1); };\n",
      "test/f.test.js":
        'require("../lib/assert-helper.js").is(require("../f.js").f, require("fs").readFileSync("golden/f", "utf8"));\n',
      ".lockstep/config.yaml": `checks: { default: ["${check}"] }\ntests: { material: [golden] }\n`,
    });
    const hidden = Object.keys(changes).length === 0;
    repository.branch("work", {
      "f.js": "exports.f = 9;\n",
      ...(hidden
        ? {
            "test/f.test.js": null,
            "test/z.test.js": "",
            "package.json": '{"scripts":{"test":"node test/z.test.js"}}\n',
          }
        : changes),
    });
    expect(await landed(repository, "work")).toMatchObject({ status: 3, refused: { code: "R-TW-001" } });
  });
});

describe("a change that touches tests and weakens nothing", () => {
  it("is merged, and one line gives the reason", async () => {
    using repository = foundRepository();
    repository.branch("work", {
      "test/f.test.js": 'if (![1].includes(require("../f.js").f)) process.exit(1);\n',
    });
    const { status, stdout } = await repository.run(["land", "work"]);
    expect(status).toBe(0);
    expect(stdout).toContain(
      "this change touches tests; everything that the tests on the base verify still holds:\n  test/f.test.js",
    );
    expect(stdout).toContain("npm test (the base's tests)");
  });

  it("causes no additional run if it touches no test material", async () => {
    using repository = foundRepository({ "package-lock.json": '{"lockfileVersion":3,"packages":{}}\n' });
    repository.branch("work", {
      "f.js": "exports.f = 2;\n",
      "package.json": '{"version":"1.0.0","scripts":{"test":"node test/f.test.js"}}\n',
    });
    const { landing } = await landed(repository, "work");
    expect(landing).toMatchObject({ outcome: "merged", tests: { outcome: "untouched" } });
    expect(landing.evidence).toHaveLength(1);
  });

  it("may be allowed in advance, for these tests only", async () => {
    using repository = foundRepository({ "test/g.sh": "true\n" });
    repository.branch("work", deletes);
    expect((await landed(repository, "work", "--may-change-tests", "test/g.sh")).status).toBe(3);
    expect(await landed(repository, "work", "--may-change-tests", "test/f.*")).toMatchObject({
      status: 0,
      landing: { outcome: "merged", tests: { outcome: "allowed", weakened: [{ path: "test/f.test.js" }] } },
    });
  });
});

describe("work that another process merges", () => {
  it("is judged by the tests of the commit that it was dispatched on", async () => {
    using repository = foundRepository();
    const packet = {
      task_id: "T-1",
      assignment: {
        lock_scope: ["."],
        forbidden_scope: [],
        acceptance_criteria: ["cmd: npm test"],
        worklog_path: "log.md",
        timeout_seconds: 900,
        heartbeat_interval_seconds: 60,
        may_change_tests: ["test"],
      },
      active_locks: [],
    };
    const dispatched = await repository.run(["dispatch"], { input: JSON.stringify(packet) });
    const { epoch } = JSON.parse(dispatched.stdout).details as { epoch: number };
    repository.branch("work", { ...deletes, "log.md": "done\n" });
    repository.write("log.md", "done\n");
    const result = {
      task_id: "T-1",
      status: "done",
      changes: [{ resource: "f.js", action: "modify" }],
      worklog_path: "log.md",
      notes_for_orchestrator: [],
      acceptance_check: [{ criterion: "cmd: npm test", status: "pass", evidence: "ran" }],
    };
    const submitted = await repository.run(["submit", "T-1", "--epoch", `${epoch}`], {
      input: JSON.stringify({ result }),
    });
    expect(submitted.status, submitted.stdout).toBe(0);
    const complete = () =>
      repository.run(
        ["complete", "T-1", "--commit", repository.git("rev-parse", "work"), "--epoch", `${epoch}`],
        { input: "" },
      );
    const waiting = await complete();
    expect({ status: waiting.status, verdict: JSON.parse(waiting.stdout) }).toMatchObject({
      status: 3,
      verdict: { code: "R-TW-001", details: { decision: "UD-1" } },
    });
    expect((await repository.run(["decide", "UD-1", "accept: wanted"])).status).toBe(0);
    const done = await complete();
    expect({ status: done.status, verdict: JSON.parse(done.stdout) }).toMatchObject({
      status: 0,
      verdict: { details: { state: "MERGED", proof: "proven" } },
    });
  });
});
