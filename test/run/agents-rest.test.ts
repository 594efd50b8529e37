import { expect, it } from "vitest";
import { Agents } from "../../src/run/attempt/agents.ts";
import { configOf, ownConfig } from "../support/loaded-config.ts";

it("pausing an agent pauses all agents with the same account, and no others", async () => {
  const config = await configOf({
    [ownConfig]: [
      "agents:",
      "  quick: { adapter: claude, model: sonnet }",
      "  strong: { adapter: claude, model: opus, role: Reviewer, fallback: paid }",
      "  paid: { adapter: claude, env: { ANTHROPIC_API_KEY: another } }",
      "  other: { adapter: codex }",
      "",
    ].join("\n"),
  });
  const agents = new Agents(config, { root: "/", baseCommit: "" });
  const pause = { untilMs: Number.POSITIVE_INFINITY, reason: "429" };
  expect(agents.pause("quick", pause)).toEqual(["quick", "strong"]);
  expect(agents.pause("paid", pause)).toEqual(["paid"]);
  expect(agents.pause("removed", pause)).toEqual([]);
});

it("a fallback is not chosen if it made the work under judgement or its task type does not allow it", async () => {
  const config = await configOf({
    [ownConfig]: [
      "agents:",
      "  looks: { adapter: command, run: [node], fallback: other }",
      "  other: { adapter: command, run: [node], args: [x] }",
      "task_types: { product: { agents: { gatekeeper: [looks] } } }",
      "",
    ].join("\n"),
  });
  const agents = new Agents(config, { root: process.cwd(), baseCommit: "HEAD" });
  expect(await agents.prepare(["looks"])).toBe(undefined);
  const choose = (type: string | null, makers: readonly string[] = []) =>
    agents.choose("looks", { type, as: "gatekeeper", makers: new Set(makers) })?.name;
  expect(choose(null)).toBe("looks");
  agents.pause("looks", { untilMs: Number.POSITIVE_INFINITY, reason: "429" });
  expect(agents.isResting("looks")).toBe(true);
  expect(agents.isResting("other")).toBe(false);
  expect([choose(null), choose(null, ["other"]), choose("product")]).toEqual(["other", undefined, undefined]);
  agents.wake("looks");
  expect(choose("product", ["other"])).toBe("looks");
});
