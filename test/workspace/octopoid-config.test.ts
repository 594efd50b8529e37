import { describe, expect, it } from "vitest";
import { defaultConfig } from "../../src/contract/default-config.ts";
import { configOf, hooksNamed, linesAt, ownConfig } from "../support/loaded-config.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const borrowed = ".octopoid/config.yaml";

describe("the file of octopoid", () => {
  /** The example of the hooks' specification. */
  const theirs = `
repo: whatever
defaults: &defaults { model: x }
copy: *defaults
hooks:
  before_submit:
    - rebase_on_main
    - create_pr
task_types:
  product:
    hooks:
      before_submit:
        - rebase_on_main
        - run_tests
        - create_pr
      before_merge:
        - gatekeeper: [qa, architecture]
    agents:
      implementer: [implementer-1, implementer-2]
      gatekeeper: [gatekeeper-qa]
  hotfix:
    hooks:
      before_submit:
        - run_tests
        - create_pr
`;

  it("is read for hooks and task types only", async () => {
    const config = await configOf({ [borrowed]: theirs });
    expect(config).toEqual({ ...defaultConfig, hooks: config.hooks, task_types: config.task_types });
    expect(config.hooks.before_submit).toEqual(hooksNamed("rebase_on_main", "create_pr"));
    expect(config.task_types.product?.agents).toEqual({
      implementer: ["implementer-1", "implementer-2"],
      gatekeeper: ["gatekeeper-qa"],
    });
    expect(config.task_types.hotfix).toEqual({
      hooks: { ...defaultConfig.hooks, before_submit: hooksNamed("run_tests", "create_pr") },
      agents: { implementer: null, gatekeeper: null },
    });
  });

  it("counts only for keys that Lockstep's own configuration does not set", async () => {
    const config = await configOf({ [ownConfig]: "hooks: {}\nsandbox: off\n", [borrowed]: theirs });
    expect(config.hooks).toEqual(defaultConfig.hooks);
    expect(Object.keys(config.task_types)).toEqual(["product", "hotfix"]);
    expect(config.sandbox).toBe("off");
  });

  it("is not read if Lockstep's own configuration sets both keys", async () => {
    const files = { [ownConfig]: "hooks: {}\ntask_types: {}\n", [borrowed]: "hooks: [\n" };
    expect(await configOf(files)).toEqual(defaultConfig);
  });

  it("may be empty", async () => {
    expect(await configOf({ [borrowed]: "hooks:\ntask_types:\n" })).toEqual(defaultConfig);
  });

  it("reports faults with its own file name", async () => {
    using folder = temporaryFolder({ [borrowed]: "x: 1\nhooks:\n  before_submit: [lint, *all]\n" });
    expect(await linesAt(folder.path)).toEqual([
      `${borrowed}:3:19: \`hooks.before_submit[0]\` is \`lint\`: expected one of \`rebase_on_main\`, \`create_pr\`, \`run_tests\`, \`gatekeeper\`, \`rebase_on_base\`, \`merge_pr\`, a map with \`command\`, or \`unknown_hooks: warn\` next to \`hooks\``,
      `${borrowed}:3:25: \`*all\` is an alias: expected the value itself`,
    ]);
    folder.write(borrowed, "hooks:\n  before_submit: [lint]\n");
    folder.write(ownConfig, "unknown_hooks: warn\n");
    expect(await linesAt(folder.path)).toEqual([]);
  });
});
