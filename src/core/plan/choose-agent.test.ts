import { describe, expect, it } from "vitest";
import { chooseAgent } from "./choose-agent.ts";

const agents = {
  quick: { escalate_to: "strong", fallback: "spare" },
  strong: { escalate_to: null, fallback: null },
  spare: { escalate_to: null, fallback: "quick" },
};
const chosen = (name: string, { failed = false, paused = [] as string[] } = {}) =>
  chooseAgent(name, agents, { failed, isPaused: (one) => paused.includes(one) });

describe("the agent of the next attempt", () => {
  it("is the agent of the plan", () => expect(chosen("quick")).toBe("quick"));
  it("is another one after repeated failures, if the configuration names one", () => {
    expect(chosen("quick", { failed: true })).toBe("strong");
    expect(chosen("strong", { failed: true })).toBe("strong");
  });
  it("is the fallback while the client is out of quota", () => {
    expect(chosen("quick", { paused: ["quick"] })).toBe("spare");
    expect(chosen("quick", { paused: ["quick", "spare"] })).toBeUndefined();
    expect(chosen("quick", { failed: true, paused: ["strong"] })).toBeUndefined();
  });
  it("stays the same if no other agent is configured", () =>
    expect(chosen("constructor", { failed: true })).toBe("constructor"));
});
