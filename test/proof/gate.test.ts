import { rmSync, symlinkSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { defaultConfig } from "../../src/contract/default-config.ts";
import { Prover, type ProverOptions } from "../../src/proof/prover.ts";
import { runGate, whyGateFails } from "../../src/run/landing/checks/run-gate.ts";
import { mergeTrees } from "../../src/workspace/git/merge-commits.ts";
import { readDiff } from "../../src/workspace/git/read-diff.ts";
import { provingGround } from "../support/proving-ground.ts";

type Edits = Readonly<Record<string, string | null>>;

/** A repository in which tasks work on branches, and the gate over the merge of all of them. */
function gatedRepository(files: Readonly<Record<string, string>>) {
  const ground = provingGround(files);
  const { git, place, write } = ground;
  const edit = (edits: Edits) => {
    for (const [path, text] of Object.entries(edits))
      if (text === null) rmSync(place(`main/${path}`));
      else write(`main/${path}`, text);
    return ground.commit();
  };
  const fork = git("rev-parse", "HEAD");
  const gate = async (
    tasks: Readonly<Record<string, Edits>>,
    set: Partial<typeof defaultConfig.gate> = {},
    setup: ProverOptions["setup"] = [],
  ) => {
    const base = git("rev-parse", "main");
    let result = base;
    const members = [];
    for (const [task, edits] of Object.entries(tasks)) {
      git("checkout", "-q", "-b", task, fork);
      const commit = edit(edits);
      members.push({ task, diff: await readDiff(place("main"), fork, commit) });
      const merged = await mergeTrees(place("main"), result, commit);
      if ("conflicts" in merged) throw new Error(merged.conflicts.join(", "));
      result = git("commit-tree", merged.tree, "-p", result, "-p", commit, "-m", task);
    }
    git("checkout", "-q", "main");
    using prover = await Prover.open({ ...ground.options, setup });
    const config = { ...defaultConfig.gate, ...set };
    const root = place("main");
    return runGate({ root, base, result, members, gate: config, prover, tested: true, onProgress: () => {} });
  };
  return { ...ground, edit, gate };
}

const findingsOf = (results: Awaited<ReturnType<typeof runGate>>) =>
  results.flatMap(({ check, findings }) =>
    findings.map(({ path, line = "", tasks = [] }) => `${check} ${path}:${line} ${tasks.join(" ")}`),
  );

describe("the gate over several tasks", () => {
  it("installs packages only for changes of imports", async () => {
    using repository = gatedRepository({ "a.ts": "" });
    const counting = [["sh", "-c", 'echo one >> "$HOME/counts/setups"']];
    await repository.gate({ "T-1": { "README.md": "a" } }, {}, counting);
    expect(repository.read("home/counts/setups")).toBeUndefined();
    await repository.gate({ "T-2": { "a.ts": "1" } }, {}, counting);
    expect(repository.read("home/counts/setups")).toBe("one\n");
  });

  it("accepts compatible changes", async () => {
    using repository = gatedRepository({ "a.ts": "", "b.ts": "" });
    const results = await repository.gate({ "T-1": { "a.ts": 'import "./b"' }, "T-2": { "b.ts": "1" } });
    expect(findingsOf(results)).toEqual([]);
    expect(whyGateFails(results)).toBeUndefined();
    expect(results[0]?.note).toBe("the changed files of 2 tasks were compared: 2");
  });

  it("reports files that it cannot parse as skipped, and accepts the rest", async () => {
    using repository = gatedRepository({ "a.py": "" });
    const set = { tests: "off" as const };
    const results = await repository.gate({ "T-1": { "a.py": "import gone" } }, set);
    expect(Object.fromEntries(results.map(({ check, result }) => [check, result]))).toEqual({
      file_conflict: "pass",
      tests: "not_configured",
      syntax: "skipped",
      imports: "skipped",
      conventions: "not_configured",
      cross_reference: "skipped",
    });
    expect(whyGateFails(results)).toBeUndefined();
  });

  it("finds a file that two of them modified, even if it merges cleanly", async () => {
    using repository = gatedRepository({ "a.txt": "1\n2\n3\n4\n5\n6\n" });
    const results = await repository.gate({
      "T-1": { "a.txt": "0\n2\n3\n4\n5\n6\n" },
      "T-2": { "a.txt": "1\n2\n3\n4\n5\n0\n" },
    });
    expect(findingsOf(results)).toEqual(["file_conflict a.txt: T-1 T-2"]);
    expect(whyGateFails(results)?.details).toMatchObject({
      failed: [{ check: "file_conflict", route: "serial" }],
    });
  });

  it("names the change that caused each finding", async () => {
    using repository = gatedRepository({
      "a.ts": "",
      "b.ts": "",
      "old.ts": 'import "./gone"',
      "gone.ts": "",
      "server.js": 'app.get("/api/users", list)',
      ".lockstep/systemPatterns.md": "no-log: rule: `console\\.log` in `**`: no\n",
    });
    const results = await repository.gate({
      "T-1": { "broken.ts": "(", "a.ts": 'import "./b"', "gone.ts": null },
      "T-2": { "b.ts": 'import "./a"; console.log(1)', "client.ts": 'fetch("/api/user")' },
    });
    expect(findingsOf(results)).toEqual([
      "syntax broken.ts:1 T-1",
      "imports old.ts:1 T-1",
      "imports a.ts:1 T-1 T-2",
      "conventions b.ts:1 T-2",
      "cross_reference client.ts:1 T-2",
    ]);
  });

  it("names no change if no single one is the cause", async () => {
    using repository = gatedRepository({ "a.txt": "" });
    const set = { syntax: { command: ["false"] as [string] } };
    const two = { "T-1": { "b.txt": "" }, "T-2": { "c.txt": "" } };
    expect(findingsOf(await repository.gate(two, set))).toEqual(["syntax .: "]);
    expect(findingsOf(await repository.gate({ "T-3": { "d.txt": "" } }, set))).toEqual(["syntax .: T-3"]);
  });
});

describe("the gate", () => {
  it("checks the merged tree, in which git applied a rename of the base", async () => {
    const text = "call();\n".repeat(20);
    using repository = gatedRepository({ "a.ts": text });
    repository.edit({ "a.ts": null, "renamed.ts": text });
    expect(findingsOf(await repository.gate({ "T-1": { "a.ts": `${text}(\n` } }))).toEqual([
      "syntax renamed.ts:22 T-1",
    ]);
  });

  it("finds an error in an unchanged file that a deletion causes", async () => {
    using repository = gatedRepository({ "src/a.ts": "", "src/b.ts": 'import "./a.js"', "c.ts": "" });
    const results = await repository.gate({ "T-1": { "src/a.ts": null }, "T-2": { "c.ts": "1" } });
    expect(findingsOf(results)).toEqual(["imports src/b.ts:1 T-1"]);
  });

  it("finds a cycle that two changes close through unchanged files", async () => {
    using repository = gatedRepository({
      "a.ts": "",
      "b.ts": 'import "./c"',
      "c.ts": "",
      "d.ts": 'import "./a"',
    });
    const results = await repository.gate({
      "T-1": { "a.ts": 'import "./b"' },
      "T-2": { "c.ts": 'import "./d"' },
    });
    expect(findingsOf(results)).toEqual(["imports a.ts:1 T-1 T-2"]);
  });

  it("treats everything behind a link as unknown", async () => {
    using repository = gatedRepository({ "shared/x.ts": "", "src/a.ts": "", "src/other.ts": "" });
    symlinkSync("../shared", repository.place("main/src/lib"));
    symlinkSync("other.ts", repository.place("main/src/same.ts"));
    const edits = { "src/a.ts": 'import "./lib/x"; import "./same"; import "./other.ts/x"' };
    expect(await repository.gate({ "T-1": edits })).toContainEqual(
      expect.objectContaining({
        check: "imports",
        findings: [expect.objectContaining({ message: expect.stringContaining("`./other.ts/x`") })],
      }),
    );
  });

  it("blames no branch for invalid rules of the base, and names their line", async () => {
    using repository = gatedRepository({
      ".lockstep/systemPatterns.md": "# Rules\n\nrule: `(` in `src/**`: no\n",
    });
    await expect(repository.gate({ "T-1": { "a.ts": "1" } })).rejects.toMatchObject({
      code: "E-CONFIG",
      message: expect.stringMatching(/^\.lockstep\/systemPatterns\.md:3: regex `\(` cannot be used/),
    });
    expect(findingsOf(await repository.gate({ "T-2": { "a.ts": "1" } }, { conventions: "off" }))).toEqual([]);
  });
});
