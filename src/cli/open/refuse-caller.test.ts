import type { Command } from "commander";
import { describe, expect, it } from "vitest";
import { commandRight } from "../../core/shell/programs/agents/own-commands.ts";
import { lockstepProgram } from "../commands/lockstep-program.ts";

describe("Lockstep's commands", () => {
  it("are for people only, except these", () => {
    const open = leavesOf(lockstepProgram()).filter((words) => commandRight(words) !== "person");
    const byRight = Object.groupBy(open, (words) => commandRight(words));
    expect(
      Object.fromEntries(Object.entries(byRight).map(([right, all]) => [right, all.map(said).sort()])),
    ).toEqual({
      anyone: [
        ...[
          "__complete",
          "agent-session summary",
          "agent-session validate",
          "claim",
          "completion",
          "explain",
        ],
        ...["help", "hook", "schema", "self-check", "status", "task list", "task show"],
      ],
      task: ["heartbeat", "submit", "task escalate", "widen"],
      orchestrator: ["decide", "dispatch", "lock list", "report"],
    });
  });

  it.each([
    ["decide UD-1", "person"],
    ["decide UD-1 approved", "person"],
    ["agent-session init orchestrator", "orchestrator"],
    ["agent-session init developer", "person"],
    ["dispatch packet.json", "orchestrator"],
    ["statusx", "person"],
    ["task", "person"],
    ["", "person"],
  ])("%s: %s", (words, right) => {
    expect(commandRight(words.split(" "))).toBe(right);
  });
});

const said = (words: readonly string[]) => words.join(" ");

function leavesOf(command: Command): readonly string[][] {
  return command.commands.flatMap((one) => {
    const below = leavesOf(one).map((words) => [one.name(), ...words]);
    return below.length === 0 ? [[one.name()]] : below;
  });
}
