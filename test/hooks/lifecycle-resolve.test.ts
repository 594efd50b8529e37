import { describe, expect, it } from "vitest";
import type { Config } from "../../src/contract/config.ts";
import { defaultConfig } from "../../src/contract/default-config.ts";
import { type ConfiguredHook, hookPoints } from "../../src/hooks/lifecycle/hook.ts";
import { defaultHooks, mayWorkOn, resolveHooks } from "../../src/hooks/lifecycle/resolve-hooks.ts";
import { configOf, ownConfig } from "../support/loaded-config.ts";

/** The complete example of the hooks' specification. */
const example = `
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
  infrastructure:
    hooks:
      before_submit:
        - rebase_on_main
        - create_pr
    agents:
      implementer: [implementer-1]
  hotfix:
    hooks:
      before_submit:
        - run_tests
        - create_pr
    agents:
      implementer: [implementer-1, implementer-2]
`;

const exampleConfig = () => configOf({ ".octopoid/config.yaml": example });

/** A hook in the form of the configuration. */
function written(hook: ConfiguredHook): unknown {
  if ("command" in hook) return hook;
  return hook.parameters === null ? hook.name : { [hook.name]: hook.parameters };
}

/** The hooks at each point for a type of task. */
function all(config: Config, taskType: string | null, agent: string | null = null) {
  return Object.fromEntries(
    hookPoints.map((point) => [point, resolveHooks(config, point, taskType, agent).map(written)]),
  );
}

const nothing = { before_submit: [], after_submit: [], before_merge: [], after_merge: [] };

describe("the hooks of a task", () => {
  it("are `create_pr` before the submission by default", async () => {
    expect(all(await configOf({}), null)).toEqual({ ...nothing, before_submit: ["create_pr"] });
    expect(defaultHooks).toEqual({ ...nothing, before_submit: [{ name: "create_pr", parameters: null }] });
  });

  it.each<[string | null, object]>([
    [
      "product",
      {
        before_submit: ["rebase_on_main", "run_tests", "create_pr"],
        before_merge: [{ gatekeeper: ["qa", "architecture"] }],
      },
    ],
    ["infrastructure", { before_submit: ["rebase_on_main", "create_pr"] }],
    ["hotfix", { before_submit: ["run_tests", "create_pr"] }],
    ["a type that is not configured", { before_submit: ["rebase_on_main", "create_pr"] }],
    ["constructor", { before_submit: ["rebase_on_main", "create_pr"] }],
    [null, { before_submit: ["rebase_on_main", "create_pr"] }],
  ])("are those of the specification's example for the type %s", async (type, hooks) => {
    expect(all(await exampleConfig(), type)).toEqual({ ...nothing, ...hooks });
  });

  it("come from the type, the project or the default, separately for each point", async () => {
    const config = await configOf({
      [ownConfig]: `
hooks: { after_merge: [run_tests] }
task_types:
  half: { hooks: { before_merge: [run_tests] } }
`,
    });
    expect(all(config, "half")).toEqual({
      before_submit: ["create_pr"],
      after_submit: [],
      before_merge: ["run_tests"],
      after_merge: ["run_tests"],
    });
  });

  it("are none with an empty list, and those of the next level with null", async () => {
    const config = await configOf({
      [ownConfig]: `
hooks: { before_submit: [] }
task_types:
  quiet: { hooks: { before_submit: [] } }
  open: { hooks: { before_submit: null } }
  loud: { hooks: { before_submit: [run_tests] } }
agents:
  mute: { adapter: claude, hooks: { before_submit: [] } }
`,
    });
    const atSubmit = (type: string | null, agent?: string) => all(config, type, agent).before_submit;
    expect([
      atSubmit(null),
      atSubmit("quiet"),
      atSubmit("open"),
      atSubmit("loud"),
      atSubmit("loud", "mute"),
    ]).toEqual([[], [], [], ["run_tests"], []]);
    expect(resolveHooks(defaultConfig, "before_submit", "quiet", "mute").map(written)).toEqual(["create_pr"]);
  });

  it("are the agent's own at the points that the agent configures", async () => {
    const config = await configOf({
      [ownConfig]: `
hooks: { before_submit: [rebase_on_main], after_submit: [run_tests] }
task_types:
  product: { hooks: { before_submit: [run_tests] } }
agents:
  own: { adapter: claude, hooks: { before_submit: [{ command: [node, look.mjs] }] } }
  plain: { adapter: claude }
`,
    });
    const own = { before_submit: [{ command: ["node", "look.mjs"] }], after_submit: ["run_tests"] };
    expect(all(config, "product", "own")).toEqual({ ...nothing, ...own });
    expect(all(config, null, "own")).toEqual({ ...nothing, ...own });
    for (const agent of ["plain", "unknown", "__proto__", null])
      expect(all(config, "product", agent).before_submit).toEqual(["run_tests"]);
  });
});

describe("an agent", () => {
  it("may work on types that name it, and on types without names", async () => {
    const config = await exampleConfig();
    const may = (type: string | null, agent: string, as: "implementer" | "gatekeeper" = "implementer") =>
      mayWorkOn(config, type, { agent, as });
    expect(may("infrastructure", "implementer-1")).toBe(true);
    expect(may("infrastructure", "implementer-2")).toBe(false);
    expect(may("infrastructure", "anybody", "gatekeeper")).toBe(true);
    expect(may("product", "gatekeeper-qa", "gatekeeper")).toBe(true);
    expect(may("product", "implementer-1", "gatekeeper")).toBe(false);
    expect(may("not configured", "anybody")).toBe(true);
    expect(may("toString", "anybody")).toBe(true);
    expect(may(null, "anybody")).toBe(true);
    expect(mayWorkOn(defaultConfig, "product", { agent: "anybody", as: "implementer" })).toBe(true);
  });
});
