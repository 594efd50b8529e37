import { symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse, stringify } from "yaml";
import { readCriterion } from "../../src/core/proof/criterion.ts";
import { loadPlan } from "../../src/workspace/plan/load-plan.ts";
import { planLinesAt, planLinesOf, someAgents, taskText } from "../support/loaded-plan.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

/** The example of the interface, with every field. */
const example = `project: { name: shop, definition_of_done: [all tests pass] }
tasks:
  - id: T-001
    status: not-started
    title: Price rounding
    goal: Round prices half-even to two digits
    type: product                 # key of task_types
    agent: coder
    depends_on: []
    lock_scope: [src/price, test/price.test.ts]
    forbidden_scope: []
    uses: [database]
    forbidden_actions: []
    acceptance_checks: ["cmd: npm test", "manual: copy reads well"]
    proves: ["npm test -- price"]
    may_change_tests: [test/price.test.ts]
    evidence: [unit_test_output]
    risk_flags: [none]
    timeout_seconds: 900
    heartbeat_interval_seconds: 60
    non_goals: [other currencies]
    constraints: [no new dependency]
    context_files: [.agents-work/2026-01-31_shop/spec.md]
    files_expected: [src/price/round.ts]
    done_when: [prices in the report have two digits]
    skip_pr: true
`;

function planOf(text: string) {
  using folder = temporaryFolder({ "tasks.yaml": text });
  const loaded = loadPlan("tasks.yaml", folder.path, someAgents);
  if ("faults" in loaded) throw new Error(JSON.stringify(loaded.faults));
  return loaded.plan;
}

describe("a plan", () => {
  it.each(["feat", "fix", "refactor", "chore", "test", "docs"])(
    "may name the type of a task %s, as commits do",
    (type) => {
      expect(planOf(example.replace("type: product", `type: ${type}`)).tasks[0]?.type).toBe(type);
    },
  );

  it("is read completely", () => {
    expect(planOf(example)).toEqual({
      project: { name: "shop", definition_of_done: ["all tests pass"] },
      tasks: [
        {
          id: "T-001",
          status: "not-started",
          title: "Price rounding",
          goal: "Round prices half-even to two digits",
          type: "product",
          agent: "coder",
          depends_on: [],
          lock_scope: ["src/price", "test/price.test.ts"],
          forbidden_scope: [],
          uses: ["database"],
          forbidden_actions: [],
          acceptance_checks: ["cmd: npm test", "manual: copy reads well"],
          proves: ["npm test -- price"],
          may_change_tests: ["test/price.test.ts"],
          evidence: ["unit_test_output"],
          risk_flags: ["none"],
          timeout_seconds: 900,
          heartbeat_interval_seconds: 60,
          non_goals: ["other currencies"],
          constraints: ["no new dependency"],
          context_files: [".agents-work/2026-01-31_shop/spec.md"],
          files_expected: ["src/price/round.ts"],
          done_when: ["prices in the report have two digits"],
          skip_pr: true,
          label: null,
        },
      ],
    });
  });

  it("needs only the goals and how they are checked", () => {
    const [task] = planOf(
      `tasks:\n${taskText("a_b-1").replace("do it", "|\n      First\tline\n      second")}`,
    ).tasks;
    expect(task).toMatchObject({
      id: "a_b-1",
      status: "not-started",
      title: "First line",
      goal: "First\tline\nsecond\n",
      agent: null,
      lock_scope: ["."],
      risk_flags: ["none"],
      timeout_seconds: 900,
    });
  });

  it.each([
    [900, 60],
    [180, 60],
    [60, 20],
    [2, 1],
  ])("derives the heartbeat from a timeout of %i s", (timeout, beat) => {
    const [task] = planOf(`tasks:\n${taskText("A", `    timeout_seconds: ${timeout}\n`)}`).tasks;
    expect(task).toMatchObject({ timeout_seconds: timeout, heartbeat_interval_seconds: beat });
  });

  it("may have tasks whose scopes overlap, and forbid a part of a scope", () => {
    const text = `tasks:\n${taskText("A", "    lock_scope: [src]\n    forbidden_scope: [src/secret, docs]\n")}${taskText("B", "    lock_scope: [src]\n")}`;
    expect(planLinesOf(text)).toEqual([]);
  });

  it.each([
    ['"x \\e[31mred"', "remove U+001B, character 3 of the text"],
    ['"\\0"', "remove U+0000, character 1 of the text"],
    ['" "', "a string that is not blank"],
  ])("with a control character in the goal %s is refused with its position", (goal, expected) => {
    const lines = planLinesOf(`tasks:\n${taskText("A").replace("do it", goal)}`);
    expect(lines).toEqual([expect.stringContaining(expected)]);
  });

  it("may name a role for an agent", () => {
    expect(planLinesOf(`tasks:\n${taskText("A", "    agent: QA\n")}`)).toEqual([]);
  });

  it("is read through a link and from outside the project", () => {
    using folder = temporaryFolder({ "elsewhere/plan.yaml": example, "project/.git/HEAD": "" });
    const root = join(folder.path, "project");
    symlinkSync("../elsewhere/plan.yaml", join(root, "tasks.yaml"));
    expect(planLinesAt("tasks.yaml", root)).toEqual([]);
    expect(planLinesAt(join(folder.path, "elsewhere/plan.yaml"), root)).toEqual([]);
  });
});

