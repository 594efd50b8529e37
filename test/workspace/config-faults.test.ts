import { describe, expect, it } from "vitest";
import { loadConfig } from "../../src/workspace/config/load-config.ts";
import { linesOf, ownConfig } from "../support/loaded-config.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const topKeys =
  "one of `version`, `base_branch`, `store`, `ledger`, `remote`, `transport`, `integrate`, `proof`, `limits`, `agents`, `hooks`, `unknown_hooks`, " +
  "`task_types`, `workspace`, `checks`, `tests`, `gate`, `resources`, `guard`, `notify`, `sandbox`, `worklogs`, `session`, `project_type`";

describe("a mistake", () => {
  it.each([
    [
      "in a key",
      "version: 1\nlimits:\n  max_paralel: 4\n",
      "3:3: `limits.max_paralel` is not a known key: did you mean `max_parallel`?",
    ],
    [
      "in a key at the top",
      "# first\n\nguards: {}\n",
      "3:1: `guards` is not a known key: did you mean `guard`?",
    ],
    ["in a key without a similar one", "zzz: 1\n", `1:1: \`zzz\` is not a known key: expected ${topKeys}`],
    [
      "in a key of a flow map",
      "guard: { root: x, on_dney: block }\n",
      "1:19: `guard.on_dney` is not a known key: did you mean `on_deny`?",
    ],
    [
      "in a key after wide characters",
      "guard: { root: été😀, nope: 1 }\n",
      "1:23: `guard.nope` is not a known key: expected one of `root`, `on_deny`, `unclaimed`, `opaque`, `protected`, `coordination`, `on_error`, `idle_minutes`, `programs`",
    ],
    ["in a word", "sandbox:   requierd\n", "1:12: `sandbox` is `requierd`: did you mean `required`?"],
    [
      "in a word without a similar one",
      "worklogs: burn\n",
      "1:11: `worklogs` is `burn`: expected one of `keep`, `commit`",
    ],
    [
      "in the kind of the project",
      "project_type: desktop\n",
      "1:15: `project_type` is `desktop`: expected one of `web`, `api`, `cli`, `lib`, `mixed`",
    ],
    ["in a word of a union", "gate:\n  tests: of\n", "2:10: `gate.tests` is `of`: did you mean `off`?"],
    ["in the version", "version: 2\n", "1:10: `version` is `2`: expected `1`"],
    [
      "in a number",
      "limits:\n  max_review: four\n",
      "2:15: `limits.max_review` is `four`: expected a whole number above 0",
    ],
    [
      "in a number's sign",
      "limits:\r\n  skew_seconds: -1\r\n",
      "2:17: `limits.skew_seconds` is `-1`: expected a whole number, 0 or above",
    ],
    [
      "in a truth value",
      "session:\n  commit: yes\n",
      "2:11: `session.commit` is `yes`: expected one of `true`, `false`",
    ],
    [
      "of a number for a string",
      "agents:\n  a:\n    adapter: codex\n    env:\n      PORT: 3000\n",
      "5:13: `agents.a.env.PORT` is `3000`: expected a string: put quotes around it",
    ],
    [
      "of a blank string",
      "agents: { a: { adapter: codex, model: ' ' } }\n",
      "1:39: `agents.a.model` is blank: expected a string that is not blank",
    ],
    ["of a list for a map", "limits: [4]\n", "1:9: `limits` is a list: expected a map"],
    ["of a map for a list", "checks:\n  full: {}\n", "2:9: `checks.full` is an empty map: expected a list"],
    ["of a word for a map", "guard: strict\n", "1:8: `guard` is `strict`: expected a map"],
    [
      "of a section without keys",
      "version: 1\nlimits:\n  # max_parallel: 4\nsandbox: auto\n",
      "2:1: `limits` is empty: expected a map, or the key left out",
    ],
    [
      "of null for a number",
      "limits:\n  same_error: null\n",
      "2:3: `limits.same_error` is empty: expected a whole number above 0",
    ],
    [
      "in a list",
      "workspace:\n  env_pass:\n    - PATH\n    - 'A B'\n",
      "4:7: `workspace.env_pass[1]` is `A B`: expected the name of an environment variable",
    ],
    [
      "of a path that is not in the home",
      "workspace:\n  home: [.docker, ../other]\n",
      "2:19: `workspace.home[1]` is `../other`: expected a path inside the home folder, relative to it",
    ],
    [
      "of the home as a whole",
      "workspace: { home: [./.] }\n",
      "1:21: `workspace.home[0]` is `./.`: expected a path inside the home folder, relative to it",
    ],
    [
      "in a list of lists",
      "workspace: { setup: [[npm, ci], [make, 1]] }\n",
      "1:40: `workspace.setup[1][1]` is `1`: expected a string: put quotes around it",
    ],
    [
      "of a command that is a number",
      "gate:\n  tests:\n    command: 1\n",
      '3:14: `gate.tests.command` is `1`: expected a command, such as "npm test" or ["npm", "test"]',
    ],
    [
      "in the name of an agent",
      "agents:\n  my coder: { adapter: claude }\n",
      "2:3: `agents.my coder` is not a valid name: expected up to 64 letters, digits, dots, hyphens and underscores, a letter or digit first",
    ],
    [
      "of an agent without an adapter",
      "agents:\n  a:\n    role: QA\n",
      "2:3: `agents.a.adapter` is missing: expected one of `claude`, `codex`, `gemini`, `opencode`, `copilot`, `command`, `script`",
    ],
    [
      "of a key that is missing because it is mistyped",
      "agents:\n  a:\n    adaptor: codex\n",
      "3:5: `agents.a.adaptor` is not a known key: did you mean `adapter`?",
    ],
    [
      "of a command without a program",
      "agents:\n  a: { adapter: command }\n",
      '2:3: `agents.a.run` is missing: expected a program and its arguments, such as ["node", "agents/qa.mjs"]',
    ],
    [
      "in the reference to an agent",
      "agents:\n  coder: { adapter: claude }\n  tests: { adapter: codex, escalate_to: codr }\n",
      "3:41: `agents.tests.escalate_to` is `codr`: did you mean `coder`?",
    ],
    [
      "of a reference where no agent is configured",
      "task_types:\n  x: { agents: { implementer: [a] } }\n",
      "2:32: `task_types.x.agents.implementer[0]` is `a`: expected a configured agent: list it under agents, where there is none",
    ],
    [
      "in a hook",
      "hooks:\n  before_submit:\n    - run_test\n",
      "3:7: `hooks.before_submit[0]` is `run_test`: did you mean `run_tests`?",
    ],
    [
      "in a hook's command",
      "hooks:\n  before_submit:\n    - comand: [npm, test]\n",
      "3:7: `hooks.before_submit[0]` is `comand`: did you mean `command`?",
    ],
    [
      "between two values",
      "limits:\n  max_parallel: 9\n",
      "2:17: `limits.max_parallel` is `9`: expected at most `max_active`, which is 8",
    ],
    [
      "between a value and a default",
      "limits:\n  max_active: 3\n",
      "1:1: `limits.max_parallel` is by default `4`: expected at most `max_active`, which is 3",
    ],
  ])("%s is shown with its position", async (_, text, line) => {
    expect(await linesOf(text)).toEqual([line]);
  });

  it("is shown together with all others, in the order of the file", async () => {
    const text =
      "sandbox: on\nlimits: { widen: ask, widen: x, max_parallel: 0 }\nagents: { a: { adapter: vi } }\nx: 1\n";
    const places = (await linesOf(text)).map((line) => line.replace(/: .*/, ""));
    expect(places).toEqual(["1:10", "2:23", "2:47", "3:25", "4:1"]);
  });

  it("is shown if it is one of the first twenty; the others wait", async () => {
    const text = Array.from({ length: 3000 }, (_, at) => `key${at}: 1\n`).join("");
    const lines = await linesOf(text);
    expect(lines).toHaveLength(20);
    expect(lines[19]).toMatch(/^20:1: `key19` is not a known key/);
    const agents = Array.from({ length: 3000 }, (_, at) => `  a${at}: {}\n`).join("");
    expect((await linesOf(`agents:\n${agents}`))[19]).toMatch(/^21:3: `agents.a19.adapter` is missing/);
  });

  it("never breaks its line of output", async () => {
    const [line = "", other = ""] = await linesOf('"a\\nb\\e[2J\u202e": 1\nsandbox: "x\\r\\ny"\n');
    expect(line).toMatch(/^1:1: `a\\u\{a\}b\\u\{1b\}\[2J\\u\{202e\}` is not a known key: /);
    expect(other).toMatch(/^2:10: `sandbox` is `x\\u\{d\}\\u\{a\}y`: /);
    expect((await linesOf(`sandbox: ${"x".repeat(5000)}\n`))[0]?.length).toBeLessThan(200);
    expect((await linesOf(`a: !${"x".repeat(5000)} b\n`))[0]?.length).toBeLessThan(400);
  });

  it("has its file, line, key and suggestion as data for other programs", async () => {
    using folder = temporaryFolder({ [ownConfig]: "limits:\n  widn: ask\n" });
    expect(await loadConfig(folder.path)).toEqual({
      faults: [
        {
          file: ownConfig,
          line: 2,
          column: 3,
          path: "limits.widn",
          problem: "`limits.widn` is not a known key",
          expected: expect.stringContaining("`max_parallel`"),
          suggestion: "widen",
        },
      ],
    });
  });
});
