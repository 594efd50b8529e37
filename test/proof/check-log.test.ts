import { readFileSync, rmSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { foundRepository } from "../support/land-repository.ts";

/** A runner with a summary at its end, as most have. */
const suite = `const { f } = require("../f.js");
for (let at = 0; at < 60; at += 1) console.log("ok " + at + " - passes");
if (f === 2) { console.log("not ok 61 - is one\\n  ---\\n  error: |-\\n    2 !== 1\\n  ..."); process.exitCode = 1; }
for (let at = 0; at < 30; at += 1) console.log("# summary " + at);
`;
const failing = { "f.js": "exports.f = 2;\n" };

describe("a landing that is refused by a check", () => {
  it("shows the part that failed, and keeps the whole output under the name of the branch", async () => {
    using repository = foundRepository({ "test/f.test.js": suite });
    repository.branch("feature/two", failing);
    const { status, stdout } = await repository.run(["land", "feature/two"]);
    expect(status).toBe(2);
    const shown = /:\n([\s\S]*)\nfull output: (\S+)\n {9}or: lockstep log feature\/two --check 1\n/.exec(
      stdout,
    );
    expect(shown?.[1]).toBe("  not ok 61 - is one\n    error: |-\n      2 !== 1");
    const log = shown?.[2] ?? "";
    const whole = readFileSync(log, "utf8");
    for (const line of ["ok 0 - passes", "    2 !== 1", "# summary 29"])
      expect(whole.split("\n")).toContain(line);

    const listed = await repository.run(["log", "feature/two"]);
    expect(listed.stdout).toMatch(
      /^CHECK +COMMAND +ON +OUTCOME +OUTPUT\n1 +npm test +merged +fail +\/\S+\.log\n$/,
    );
    const all = await repository.run(["log", "feature/two", "--check", "1"]);
    expect(all).toMatchObject({ status: 0, stdout: whole });
    const document = await repository.run(["log", "feature/two", "--check", "1", "--json"]);
    expect(JSON.parse(document.stdout)).toMatchObject({
      check: 1,
      command: "npm test",
      outcome: "fail",
      exit: 1,
      log,
      output: whole,
    });

    const wrong = async (...words: string[]) => (await repository.run(["log", ...words])).stderr;
    expect(await wrong("feature/two", "--check", "2")).toContain("R-IN-001: `feature/two` has no check `2`");
    expect(await wrong("feature/two", "--check", "one")).toContain("has no check `one`");
    expect(await wrong("nobody", "--check", "1")).toContain("there is no task `nobody`");
    rmSync(log);
    expect(await wrong("feature/two", "--check", "1")).toContain("is no longer kept");
    expect((await repository.run(["log", "feature/two"])).stdout).toContain("no longer kept");
  });

  it("removes terminal control characters from the output of a check", async () => {
    using repository = foundRepository();
    repository.branch("work", { "f.js": "exports.f = 2;\n" });
    const nasty = "printf '\\033]0;title\\007a\\033[2Jb\\010c\\n'; exit 1";
    const { stdout } = await repository.run(["land", "work", "--check", nasty]);
    const { stdout: whole } = await repository.run(["log", "work", "--check", "2"]);
    for (const text of [stdout, whole]) {
      expect(text).toContain("ab c\n");
      // biome-ignore lint/suspicious/noControlCharactersInRegex: none of them may be printed
      expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f]/);
    }
    const json = await repository.run(["land", "work", "--check", nasty, "--json"]);
    expect(JSON.parse(json.stdout).refused.details).toMatchObject({
      check: 2,
      output: "ab\bc",
      log: expect.stringContaining("/logs/checks/"),
    });
  });

  it("because of the base shows the base's output, and a dry run keeps it too", async () => {
    using repository = foundRepository({
      "test/f.test.js": 'console.log("red already"); process.exit(1);\n',
    });
    repository.branch("work", failing);
    const { stdout } = await repository.run(["land", "work", "--dry-run"]);
    expect(stdout).toContain("  red already\n");
    for (const name of ["work", "main"])
      expect((await repository.run(["log", name, "--check", "1"])).stdout).toContain("red already\n");
    expect((await repository.run(["log", "main"])).stdout).toMatch(/^1 +npm test +base +fail +\/\S+\.log$/m);
  });
});

describe("a landing that is merged", () => {
  it("is found by the name of its branch by `diff` and `rollback task`", async () => {
    using repository = foundRepository();
    const land = async (branch: string, text: string) => {
      repository.branch(branch, { "g.js": text });
      return (await repository.land(branch)).landed.task;
    };
    expect(await land("feature/work", "exports.g = 2;\n")).toBe("land-feature-work");
    repository.git("branch", "-D", "feature/work");
    expect(await land("feature/work", "exports.g = 3;\n")).toBe("land-feature-work-2");
    expect((await repository.run(["diff", "feature/work"])).stdout).toContain("+exports.g = 3;");
    expect((await repository.run(["rollback", "task", "feature/work"])).stderr).toContain(
      "2 tasks are called `feature/work`: name one of them: `land-feature-work-2` (MERGED)",
    );
    expect(await land("other", "exports.g = 4;\n")).toBe("land-other");
    const { status, stdout } = await repository.run(["rollback", "task", "other"]);
    expect({ status, stdout }).toMatchObject({
      status: 0,
      stdout: expect.stringContaining("task land-other"),
    });
    expect((await repository.run(["rollback", "task", "feature/no"])).stderr).toContain(
      "R-IN-001: there is no task `feature/no`",
    );
  });

  it("has the failing output of its check on the base; the output of a pass is not kept, and the proof has no path", async () => {
    using repository = foundRepository();
    repository.branch("work", { "f.js": "exports.f = 2;\n" });
    const proves = "grep 2 f.js || { echo no two; exit 1; }";
    const { landed } = await repository.land("work", "--proves", proves);
    expect(landed).toMatchObject({ outcome: "merged", task: "land-work" });
    for (const name of ["land-work", "work"]) {
      expect((await repository.run(["log", name])).stdout).toMatch(
        /^1 +npm test +merged +pass\n2 +grep .* merged +pass +failed on the base: \/\S+\.log\n$/m,
      );
      expect((await repository.run(["log", name, "--check", "2"])).stdout).toBe("no two\n");
      expect((await repository.run(["log", name, "--check", "1"])).stderr).toContain(
        "check 1 (`npm test`) passed: output is kept only for failed checks",
      );
    }
    const note = repository.git("notes", "--ref=lockstep", "show", "HEAD");
    expect(note).toContain("no two");
    expect(note).not.toContain("/logs/checks/");
  });
});
