import { describe, expect, it } from "vitest";
import { readRoleAnswer } from "../../src/clients/answer/read-role-answer.ts";
import { roleNames } from "../../src/core/names/roles.ts";

interface AnswerParts {
  readonly artifacts?: unknown;
  readonly gates?: unknown;
  readonly [key: string]: unknown;
}

const answer = (status: string, { artifacts = {}, gates = {}, ...more }: AnswerParts = {}) => ({
  status,
  summary: "done so far",
  artifacts,
  gates: { meets_definition_of_done: true, ...(gates as object) },
  next: { recommended_agent: "Coder", recommended_task_id: "same", reason: "x" },
  ...more,
});
const read = (given: unknown, role: string) => readRoleAnswer(given, { role });
const statusOf = (given: unknown, role: string) => (read(given, role) as { status?: string }).status;

describe("a role's answer", () => {
  it("has all of its parts, and empty lists for missing ones", () => {
    const artifacts = {
      files_to_create_or_update: ["README.md"],
      files_changed: ["src/a.ts"],
      commands_to_run: ["npm test"],
      notes: ["a note"],
      manual_steps: ["open /prices and look"],
      tests_added_or_updated: ["test/price.test.ts"],
      findings: ["low: slow"],
      research_summary: "other keys are fine",
      options: [{ name: "a" }],
    };
    const gates = { needs_review: true, needs_tests: true, security_concerns: ["none seen"] };
    expect(read(answer("OK", { artifacts, gates }), "Docs")).toEqual({
      status: "OK",
      summary: "done so far",
      next: { agent: "Coder", task: "meta", reason: "x" },
      findings: ["low: slow", "none seen"],
      questions: [],
      filesToUpdate: ["README.md"],
      commands: ["npm test"],
      notes: ["a note"],
      manualSteps: ["open /prices and look"],
      gates: {
        meetsDefinitionOfDone: true,
        needsReview: true,
        needsTests: true,
        securityConcerns: ["none seen"],
      },
    });
    expect(read({ ...answer("OK"), artifacts: undefined }, "Docs")).toMatchObject({
      ...{ findings: [], filesToUpdate: [], commands: [], notes: [], manualSteps: [] },
    });
  });

  it.each([
    ["manual_steps", "not a list", "a list of at most 10000 texts"],
    ["manual_steps", { first: "look" }, "a list of at most 10000 texts"],
    ["manual_steps", ["look", 2], "a list of at most 10000 texts"],
    ["tests_added_or_updated", "test/a.test.ts", "a list of at most 10000 one-line texts"],
    ["tests_added_or_updated", ["a\nb"], "a list of at most 10000 one-line texts"],
  ])("with `artifacts.%s` as %j is refused with the expected form", (name, value, wanted) => {
    for (const role of ["Coder", "QA", "Docs"])
      expect(read(answer("OK", { artifacts: { [name]: value } }), role), role).toEqual({
        invalid: expect.stringContaining(`\`artifacts.${name}\` is malformed: give ${wanted}`),
      });
  });

  it.each(["OK", "BLOCKED", "FAIL"])("may be %s from every role", (status) => {
    for (const role of [...roleNames, "Translator"])
      expect(statusOf(answer(status), role), role).toBe(status);
  });

  it.each([
    ["NEEDS_INFO", "Researcher"],
    ["NEEDS_DECISION", "Security"],
  ])("may be %s from %s only", (status, asker) => {
    for (const role of roleNames) {
      if (role === asker) expect(statusOf(answer(status), role)).toBe(status);
      else
        expect(read(answer(status), role)).toEqual({
          invalid: `only ${asker} may answer \`${status}\`: answer \`BLOCKED\` with the reason`,
        });
    }
  });

  it.each<[string, unknown, string]>([
    ["no JSON", undefined, "no JSON object"],
    ["another word", answer("DONE"), "`status` is `DONE`"],
    ["no summary", answer("OK", { summary: " " }), "summary"],
    ["no gates", answer("OK", { gates: { meets_definition_of_done: null } }), "meets_definition_of_done"],
    ["no next", answer("OK", { next: null }), "next.recommended_agent"],
    [
      "a name in another spelling",
      answer("OK", { next: { recommended_agent: "spec-agent" } }),
      "`SpecAgent`",
    ],
    ["a text for a list", answer("OK", { artifacts: { notes: "a" } }), "notes"],
    ["a number as a finding", answer("OK", { artifacts: { findings: [1] } }), "artifacts.findings"],
    [
      "a path over two lines",
      answer("OK", { artifacts: { files_to_create_or_update: ["a\nb"] } }),
      "files_to",
    ],
    [
      "the form of a hook",
      { status: "done", changes: [], acceptance_check: [], worklog_path: "w", notes_for_orchestrator: [] },
      "`gates`",
    ],
    [
      "a call for help",
      { escalation: { reason: "no access", attemptedPaths: ["a"], blockers: ["b"] } },
      "`gates`",
    ],
  ])("with %s is refused with a reason that names the fault", (_, given, part) => {
    expect(read(given, "Architect")).toEqual({ invalid: expect.stringContaining(part) });
  });

  it("lists each finding in one line, whether it is a text or an object", () => {
    const artifacts = {
      findings: [
        "low: two\n  lines",
        {
          severity: "low",
          category: "privacy",
          file: "src/log.ts",
          description: "names",
          recommended_fix: "mask",
        },
        { code: 7 },
      ],
      review_comments: [
        { severity: "nit", category: null, file: "a.ts", line: 3, message: "a name", suggested_fix: "b" },
        { severity: "nit", message: "no place" },
        "low: two lines",
        " ",
      ],
    };
    expect(read(answer("OK", { artifacts }), "Reviewer")).toMatchObject({
      status: "OK",
      findings: [
        "low: two lines",
        "low: src/log.ts: [privacy] names; mask",
        '{"code":7}',
        "nit: a.ts:3: a name; b",
        "nit: no place",
      ],
    });
  });

  it("keeps fifty findings, and counts a blocking one at any position", () => {
    const findings = [...Array.from({ length: 60 }, (_, index) => `low: ${index}`), "high: last"];
    expect(read(answer("OK", { artifacts: { findings } }), "Reviewer")).toMatchObject({
      status: "BLOCKED",
      findings: findings.slice(0, 50),
    });
  });
});

