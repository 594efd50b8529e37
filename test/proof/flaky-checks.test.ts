import { rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { CheckKind } from "../../src/core/proof/check-record.ts";
import { Prover } from "../../src/proof/prover.ts";
import { ChecksProof } from "../../src/run/landing/checks/prove-checks.ts";
import { foundRepository, type LandRepository } from "../support/land-repository.ts";
import { provingGround } from "../support/proving-ground.ts";

/**
 * Fails as often as there are files in `.luck`, which is not part of the tree; never if `f.js` says that it is sure.
 */
const chance = `const { existsSync, readdirSync, rmSync } = require("node:fs");
const luck = process.env.HOME + "/.luck";
const [next] = existsSync(luck) && !require("../f.js").sure ? readdirSync(luck) : [];
console.log(next === undefined ? "fine" : "not ok 1 - came too late");
if (next !== undefined) { rmSync(luck + "/" + next); process.exitCode = 1; }
if (![1, 2].includes(require("../f.js").f)) process.exitCode = 1;
`;
const config = "workspace: { home: [.luck] }\n";

interface Chancy extends LandRepository {
  /** The next runs that fail. */
  fail(times: number): void;
}

function chancy(files: Readonly<Record<string, string>> = {}, more = ""): Chancy {
  const repository = foundRepository({
    "test/f.test.js": chance,
    ".lockstep/config.yaml": config + more,
    ...files,
  });
  const home = join(repository.path, "state");
  repository.write("state/.luck/.keep", "");
  rmSync(join(home, ".luck/.keep"));
  const env = { HOME: home };
  const run: LandRepository["run"] = (words) => repository.run(words, { env });
  const land: LandRepository["land"] = async (...words) => {
    const { status, stdout, stderr } = await run(["land", ...words, "--json"]);
    return { status, stderr, landed: JSON.parse(stdout) };
  };
  return {
    ...repository,
    run,
    land,
    fail: (times) => {
      for (let at = 0; at < times; at += 1) repository.write(`state/.luck/${at}`, "");
    },
  };
}

const sure = { "f.js": "exports.f = 1;\nexports.sure = true;\n" };
const flakyOutput = expect.stringContaining("came too late");

describe("a check that failed and passed on a tree", () => {
  it("shows the failure, is flaky for every later landing of the tree, and starts again with a new tree", async () => {
    using repository = chancy(sure);
    repository.branch("flaky", { "f.js": "exports.f = 2; // late\n" });
    repository.fail(1);
    const first = await repository.land("flaky");
    expect(first.status).toBe(2);
    expect(first.landed).toMatchObject({
      evidence: [{ outcome: "flaky", after: { exit: 1 }, again: { exit: 0 } }],
      refused: {
        reason: expect.stringContaining("failed (exit 1) and passed when it was retried"),
        details: { output: flakyOutput },
      },
    });
    const second = await repository.land("flaky");
    expect(second.status).toBe(2);
    expect(second.landed).toMatchObject({
      evidence: [{ outcome: "flaky", after: { exit: 0, earlier: { exit: 1 } } }],
      refused: {
        code: "R-PC-002",
        reason: expect.stringMatching(
          /passes now, but failed on the same tree \(exit 1, 20\d\d-\d\d-\d\dT.*checks\.flaky/,
        ),
        details: { output: flakyOutput, failed_at: expect.stringMatching(/^20/), log: expect.any(String) },
      },
    });
    expect((await repository.run(["log", "flaky", "--check", "1"])).stdout).toContain("came too late\n");
    expect((await repository.run(["audit", "verify"])).status).toBe(0);
    repository.git("checkout", "-q", "flaky");
    repository.write("f.js", "exports.f = 2; // in time\n");
    repository.git("commit", "-qam", "more");
    repository.git("checkout", "-q", "main");
    expect((await repository.land("flaky")).landed).toMatchObject({
      outcome: "merged",
      evidence: [{ outcome: "pass" }],
    });
  });

  it("is not fixed by landing again, not even after two failures, unless it is listed", async () => {
    using repository = chancy(sure);
    repository.branch("late", { "f.js": "exports.f = 2; // late\n" });
    repository.fail(2);
    expect((await repository.land("late")).landed).toMatchObject({ evidence: [{ outcome: "fail" }] });
    expect((await repository.land("late")).landed).toMatchObject({
      outcome: "refused",
      evidence: [{ outcome: "flaky" }],
    });
    repository.write(".lockstep/config.yaml", `${config}checks: { flaky: [npm test] }\n`);
    expect((await repository.land("late")).landed).toMatchObject({
      outcome: "merged",
      evidence: [{ outcome: "flaky" }],
    });
  });
});

describe("a base on which a check is flaky", () => {
  it("counts as passed, and is reported on the screen and in the record", async () => {
    using repository = chancy();
    repository.branch("work", { "f.js": "exports.f = 2;\n" });
    repository.fail(1);
    const { status, stdout, stderr } = await repository.run(["land", "work"]);
    expect(status, stderr).toBe(0);
    expect(stdout).toMatch(/^npm test +flaky +exit 0 +pass/m);
    expect(stdout).toContain("`npm test` is flaky on the base: it failed (exit 1, ");
    expect((await repository.run(["log", "work"])).stdout).toMatch(
      /^1 +npm test +merged +pass +failed on the base: /m,
    );
    expect(JSON.parse(repository.git("notes", "--ref=lockstep", "show", "HEAD")).evidence).toMatchObject([
      { outcome: "pass", before: { exit: 0, earlier: { exit: 1 } } },
    ]);
  });

  it("is remembered with its proof: a later failure reports it, and one without the proof does not", async () => {
    using repository = chancy();
    repository.branch("broken", { "f.js": "exports.f = 3;\n" });
    const refusal = async () => String(Object((await repository.land("broken")).landed.refused).reason);
    repository.branch("work", { "g.js": "" });
    repository.fail(1);
    expect((await repository.run(["land", "work"])).status).toBe(0);
    expect(await refusal()).toMatch(
      /\(exit 1\), and was flaky once before: fix .*, or, if the check is unreliable, list it under `checks\.flaky`$/,
    );
    using sureOne = chancy();
    sureOne.branch("broken", { "f.js": "exports.f = 3;\n" });
    expect((await sureOne.land("broken")).landed).toMatchObject({
      refused: { reason: expect.stringMatching(/\(exit 1\): fix the branch and land again$/) },
    });
  });

  /** The result of one check on a base on which its next runs fail. */
  async function prove({ kind = "project", fails, flaky = [], merged = "exit 0" }: CheckOptions) {
    using ground = provingGround({ "merged.sh": "exit 0\n" });
    const base = ground.git("rev-parse", "HEAD");
    ground.write("main/merged.sh", `${merged} # merged\n`);
    const commit = ground.commit();
    for (let at = 0; at < fails; at += 1) ground.write(`home/counts/${at}`, "");
    const messages: string[] = [];
    using prover = await Prover.open(ground.options);
    const checks = new ChecksProof({
      ...{ root: ground.options.root, prover, base, flaky },
      onProgress: (line) => messages.push(line),
    });
    const wanted = { command: unlucky, kind };
    const red = kind === "project" ? await checks.findRedBase([wanted]) : undefined;
    const change = { base, changed: ["merged.sh"] };
    const claim = { change, approves: async () => "refused" as const, ofRun: false };
    const proof =
      red === undefined ? await checks.prove(commit, [wanted], claim) : { refused: red, records: [] };
    return { ...proof, messages: messages.filter((line) => line.includes("flaky")), runs: messages.length };
  }
  const unlucky =
    'cd "$HOME/counts"; for f in *; do [ -e "$f" ] && rm "$f" && exit 1; done; cd - > /dev/null; sh merged.sh';
  interface CheckOptions {
    readonly kind?: CheckKind;
    readonly fails: number;
    readonly flaky?: readonly string[];
    readonly merged?: string;
  }

  it("is reported once, and not at all if the check is listed", async () => {
    const messages = await prove({ fails: 1 });
    expect(messages).toMatchObject({
      records: [{ outcome: "pass", before: { exit: 0, earlier: { exit: 1 } } }],
      messages: [expect.stringContaining("is flaky on the base")],
    });
    expect(await prove({ fails: 1, flaky: [unlucky] })).toMatchObject({
      records: [{ outcome: "pass" }],
      messages: [],
    });
  });

  it("does not excuse work that fails each time, and is red if it fails twice", async () => {
    const failed = await prove({ fails: 1, merged: "exit 4" });
    expect(failed).toMatchObject({
      refused: {
        reason: expect.stringMatching(
          /fails on the merged tree \(exit 4\), and is flaky on the base: .* list it under `checks\.flaky`$/,
        ),
      },
    });
    const red = await prove({ fails: 2 });
    expect(red).toMatchObject({
      records: [],
      refused: { reason: expect.stringContaining("already fails on the base") },
    });
  });

  it("does not prove a check that has to fail there; an acceptance check is not repeated", async () => {
    expect(await prove({ kind: "proves", fails: 1 })).toMatchObject({ records: [{ outcome: "vacuous" }] });
    expect(await prove({ kind: "proves", fails: 2 })).toMatchObject({
      records: [{ outcome: "pass", before: { exit: 1 } }],
    });
    expect(await prove({ kind: "acceptance", fails: 1 })).toMatchObject({
      records: [{ outcome: "pass", before: { exit: 1 } }],
      runs: 2,
    });
  });
});

describe("a flaky command of the gate", () => {
  const gate = "gate: { tests: { command: [node, test/f.test.js] } }\n";
  it.each([
    ["is refused with its failure", "", 2],
    ["passes where it is listed", 'checks: { flaky: ["node test/f.test.js"] }\n', 0],
  ])("%s", async (_name, listed, status) => {
    using repository = chancy({ "package.json": '{"scripts":{"test":"true"}}\n' }, gate + listed);
    repository.branch("work", { "f.js": "exports.f = 2;\n" });
    repository.fail(1);
    const landed = await repository.run(["land", "work"]);
    expect(landed.status, landed.stderr).toBe(status);
    if (status === 0) return;
    expect(landed.stderr).toContain("failed and passed on the same tree");
    expect(landed.stdout).toContain("  not ok 1 - came too late\n");
    expect((await repository.run(["log", "work", "--check", "2"])).stdout).toContain("came too late\n");
  });
});
