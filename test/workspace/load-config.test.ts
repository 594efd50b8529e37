import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { defaultConfig } from "../../src/contract/default-config.ts";
import { loadConfig } from "../../src/workspace/config/load-config.ts";
import { configOf, hooksNamed, linesAt, ownConfig } from "../support/loaded-config.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

/** The example of the interface, with every key. */
const example = `version: 1
base_branch: main                 # default: the branch checked out when the session starts
store: sqlite
integrate: local
limits:
  max_parallel: 4
  max_review: 4
  max_active: 8
  batching: continuous            # free slots are filled | batch: S1's batches
  review_retries: 3
  same_error: 3
  stalled_cycles: 2
  delegation_depth: 2
  skew_seconds: 30
  widen: ask                      # ask | auto | never
  tokens: { warn: 35000, halt: 50000 }
  minutes: { warn: 10, halt: 15 }
  cost_usd: { warn: null, halt: null }
agents:
  coder: { adapter: claude, role: Coder, model: null, args: [], env: {}, escalate_to: null, fallback: null, rework: resume }
  tests: { adapter: command, role: QA, run: ["node", "agents/qa.mjs"] }
hooks:
  before_submit: [rebase_on_main, create_pr]
unknown_hooks: error
task_types:
  product:
    hooks: { before_submit: [rebase_on_main, run_tests, create_pr], before_merge: [{ gatekeeper: [qa, architecture] }] }
    agents: { implementer: [coder], gatekeeper: [tests] }
workspace: { setup: [["npm", "ci"]], include: [.env], env_pass: [PATH, HOME, LANG] }
checks: { default: [auto], full: [], flaky: [] }
gate:
  tests: auto
  syntax: auto
  imports: auto
  conventions: auto
  cross_reference: auto
resources: { database: 1 }
guard: { root: null, on_deny: refuse, unclaimed: deny, opaque: sandbox, protected: [], coordination: [], on_error: closed, idle_minutes: 30 }
notify: { command: null }
sandbox: auto
worklogs: keep
session: { commit: false }
project_type: mixed
`;

describe("a project without a configuration", () => {
  it("gets its own copy of the defaults", async () => {
    using folder = temporaryFolder();
    const first = await loadConfig(folder.path);
    expect(first).toEqual({ config: defaultConfig });
    if ("config" in first) first.config.guard.protected.push("x");
    expect(await loadConfig(folder.path)).toEqual({ config: defaultConfig });
    expect(defaultConfig.guard.protected).toEqual([]);
  });

  it.each([
    ["an empty file", ""],
    ["a file of comments", "# nothing\n\n# yet\n"],
    ["an empty document", "---\n"],
    ["a document that is null", "~\n"],
    ["an empty map", "{}\n"],
    ["a byte order mark", "\ufeff"],
  ])("is the same as %s", async (_, text) => {
    expect(await configOf({ [ownConfig]: text })).toEqual(defaultConfig);
  });

  it("does not import the parser and the schemas", () => {
    using without = temporaryFolder({ ".lockstep/systemPatterns.md": "x" });
    using having = temporaryFolder({ [ownConfig]: "" });
    expect(packagesLoadedFor(without.path)).toEqual([]);
    expect(packagesLoadedFor(having.path)).toEqual(["yaml", "zod"]);
  });
});

/** The packages that a process imports to load a project's configuration. */
function packagesLoadedFor(root: string): string[] {
  const source = new URL("../../src/workspace/config/load-config.ts", import.meta.url).href;
  const script = `
    const { registerHooks } = await import("node:module");
    const packages = new Set();
    registerHooks({
      resolve(specifier, context, next) {
        if (/^[a-z@]/.test(specifier) && !/^(?:node|file|data):/.test(specifier) && !context.parentURL?.includes("/node_modules/"))
          packages.add(specifier);
        return next(specifier, context);
      },
    });
    const { loadConfig } = await import(${JSON.stringify(source)});
    const loaded = await loadConfig(${JSON.stringify(root)});
    if ("faults" in loaded) throw new Error("faults");
    console.log(JSON.stringify([...packages].sort()));`;
  return JSON.parse(
    execFileSync(process.execPath, ["--input-type=module", "-e", script], { encoding: "utf8" }),
  );
}

