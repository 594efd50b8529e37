import { describe, expect, it } from "vitest";
import { continueCommands } from "./continue-run.ts";

const plan = (session: string) => `\`lockstep run .agents-work/${session}/tasks.yaml\``;

describe("the command that continues tasks", () => {
  it.each([
    [["a/A", "a/B", "T-1"], "`lockstep run`"],
    [["a/A", "b/A", "b/B"], `${plan("a")} or ${plan("b")}`],
    [["a/A", "b/A", "c/A"], `${plan("a")}, ${plan("b")} or ${plan("c")}`],
    [
      ["a/A", "b/A", "c/A", "d/A"],
      `${plan("a")}, ${plan("b")}, ${plan("c")} or one of \`lockstep session list\``,
    ],
  ])("of %j", (keys, commands) => {
    expect(continueCommands(keys)).toBe(commands);
  });
});
