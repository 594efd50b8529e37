import { describe, expect, it } from "vitest";
import { answerWords } from "../../src/cli/run-view/run-watcher.ts";
import { answer, planned, planText, task, writes } from "../support/planned-repository.ts";
import { eventually } from "../support/run-command.ts";

const timed = /^\d\d:\d\d:\d\d /;

describe("the plain lines of a run", () => {
  it("have a time, the attempt, an answer in words, and each refusal once", async () => {
    using repository = planned({
      agents: { a: [[answer("OK")], [writes("A"), answer("OK")]] },
      tasks: [task("A", "a")],
    });
    const { status, stderr } = await repository.run(["run"]);
    expect(status, stderr).toBe(0);
    const [, own = ""] = stderr.trimEnd().split(/^.* isolation: .*\n/m);
    const lines = own.split("\n").filter((line) => !/agents run without a sandbox|^board: /.test(line));
    expect(lines.filter((line) => !timed.test(line))).toEqual([]);
    const printed = lines.map((line) => line.replace(timed, "")).filter((line) => !/^ |^·/.test(line));
    const nothing =
      "the work was handed in as done, but no file was changed: do the work, or report what blocks it";
    expect(printed).toEqual([
      "A  started by a",
      "A  answered OK: said so",
      "A  handed in",
      `A  refused, R-PC-003: ${nothing}`,
      "A#2  started by a",
      `A#2  to fix: ${nothing}`,
      "A#2  answered OK: said so",
      "A#2  handed in",
      "A#2  merged",
    ]);
    const steps = lines.map((line) => line.replace(timed, ""));
    expect(steps.filter((line, at) => line.startsWith("·") && line === steps[at - 1])).toEqual([]);
  });

  it("give the reason of every refused attempt, even if it is always the same", async () => {
    using repository = planned({
      agents: { a: [["write: { path: out.txt, text: x }", answer("OK")]] },
      tasks: [task("A", "a")],
    });
    const { stderr } = await repository.run(["run"]);
    const names = stderr.split("\n").filter((line) => line.includes("R-PO-002: the work changes"));
    expect([...new Set(names.map((line) => line.split(" ")[1]))]).toEqual(["A", "A#2", "A#3"]);
  });

  it("of another session's task have that session's name, and a watching run prints the same words", async () => {
    using repository = planned({
      agents: {
        a: [["say: begun", "sleep: 3", writes("A"), answer("OK")]],
        b: [[writes("B"), answer("OK")]],
      },
      tasks: [task("A", "a")],
      files: { "other.yaml": planText([task("B", "b")], "other") },
      config: "limits: { batching: continuous }\n",
    });
    using first = repository.start(["run"]);
    await eventually("its agent", () => (first.errors().includes("begun") ? true : undefined));
    const other = await repository.run(["run", "other.yaml"]);
    expect(other.status, other.stderr).toBe(0);
    expect(other.stderr).toMatch(/ B {2}in progress\n/);
    const { stderr } = await first.ended;
    expect(stderr).toMatch(/ \d{4}-\d\d-\d\d_other\/B {2}started by b\n/);
    expect(stderr).toMatch(/ A {2}started by a\n/);
  });
});

describe("the text for an agent's answer", () => {
  it.each([
    ['{"status":"BLOCKED","summary":"no \\"key\\""}', 'answered BLOCKED: no "key"'],
    ['{"status":"OK"}', "answered OK"],
    ['{"a":1}', undefined],
    ["{ not JSON }", undefined],
    ['qa: {"status":"OK","summary":"tried it"}', "qa answered OK: tried it"],
    ["qa: I am done", undefined],
  ])("of %s is %s", (text, words) => {
    expect(answerWords(text)).toBe(words);
  });
});
