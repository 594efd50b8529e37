import { describe, expect, it } from "vitest";
import { configSchema } from "./config.ts";
import { defaultConfig } from "./default-config.ts";
import { jsonSchema } from "./json-schemas.ts";

/** The path of each fault, for example `limits.tokens.warn`. */
function wrongPaths(input: unknown): string[] {
  const { error } = configSchema.safeParse(input);
  return (error?.issues ?? []).map((issue) => {
    const keys = issue.code === "unrecognized_keys" ? issue.keys : [];
    return [...issue.path, ...keys].join(".");
  });
}

const sections = Object.entries(defaultConfig).filter(
  ([, value]) => typeof value === "object" && value !== null,
);

describe("the default configuration", () => {
  it("is the result of an empty map", () => {
    expect(configSchema.parse({})).toEqual(defaultConfig);
  });

  it.each(sections)("is the result of an empty `%s`", (section) => {
    expect(configSchema.parse({ [section]: {} })).toEqual(defaultConfig);
  });

  it("stays the same when every key is written out", () => {
    expect(configSchema.parse(structuredClone(defaultConfig))).toEqual(defaultConfig);
  });
});

describe("a configuration", () => {
  it("fills in the missing keys of each agent", () => {
    const { agents } = configSchema.parse({ agents: { coder: { adapter: "claude" } } });
    expect(agents.coder).toEqual({
      adapter: "claude",
      role: "Coder",
      model: null,
      args: [],
      env: {},
      escalate_to: null,
      fallback: null,
      label: null,
      rework: "resume",
      hooks: { before_submit: null, after_submit: null, before_merge: null, after_merge: null },
    });
  });

  it.each([
    ["npm install", ["npm", "install"]],
    [" make  all ", ["make", "all"]],
    ["cd web && npm ci", ["sh", "-c", "cd web && npm ci"]],
    ["A=1 make", ["sh", "-c", "A=1 make"]],
    ["echo 'a b'", ["sh", "-c", "echo 'a b'"]],
    [
      ["echo", "a b"],
      ["echo", "a b"],
    ],
  ])("reads the command %j for every key that is a program", (written, words) => {
    const config = configSchema.parse({
      workspace: { setup: [written] },
      agents: { a: { adapter: "command", run: written } },
      gate: { imports: { command: written } },
      hooks: { after_merge: [{ command: written }] },
      notify: { command: written },
    });
    expect(config.workspace.setup).toEqual([words]);
    expect(config.agents.a?.run).toEqual(words);
    expect(config.gate.imports).toEqual({ command: words });
    expect(config.hooks.after_merge).toEqual([{ command: words }]);
    expect(config.notify.command).toEqual(words);
  });

  it.each([
    ["npm test -- 'a b'", "npm test -- 'a b'"],
    [["npm", "test"], "npm test"],
    [["echo", "it's $HOME"], "echo 'it'\\''s $HOME'"],
  ])("reads the command %j for every key that is a command line", (written, line) => {
    const { checks } = configSchema.parse({
      checks: { default: [written], full: [written], flaky: [written] },
    });
    expect(checks).toEqual({ default: [line], full: [line], flaky: [line] });
  });

  it("reads the path of an included folder in every spelling", () => {
    const { include } = configSchema.parse({ workspace: { include: ["./node_modules/", ".env"] } }).workspace;
    expect(include).toEqual(["node_modules", ".env"]);
  });

  it("reads a hook in each of its three forms", () => {
    const { hooks } = configSchema.parse({
      hooks: {
        before_submit: [
          "rebase_on_main",
          { gatekeeper: ["qa", "architecture"] },
          { command: ["node", "x.mjs"] },
        ],
        before_merge: [],
      },
    });
    expect(hooks).toEqual({
      before_submit: [
        { name: "rebase_on_main", parameters: null },
        { name: "gatekeeper", parameters: ["qa", "architecture"] },
        { command: ["node", "x.mjs"] },
      ],
      after_submit: null,
      before_merge: [],
      after_merge: null,
    });
  });

  it("lowers the warning with a limit that was lowered alone", () => {
    const { limits } = configSchema.parse({ limits: { tokens: { halt: 1000 }, minutes: { halt: 12 } } });
    expect(limits).toMatchObject({ tokens: { warn: 700, halt: 1000 }, minutes: { warn: 10, halt: 12 } });
  });

  it.each([
    ["an end before the usual warning", { limits: { tokens: { halt: 1000 }, minutes: { halt: 9 } } }],
    ["thresholds that are equal", { limits: { minutes: { warn: 15, halt: 15 } } }],
    ["a cost with one threshold", { limits: { cost_usd: { warn: null, halt: 2.5 } } }],
    ["as many in parallel as are active", { limits: { max_parallel: 8 } }],
    [
      "null where the default is null",
      { base_branch: null, guard: { root: null }, workspace: { setup: null } },
    ],
    ["a hook point that uses the next level", { hooks: { before_submit: null } }],
    ["no setup at all", { workspace: { setup: [] } }],
    ["a script without a program", { agents: { a: { adapter: "script" } } }],
    [
      "two agents that fall back on each other",
      {
        agents: { a: { adapter: "claude", fallback: "b" }, b: { adapter: "codex", fallback: "a" } },
      },
    ],
    [
      "an unknown hook if that is only a warning",
      { unknown_hooks: "warn", hooks: { after_merge: ["cheer"] } },
    ],
    ["the hooks of published configurations", { hooks: { before_merge: ["rebase_on_base", "merge_pr"] } }],
    ["a gate check by command", { gate: { imports: { command: ["npx", "madge", "src"] } } }],
    ["an empty argument", { agents: { a: { adapter: "command", run: ["sh", ""] } } }],
    ["a branch with a folder", { base_branch: "release/1.2" }],
    ["a push to a remote", { remote: "origin", transport: "heads", integrate: "push" }],
    ["a folder that is named with dots", { guard: { protected: ["..data/x", "a/...b", ".env*"] } }],
  ])("accepts %s", (_, input) => {
    expect(wrongPaths(input)).toEqual([]);
  });

  it.each([
    ["an unknown key", { limit: {} }, "limit"],
    ["a push to nowhere", { integrate: "push" }, "remote"],
    ["a URL instead of the name of a remote", { remote: "https://host/x.git" }, "remote"],
    ["an option instead of the name of a remote", { remote: "--upload-pack=x" }, "remote"],
    ["an unknown key in a section", { guard: { on_denied: "refuse" } }, "guard.on_denied"],
    ["an unknown key in an agent", { agents: { a: { adapter: "claude", modle: "x" } } }, "agents.a.modle"],
    ["another version", { version: 2 }, "version"],
    ["a store that does not exist", { store: "postgres" }, "store"],
    ["a ledger without a database", { ledger: { url: "postgres://db.example.com" } }, "ledger.url"],
    ["a ledger with a blank", { ledger: { url: "postgres://db/a b" } }, "ledger.url"],
    ["a ledger of another kind", { ledger: { url: "mysql://db.example.com/x" } }, "ledger.url"],
    ["a password in a committed file", { ledger: { url: "postgres://me:secret@db/x" } }, "ledger.url"],
    ["a password that ends the host", { ledger: { url: "postgres://me:12#secret@db/x" } }, "ledger.url"],
    ["a password for two hosts", { ledger: { url: "postgres://me:secret@db:1,other:2/x" } }, "ledger.url"],
    ["an encoded password", { ledger: { url: "postgres://db/x?pass%77ord=secret" } }, "ledger.url"],
    ["a password behind the URL", { ledger: { url: "postgres://db/x?password=secret" } }, "ledger.url"],
    ["null where the default is a value", { limits: { max_parallel: null } }, "limits.max_parallel"],
    ["null for a section", { limits: null }, "limits"],
    ["no review at all", { limits: { max_review: 0 } }, "limits.max_review"],
    ["half a retry", { limits: { review_retries: 0.5 } }, "limits.review_retries"],
    ["more in parallel than active", { limits: { max_parallel: 9 } }, "limits.max_parallel"],
    ["fewer active than the default in parallel", { limits: { max_active: 3 } }, "limits.max_parallel"],
    ["tokens that halt before they warn", { limits: { tokens: { warn: 2, halt: 1 } } }, "limits.tokens.warn"],
    ["a warning after the default end", { limits: { minutes: { warn: 16 } } }, "limits.minutes.warn"],
    [
      "a cost that halts before it warns",
      { limits: { cost_usd: { warn: 2, halt: 1 } } },
      "limits.cost_usd.warn",
    ],
    ["an agent without an adapter", { agents: { a: {} } }, "agents.a.adapter"],
    ["an agent of an unknown adapter", { agents: { a: { adapter: "vim" } } }, "agents.a.adapter"],
    ["a command without a program", { agents: { a: { adapter: "command" } } }, "agents.a.run"],
    ["an empty program", { agents: { a: { adapter: "command", run: [] } } }, "agents.a.run"],
    ["a blank program", { agents: { a: { adapter: "command", run: [" "] } } }, "agents.a.run.0"],
    ["a NUL in an argument", { agents: { a: { adapter: "command", run: ["x", "\0"] } } }, "agents.a.run.1"],
    ["a program for a client", { agents: { a: { adapter: "codex", run: ["x"] } } }, "agents.a.run"],
    [
      "an agent that escalates to an unknown agent",
      {
        agents: { a: { adapter: "codex", escalate_to: "b" } },
      },
      "agents.a.escalate_to",
    ],
    [
      "an agent named as every object's field",
      {
        agents: { a: { adapter: "codex", fallback: "constructor" } },
      },
      "agents.a.fallback",
    ],
    [
      "an agent that falls back on itself",
      { agents: { a: { adapter: "codex", fallback: "a" } } },
      "agents.a.fallback",
    ],
    [
      "a task type for an unknown agent",
      {
        agents: { a: { adapter: "codex" } },
        task_types: { x: { agents: { implementer: ["a", "b"] } } },
      },
      "task_types.x.agents.implementer.1",
    ],
    [
      "a task type for no agent",
      { task_types: { x: { agents: { gatekeeper: [] } } } },
      "task_types.x.agents.gatekeeper",
    ],
    ["a name with a blank", { resources: { "data base": 1 } }, "resources.data base"],
    ["a name that starts with a hyphen", { task_types: { "-x": {} } }, "task_types.-x"],
    ["a variable that no shell could set", { workspace: { env_pass: ["A-B"] } }, "workspace.env_pass.0"],
    [
      "an environment of numbers",
      {
        agents: { a: { adapter: "codex", env: { PORT: 3000 } } },
      },
      "agents.a.env.PORT",
    ],
    ["an unknown hook", { hooks: { before_submit: ["run_test"] } }, "hooks.before_submit.0"],
    [
      "an unknown hook of a task type",
      {
        task_types: { x: { hooks: { before_merge: ["create_pr", "gate"] } } },
      },
      "task_types.x.hooks.before_merge.1",
    ],
    [
      "an unknown hook of an agent",
      {
        agents: { a: { adapter: "codex", hooks: { after_merge: [{ cheer: 3 }] } } },
      },
      "agents.a.hooks.after_merge.0",
    ],
    [
      "a gatekeeper that looks at nothing",
      { hooks: { before_merge: [{ gatekeeper: [] }] } },
      "hooks.before_merge.0",
    ],
    [
      "a gatekeeper alone, even if unknown hooks are accepted",
      {
        unknown_hooks: "warn",
        hooks: { before_merge: ["gatekeeper"] },
      },
      "hooks.before_merge.0",
    ],
    [
      "two hooks in one map",
      {
        hooks: { before_merge: [{ run_tests: null, create_pr: null }] },
      },
      "hooks.before_merge.0",
    ],
    ["a setup of numbers", { workspace: { setup: [1] } }, "workspace.setup.0"],
    ["a blank setup", { workspace: { setup: [" "] } }, "workspace.setup.0"],
    ["a path from the root of the disk", { guard: { protected: ["/etc"] } }, "guard.protected.0"],
    ["a path above the project", { workspace: { include: ["a/../../b"] } }, "workspace.include.0"],
    ["a path in the home folder", { guard: { root: "~/x" } }, "guard.root"],
    ["a path on a drive", { guard: { coordination: ["c:/x"] } }, "guard.coordination.0"],
    ["a branch that git would take for an option", { base_branch: "--all" }, "base_branch"],
    ["a check that is blank", { checks: { default: [" "] } }, "checks.default.0"],
  ])("refuses %s", (_, input, path) => {
    expect(wrongPaths(input)).toEqual([path]);
  });

  it("reports unknown names together with values of the wrong type", () => {
    const input = {
      limits: [],
      agents: { a: { adapter: "vim", fallback: "b" } },
      hooks: { before_submit: [5, "run_test"] },
    };
    expect(wrongPaths(input)).toEqual([
      "limits",
      "agents.a.adapter",
      "hooks.before_submit.0",
      "agents.a.fallback",
      "hooks.before_submit.1",
    ]);
  });

  it.each([[null], ["text"], [[]], [5]])("cannot be %j", (input) => {
    expect(wrongPaths(input)).toEqual([""]);
  });
});

describe("the published schema", () => {
  it("requires no key, knows every key, and allows no other", () => {
    const schema = jsonSchema("config");
    expect(schema.required).toBeUndefined();
    expect(schema.additionalProperties).toBe(false);
    expect(Object.keys(schema.properties as object)).toEqual(Object.keys(defaultConfig));
  });
});