describe("a scope with paths that no agent may write", () => {
  const faultsOf = (scope: string, file = "tasks.yaml") => {
    using folder = temporaryFolder({ [file]: `tasks:\n${taskText("A", `    lock_scope: ["${scope}"]\n`)}` });
    return planLinesAt(file, folder.path);
  };
  const copy = ".agents-work/2026-01-31_shop/tasks.yaml";

  it.each([
    [".git/hooks", ".git"],
    [".lockstep", ".lockstep"],
    [".Claude/**", ".claude"],
    ["{.codex,.gemini}/*.json", ".codex"],
    [".github/hooks/x", ".github/hooks"],
    ["vendor/*/.git/config", ".git"],
    [".agents-work/2026-01-30_other/spec.md", ".agents-work/2026-01-30_other"],
  ])("is refused for a task: %s", (scope, closed) => {
    for (const file of ["tasks.yaml", copy])
      expect(faultsOf(scope, file)).toEqual([
        `${file}:5:18: \`tasks[0].lock_scope[0]\` is \`${scope}\`: expected a path outside \`${closed}\`, which no task may write`,
      ]);
  });

  it.each([".", "**", ".agents-work", ".github", "{.git,src}/**", ".gitignore", ".*"])(
    "may be part of a wider one: %s",
    (scope) => expect(faultsOf(scope)).toEqual([]),
  );

  it("does not include the session's own folder", () =>
    expect(faultsOf(".agents-work/2026-01-31_shop/notes.md", copy)).toEqual([]));
});

