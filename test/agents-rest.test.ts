import { expect, it } from "vitest";
import { Agents } from "../src/run/attempt/agents.ts";
import { configOf, ownConfig } from "./support/loaded-config.ts";

it("those who have the same account rest together, and nobody who has another one", async () => {
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
