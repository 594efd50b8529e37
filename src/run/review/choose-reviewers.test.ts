import { describe, expect, it } from "vitest";
import { configSchema } from "../../contract/config.ts";
import { gatekeeperFor, reviewersNeeded, reviewersOf } from "./choose-reviewers.ts";

const agent = (role: string) => ({ adapter: "command", run: ["x"], role });

const config = configSchema.parse({
  agents: {
    one: agent("Coder"),
    two: agent("Coder"),
    "gatekeeper-qa": agent("QA"),
    reads: agent("Reviewer"),
  },
  task_types: {
    product: { agents: { gatekeeper: ["reads", "one"] } },
    gated: {
      hooks: { before_merge: [{ gatekeeper: ["qa", "architecture"] }] },
      agents: { gatekeeper: ["gatekeeper-qa", "one"] },
    },
    open: {},
    own: { agents: { gatekeeper: ["one"] } },
  },
});

const of = (type: string | null, ...makers: string[]) => ({ type, makers: new Set(makers) });

describe("the reviewers of a task", () => {
  it.each<[string | null, readonly string[], readonly string[]]>([
    ["product", ["two"], ["reads", "one"]],
    ["product", ["one"], ["reads"]],
    ["product", ["two", "reads", "one"], []],
    ["gated", ["two"], []],
    ["open", ["two"], []],
    [null, ["two"], []],
  ])("of type %s, made by %j, are %j", (type, makers, reviewers) => {
    expect(reviewersOf(config, of(type, ...makers))).toEqual(reviewers);
  });

  it.each<[string, string | null, string, string | undefined]>([
    ["qa", "gated", "one", "gatekeeper-qa"],
    ["architecture", "gated", "two", "gatekeeper-qa"],
    ["one", "gated", "two", "one"],
    ["one", "gated", "one", "gatekeeper-qa"],
    ["reviewer", null, "one", "reads"],
    ["qa", "own", "one", undefined],
  ])("for `%s` of type %s, made by %s, is %s", (name, type, maker, gatekeeper) => {
    expect(gatekeeperFor(config, of(type, maker), name)).toBe(gatekeeper);
  });

  it("are all known before anything starts, and a plan with work that only its maker could review is refused", () => {
    const planned = (type: string | null, maker: string) => ({ plan: { id: "T-1", type }, agent: maker });
    expect(reviewersNeeded(config, [planned("product", "one"), planned("gated", "two")])).toEqual({
      names: new Set(["reads", "gatekeeper-qa"]),
    });
    expect(reviewersNeeded(config, [planned("own", "two"), planned("own", "one")])).toMatchObject({
      code: "E-PLAN",
      reason: expect.stringContaining("only `one`, which does task `T-1`, could review it"),
    });
  });
});