describe("a mistake in a plan", () => {
  it.each<[string, string, string]>([
    [
      "an unknown key",
      "    lock_scopes: [src]\n",
      "5:5: `tasks[0].lock_scopes` is not a known key: did you mean `lock_scope`?",
    ],
    [
      "an unknown status",
      "    status: done\n",
      "5:13: `tasks[0].status` is `done`: expected one of `not-started`, `in-progress`, `implemented`, `completed`, `blocked`",
    ],
    ["an unknown agent", "    agent: codr\n", "5:12: `tasks[0].agent` is `codr`: did you mean `coder`?"],
    [
      "an agent without a similar one",
      "    agent: zzz\n",
      "5:12: `tasks[0].agent` is `zzz`: expected a configured agent or role: `coder`, `tests`, `Coder`, `QA`",
    ],
    [
      "an agent that its type is not for",
      "    type: product\n    agent: tests\n",
      "6:12: `tasks[0].agent` is `tests`: expected an agent that may do `product`: `coder`, `Coder`",
    ],
    ["an unknown type", "    type: prodct\n", "5:11: `tasks[0].type` is `prodct`: did you mean `product`?"],
    [
      "an unknown dependency",
      "    depends_on: [B]\n",
      "5:18: `tasks[0].depends_on[0]` is `B`: expected a task of this plan: `A`",
    ],
    [
      "a dependency on itself",
      "    depends_on: [A]\n",
      "5:18: `tasks[0].depends_on[0]` is `A`: expected no circle: A → A",
    ],
    [
      "a scope that leaves the project",
      "    lock_scope: [src, ../other]\n",
      "5:23: `tasks[0].lock_scope[1]` is `../other`: expected a path or glob inside the project (it leaves the project)",
    ],
    [
      "a scope that is blank",
      '    lock_scope: [" "]\n',
      "5:18: `tasks[0].lock_scope[0]` is blank: expected a path or glob inside the project (the path is blank)",
    ],
    [
      "a scope that is a number",
      "    forbidden_scope: [3]\n",
      "5:23: `tasks[0].forbidden_scope[0]` is `3`: expected a path or glob inside the project",
    ],
    [
      "an empty scope",
      "    lock_scope: []\n",
      "5:17: `tasks[0].lock_scope` is an empty list: expected at least one path, or leave the key out for the whole repository",
    ],
    [
      "a forbidden scope that is the lock",
      "    lock_scope: [src]\n    forbidden_scope: [./src/]\n",
      "6:23: `tasks[0].forbidden_scope[0]` is `./src/`: expected a part of `src` in `lock_scope`, and not all of it",
    ],
    [
      "a forbidden scope that contains the lock",
      "    lock_scope: [docs, src/a]\n    forbidden_scope: [x, 'src/**']\n",
      "6:26: `tasks[0].forbidden_scope[1]` is `src/**`: expected a part of `src/a` in `lock_scope`, and not all of it",
    ],
    [
      "a forbidden scope that is all of the repository",
      "    forbidden_scope: [.]\n",
      "5:23: `tasks[0].forbidden_scope[0]` is `.`: expected a part of `.` in `lock_scope`, and not all of it",
    ],
    [
      "a heartbeat that is too slow",
      "    timeout_seconds: 60\n    heartbeat_interval_seconds: 60\n",
      "6:33: `tasks[0].heartbeat_interval_seconds` is `60`: expected less than `timeout_seconds`, which is 60",
    ],
    [
      "a timeout with no room for a heartbeat",
      "    timeout_seconds: 1\n",
      "5:22: `tasks[0].timeout_seconds` is `1`: expected a whole number above 1",
    ],
    [
      "a placeholder in the place of the session",
      "    context_files: [.agents-work/<session>/spec.md]\n",
      "5:21: `tasks[0].context_files[0]` is `.agents-work/<session>/spec.md`: expected a path with the name of the session instead of a placeholder",
    ],
    [
      "`none` among risks",
      "    risk_flags: [security, none]\n",
      "5:28: `tasks[0].risk_flags[1]` is `none`: expected no other flag together with this one",
    ],
    [
      "an unknown risk",
      "    risk_flags: [performance]\n",
      "5:18: `tasks[0].risk_flags[0]` is `performance`: expected one of `security`, `perf`, `breaking-change`, `none`",
    ],
  ])("is %s", (_, more, line) => {
    expect(planLinesOf(`tasks:\n${taskText("A", more)}`)).toEqual([line]);
  });

  it("is a missing goal: the fault says what to write", () => {
    expect(planLinesOf('tasks:\n  - id: A\n    acceptance_checks: ["cmd: x"]\n')).toEqual([
      "2:5: `tasks[0].goal` is missing: expected a string that is not blank: write `goal: …`",
    ]);
  });

  it("suggests no dependency whose id has the wrong form", () => {
    const text = `tasks:\n${taskText("A", "    depends_on: [B-9]\n")}${taskText("B 9", "")}`;
    expect(planLinesOf(text)[0]).toBe(
      "5:18: `tasks[0].depends_on[0]` is `B-9`: expected a task of this plan: `A`",
    );
  });

  it.each<[string, string, string]>([
    [
      "no id",
      "1a",
      "2:9: `tasks[0].id` is `1a`: expected an id: a letter, then letters, digits, `-` and `_`, at most 100, and not the reserved word meta",
    ],
    [
      "a number",
      "17",
      "2:9: `tasks[0].id` is `17`: expected an id: a letter, then letters, digits, `-` and `_`, at most 100, and not the reserved word meta",
    ],
    ...["meta", "Meta"].map((id): [string, string, string] => [
      `the session's own, ${id}`,
      id,
      `2:9: \`tasks[0].id\` is \`${id}\`: expected an id: a letter, then letters, digits, \`-\` and \`_\`, at most 100, and not the reserved word meta`,
    ]),
  ])("is an id that is %s", (_, id, line) => {
    expect(planLinesOf(`tasks:\n${taskText(id)}`)).toEqual([line]);
  });

  it.each<[string, string, string]>([
    [
      "empty",
      "[]",
      '4:24: `tasks[0].acceptance_checks` is an empty list: expected at least one check, such as "cmd: npm test"',
    ],
    [
      "without a kind",
      "[npm test]",
      '4:25: `tasks[0].acceptance_checks[0]` is `npm test`: expected a check in quotes: "cmd: npm test" is run, "manual: it reads well" is decided by a person',
    ],
    [
      "a map because quotes are missing",
      "[cmd: npm test]",
      '4:25: `tasks[0].acceptance_checks[0]` is a map: expected a check in quotes: "cmd: npm test" is run, "manual: it reads well" is decided by a person',
    ],
    [
      "nothing after its kind",
      '["cmd: "]',
      '4:25: `tasks[0].acceptance_checks[0]` is `cmd: `: expected a check in quotes: "cmd: npm test" is run, "manual: it reads well" is decided by a person',
    ],
  ])("is acceptance that is %s", (_, checks, line) => {
    expect(planLinesOf(`tasks:\n${taskText("A").replace('["cmd: true"]', checks)}`)).toEqual([line]);
  });

  it.each<[boolean, string]>([
    [true, "cmd:npm test"],
    [true, " Cmd :  npm test"],
    [true, "MANUAL: looks good"],
    [false, "cmd npm test"],
    [false, "command: npm test"],
    [false, "cmd : "],
    [false, "\u00a0cmd: npm test"],
  ])("is not a check with its kind (%s): %j", (taken, check) => {
    const lines = planLinesOf(`tasks:\n${taskText("A").replace('["cmd: true"]', JSON.stringify([check]))}`);
    expect(lines).toHaveLength(taken ? 0 : 1);
    if (taken) expect(readCriterion(check).kind).not.toBe("claim");
  });

  it.each(["id", "goal", "acceptance_checks"])("is a task without %s", (key) => {
    const [task] = (parse(`tasks:\n${taskText("A")}`) as { tasks: Record<string, unknown>[] }).tasks;
    expect(planLinesOf(stringify({ tasks: [{ ...task, [key]: undefined }] }))).toEqual([
      expect.stringContaining(`\`tasks[0].${key}\` is missing: expected `),
    ]);
  });

  it("is a duplicate id", () => {
    expect(planLinesOf(`tasks:\n${taskText("A")}${taskText("B")}${taskText("A")}`)).toEqual([
      "8:9: `tasks[2].id` is `A`: expected a unique id: the task in line 2 has the same id",
    ]);
  });

  it("is an id that differs only in case: on some disks their branches would be the same", () => {
    expect(planLinesOf(`tasks:\n${taskText("Price")}${taskText("B")}${taskText("pRICE")}`)).toEqual([
      "8:9: `tasks[2].id` is `pRICE`: expected a unique id: the task in line 2 has the id `Price`, and case is ignored",
    ]);
  });

  it("is a circle of dependencies, which is shown", () => {
    const text = `tasks:\n${taskText("A", "    depends_on: [D, B]\n")}${taskText("B", "    depends_on: [C]\n")}${taskText("C", "    depends_on:\n      - D\n      - A\n")}${taskText("D")}`;
    expect(planLinesOf(text)).toEqual([
      "15:9: `tasks[2].depends_on[1]` is `A`: expected no circle: A → B → C → A",
    ]);
  });

  it("is a task without an agent if several are possible and none is a coder", () => {
    const known = { agents: { a: { role: "QA" }, b: { role: "Docs" } }, taskTypes: {} };
    expect(planLinesOf(`tasks:\n${taskText("A")}`, known)).toEqual([
      "2:5: `tasks[0].agent` is missing: expected a configured agent or role: `a`, `b`, `QA`, `Docs`",
    ]);
    expect(planLinesOf(`tasks:\n${taskText("A")}`, { agents: {}, taskTypes: {} })).toEqual([]);
  });

  it("is reported with all others in the order of the lines, as E-PLAN", () => {
    using folder = temporaryFolder({
      "tasks.yaml": `projct: {}\ntasks:\n${taskText("A", "    depends_on: [B, X]\n    lock_scope: [/etc]\n")}${taskText("B", "    agent: nobody\n    depends_on: [A]\n    timeout_seconds: soon\n")}`,
    });
    expect(loadPlan("tasks.yaml", folder.path, someAgents)).toMatchObject({ code: "E-PLAN" });
    expect(
      planLinesAt("tasks.yaml", folder.path).map((line) => line.split(": ").slice(0, 2).join(": ")),
    ).toEqual([
      "tasks.yaml:1:1: `projct` is not a known key",
      "tasks.yaml:6:21: `tasks[0].depends_on[1]` is `X`",
      "tasks.yaml:7:18: `tasks[0].lock_scope[0]` is `/etc`",
      "tasks.yaml:11:12: `tasks[1].agent` is `nobody`",
      "tasks.yaml:12:18: `tasks[1].depends_on[0]` is `A`",
      "tasks.yaml:13:22: `tasks[1].timeout_seconds` is `soon`",
    ]);
  });

  it("is reported with the nearest name, even among many", () => {
    const many = Array.from({ length: 60 }, (_, index) => taskText(`task-number-${index + 10}`)).join("");
    expect(planLinesOf(`tasks:\n${many}${taskText("Last", "    depends_on: [tsk-number-57]\n")}`)).toEqual([
      "185:18: `tasks[60].depends_on[0]` is `tsk-number-57`: did you mean `task-number-57`?",
    ]);
  });
});