describe("a configuration", () => {
  it("is read completely", async () => {
    const config = await configOf({ [ownConfig]: example });
    expect(config).toEqual({
      ...defaultConfig,
      base_branch: "main",
      agents: config.agents,
      hooks: { ...defaultConfig.hooks, before_submit: hooksNamed("rebase_on_main", "create_pr") },
      task_types: config.task_types,
      workspace: { ...defaultConfig.workspace, setup: [["npm", "ci"]] },
      resources: { database: 1 },
    });
    expect(config.agents.tests).toMatchObject({
      adapter: "command",
      role: "QA",
      run: ["node", "agents/qa.mjs"],
    });
    expect(config.task_types.product).toMatchObject({
      hooks: { before_merge: [{ name: "gatekeeper", parameters: ["qa", "architecture"] }] },
      agents: { implementer: ["coder"], gatekeeper: ["tests"] },
    });
  });

  it("has `off` as a word, in every version of YAML", async () => {
    const text = "sandbox: off\ngate: { tests: off }\n";
    for (const head of ["", "%YAML 1.1\n---\n"])
      expect(await configOf({ [ownConfig]: head + text })).toMatchObject({
        sandbox: "off",
        gate: { tests: "off" },
      });
  });

  it("may have names that look like numbers", async () => {
    expect((await configOf({ [ownConfig]: "resources: { 1: 2, 0x1: 3, true: 4 }\n" })).resources).toEqual({
      "1": 2,
      "0x1": 3,
      true: 4,
    });
  });
});

describe("a configuration file is refused", () => {
  it("if it is too long", async () => {
    using folder = temporaryFolder({ [ownConfig]: `#${"x".repeat(256 * 1024)}` });
    expect(await linesAt(folder.path)).toEqual([
      `${ownConfig}: it is longer than 262144 bytes: expected at most 262144 bytes`,
    ]);
    folder.write(ownConfig, `#${"x".repeat(256 * 1024 - 1)}`);
    expect(await linesAt(folder.path)).toEqual([]);
  });

  it.each([
    ["Latin-1", Buffer.from("sandbox: auto\n# caf\xe9\n", "latin1"), "2:6"],
    ["UTF-16", Buffer.from("\ufeffsandbox: auto\n", "utf16le"), "1:1"],
    ["UTF-8 that is cut off", Buffer.from("a: é", "utf8").subarray(0, 4), "1:4"],
  ])("if it is in %s", async (_, bytes, place) => {
    using folder = temporaryFolder({ [ownConfig]: "" });
    writeFileSync(join(folder.path, ownConfig), bytes);
    expect(await linesAt(folder.path)).toEqual([
      `${ownConfig}:${place}: a byte here is not UTF-8: expected a file in UTF-8`,
    ]);
  });

  it("if it is a folder", async () => {
    using folder = temporaryFolder();
    mkdirSync(join(folder.path, ownConfig), { recursive: true });
    expect(await linesAt(folder.path)).toEqual([
      `${ownConfig}: it is not a regular file: expected a YAML file`,
    ]);
  });

  it("if it is a pipe, without waiting for it", async () => {
    using folder = temporaryFolder({ ".lockstep/x": "" });
    const maker = "mkfifo";
    execFileSync(maker, [join(folder.path, ownConfig)]);
    expect(await linesAt(folder.path)).toEqual([
      `${ownConfig}: it is not a regular file: expected a YAML file`,
    ]);
  });

  it("if it is a link, whether the target exists or not", async () => {
    using folder = temporaryFolder({ "real.yaml": "sandbox: off\n", ".lockstep/x": "" });
    symlinkSync("../real.yaml", join(folder.path, ownConfig));
    expect(await linesAt(folder.path)).toEqual([`${ownConfig}: it is a link: expected the file itself`]);
    using dangling = temporaryFolder({ ".lockstep/x": "" });
    symlinkSync("nowhere", join(dangling.path, ownConfig));
    expect(await linesAt(dangling.path)).toEqual([`${ownConfig}: it is a link: expected the file itself`]);
  });

  it("if its folder is a link", async () => {
    using folder = temporaryFolder({ "src/config.yaml": "sandbox: off\n" });
    symlinkSync("src", join(folder.path, ".lockstep"));
    expect(await linesAt(folder.path)).toEqual([
      `${ownConfig}: \`.lockstep\` is a link: expected a folder of the project`,
    ]);
  });

  it("if its folder is a file", async () => {
    using folder = temporaryFolder({ ".lockstep": "x" });
    expect(await linesAt(folder.path)).toEqual([`${ownConfig}: \`.lockstep\` is a file: expected a folder`]);
  });

  it("if it has another name and would be overlooked", async () => {
    using folder = temporaryFolder({ ".lockstep/config.yml": "sandbox: required\n" });
    expect(await linesAt(folder.path)).toEqual([
      `.lockstep/config.yml: this file is not read: expected the name \`${ownConfig}\``,
    ]);
    folder.write(ownConfig, "");
    expect(await linesAt(folder.path)).toEqual([]);
  });

  // The superuser may read everything.
  it.skipIf(process.getuid?.() === 0)("if it is not readable", async () => {
    using folder = temporaryFolder({ [ownConfig]: "" });
    chmodSync(join(folder.path, ownConfig), 0o000);
    expect(await linesAt(folder.path)).toEqual([
      `${ownConfig}: it cannot be read (EACCES): expected a file that you can read`,
    ]);
  });
});