const finding = (severity: string) => ({ findings: [{ severity, description: "x" }] });
const comment = (severity: string) => ({ review_comments: [{ severity, message: "x" }] });

describe("the findings decide, not the status", () => {
  it.each<[string, string, unknown, string]>([
    ["Reviewer", "OK", comment("nit"), "OK"],
    ["Reviewer", "OK", comment("minor"), "OK"],
    ["Reviewer", "OK", comment("major"), "BLOCKED"],
    ["Reviewer", "FAIL", comment("Blocker"), "BLOCKED"],
    ["Reviewer", "OK", { verdict: "PASS WITH NOTES" }, "OK"],
    ["Reviewer", "OK", { verdict: "NEEDS FIXES" }, "BLOCKED"],
    ["Reviewer", "OK", { verdict: "needs_fixes" }, "BLOCKED"],
    ["Reviewer", "BLOCKED", comment("nit"), "BLOCKED"],
    ["Security", "OK", finding("low"), "OK"],
    ["Security", "OK", finding("medium"), "NEEDS_DECISION"],
    ["Security", "OK", finding("high"), "BLOCKED"],
    ["Security", "NEEDS_DECISION", finding("critical"), "BLOCKED"],
    ["Security", "BLOCKED", finding("medium"), "BLOCKED"],
    ["QA", "OK", { test_results: { passed: 3, failed: 0 } }, "OK"],
    ["QA", "OK", { test_results: { passed: 3, failed: 2 } }, "BLOCKED"],
    ["QA", "OK", { test_results: { failed: ["a test"] } }, "BLOCKED"],
    ["QA", "OK", { test_results: { failed: "1" } }, "BLOCKED"],
    ["QA", "OK", finding("medium"), "OK"],
    ["Architect", "OK", finding("high"), "OK"],
  ])("%s says %s with %j: %s", (role, status, artifacts, counts) => {
    expect(statusOf(answer(status, { artifacts }), role)).toBe(counts);
  });

  it("work that does not meet its definition of done is not OK for reviewing roles", () => {
    const undone = answer("OK", { gates: { meets_definition_of_done: false } });
    for (const role of ["Reviewer", "QA", "Security"]) expect(statusOf(undone, role)).toBe("BLOCKED");
    expect(statusOf(undone, "SpecAgent")).toBe("OK");
  });

  it("failed tests are listed with their output", () => {
    const artifacts = { test_results: { passed: 1, failed: 2, output: "FAIL a\nFAIL b" } };
    expect(read(answer("OK", { artifacts }), "QA")).toMatchObject({
      findings: ["high: 2 tests failed: FAIL a FAIL b"],
    });
  });
});

describe("questions for a person", () => {
  it.each<[string, string, string, unknown, readonly string[]]>([
    [
      "those that were asked",
      "NEEDS_INFO",
      "Researcher",
      { questions: ["a?", { question: "b?" }] },
      ["a?", "b?"],
    ],
    ["else the notes", "NEEDS_INFO", "Researcher", { questions: [], notes: ["which one"] }, ["which one"]],
    ["else the summary", "NEEDS_INFO", "Researcher", {}, ["done so far"]],
    [
      "the findings for Security",
      "OK",
      "Security",
      { findings: ["low: a", "medium: b"], notes: ["looked"] },
      ["medium: b"],
    ],
    ["none if the status asks nothing", "OK", "Researcher", { questions: ["a?"] }, []],
  ])("are %s", (_, status, role, artifacts, questions) => {
    expect(read(answer(status, { artifacts }), role)).toMatchObject({ questions });
  });
});