describe("a file that is not a plan", () => {
  it.each<[string, string, string]>([
    ["no YAML", "tasks: [\n", "tasks.yaml:2:1: this is not plain YAML"],
    ["empty", "", "tasks.yaml:1:1: `tasks` is missing: expected a list of tasks"],
    ["a list", "- a\n", "tasks.yaml:1:1: the file is a list: expected a map"],
    ["without tasks", "tasks: []\n", "tasks.yaml:1:8: `tasks` is an empty list: expected at least one task"],
    [
      "of two documents",
      "tasks: []\n---\ntasks: []\n",
      "tasks.yaml:2:1: a second document starts here: expected one document",
    ],
    [
      "with an alias",
      `tasks:\n${taskText("A", "    title: &a x\n    goal: *a\n").replace("    goal: do it\n", "")}`,
      "tasks.yaml:5:11: `*a` is an alias: expected the value itself",
    ],
  ])("is refused if it is %s", (_, text, start) => {
    using folder = temporaryFolder({ "tasks.yaml": text });
    const lines = planLinesAt("tasks.yaml", folder.path);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain(start);
  });

  it("is refused if it is missing, a folder, too long or not UTF-8", () => {
    using folder = temporaryFolder({ "long.yaml": `#${"x".repeat(8 * 1024 * 1024)}`, "dir/x": "" });
    writeFileSync(join(folder.path, "bytes.yaml"), Buffer.from([0x61, 0x3a, 0x0a, 0xff]));
    expect(
      ["none.yaml", "dir", "dir/x/y", "long.yaml", "bytes.yaml"].flatMap((file) =>
        planLinesAt(file, folder.path),
      ),
    ).toEqual([
      "none.yaml: this file does not exist: expected a plan, such as `tasks.yaml`",
      "dir: it is not a regular file: expected a YAML file",
      "dir/x/y: `dir/x` is a file: expected a folder",
      "long.yaml: it is longer than 8388608 bytes: expected at most 8388608 bytes",
      "bytes.yaml:2:1: a byte here is not UTF-8: expected a file in UTF-8",
    ]);
  });

  const long = `# ${"x".repeat(300_000)}\n`;
  it.each<[string, string, string]>([
    ["no YAML", "tasks: [\n", "3:1: this is not plain YAML"],
    [
      "of two documents",
      "tasks: []\n---\ntasks: []\n",
      "this is not plain YAML (a second document starts here)",
    ],
    ["nested without end", "[".repeat(1_000_000), "this is not plain YAML (nested deeper than 64)"],
    ["an endless list", "- x\n".repeat(1_000_000), "this is not plain YAML (more than 1500000 tokens)"],
  ])("is refused if it is long and %s", (_, text, problem) => {
    const lines = planLinesOf(long + text);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain(problem);
  });

  it("is accepted if it is long and valid", () => {
    const many = Array.from({ length: 3000 }, (_, index) =>
      taskText(`T-${index}`, "    title: a plain title\n"),
    );
    expect(planLinesOf(`tasks:\n${many.join("")}`)).toEqual([]);
  });
});
