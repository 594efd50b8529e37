import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { displayWidth } from "../../src/core/text/display-width.ts";
import { commandMessage, readLimitMessage, toolMessage } from "../../src/guard/orchestrator/messages.ts";
import { judgeOrchestrator } from "../../src/guard/orchestrator/rules.ts";
import { callOf, freshState, ground, reading, shell, writing } from "../support/orchestrator-ground.ts";

const refusal = (call: ReturnType<typeof callOf>, state = freshState) =>
  judgeOrchestrator(call, state, ground).answer.reason;

describe("the boxes of the source document", () => {
  it("for a Write", () => {
    expect(refusal(callOf("Write", writing()))).toBe(
      `╔═══════════════════════════════════════════════════════════════════╗
║  ORCHESTRATOR VIOLATION - HARD BLOCK                              ║
╠═══════════════════════════════════════════════════════════════════╣
║  Tool: Write                                                      ║
║  Reason: Orchestrators MUST NOT write files directly              ║
║  Action: Spawn developer subagent via Task tool                   ║
╠═══════════════════════════════════════════════════════════════════╣
║  CORRECT PATTERN:                                                 ║
║  Task: developer                                                  ║
║  Prompt: "[Describe what you want done]"                          ║
╚═══════════════════════════════════════════════════════════════════╝`,
    );
  });

  it("for a third Read", () => {
    expect(refusal(callOf("Read", reading("/repo/src/a.ts")), { ...freshState, read_count: 2 })).toBe(
      `╔═══════════════════════════════════════════════════════════════════╗
║  ORCHESTRATOR VIOLATION - 2-FILE RULE EXCEEDED                    ║
╠═══════════════════════════════════════════════════════════════════╣
║  Tool: Read (attempt #3)                                          ║
║  Reason: Orchestrators limited to 2 Read calls (coordination only)║
║  Action: Spawn analyst or Explore subagent via Task tool          ║
╠═══════════════════════════════════════════════════════════════════╣
║  You have already read 2 file(s). Orchestrators are limited       ║
║  to 2 Read calls for coordination purposes only.                  ║
║                                                                   ║
║  For file analysis, spawn analyst or Explore subagent.            ║
╚═══════════════════════════════════════════════════════════════════╝`,
    );
  });

  it("for a dangerous command", () => {
    expect(refusal(callOf("Bash", shell('git add . && git commit -m "changes"')))).toBe(
      `╔═══════════════════════════════════════════════════════════════════╗
║  ORCHESTRATOR VIOLATION - DANGEROUS COMMAND BLOCKED               ║
╠═══════════════════════════════════════════════════════════════════╣
║  Command: git add . && git commit -m "changes"                    ║
║  Reason: Orchestrators MUST NOT run git/rm/validation commands    ║
║  Action: Spawn developer or qa subagent via Task tool             ║
╚═══════════════════════════════════════════════════════════════════╝`,
    );
  });
});

describe("the frame", () => {
  const holds = (box: string) => {
    const lines = box.split("\n");
    expect(lines.length).toBeLessThan(20);
    for (const line of lines) {
      expect(displayWidth(line)).toBe(69);
      expect(line).toMatch(/^(?:[╔╠]═{67}[╗╣]|╚═{67}╝|║.*║)$/u);
    }
  };

  it.each([
    ["a long command", `git commit -m "${"many words ".repeat(60)}"`],
    ["one long word", `git ${"x".repeat(500)}`],
    ["wide characters", `git commit -m "${"価格を丸める".repeat(40)}"`],
    ["emoji", `git commit -m "${"👩‍💻🚀".repeat(60)}"`],
    ["line breaks and control characters", "git \r\n\tcommit\u001b[31m -m\u0007 'a\nb'\u2028\u202e"],
    ["combining characters", `git ${"e\u0301".repeat(200)}`],
    ["a frame of its own", "git ║ ╔══╗ ".repeat(30)],
  ])("encloses %s", (_, command) => {
    const box = refusal(callOf("Bash", shell(command)));
    expect(box).toContain("Command: git");
    holds(box);
  });

  it("encloses any text", () => {
    const text = fc.string({ unit: "binary", maxLength: 700 });
    fc.assert(
      fc.property(text, text, fc.nat(), (one, other, count) => {
        holds(commandMessage({ command: one, reason: other, delegate: other.slice(0, 80) }));
        holds(toolMessage({ tool: one, does: other, delegate: one }));
        holds(readLimitMessage({ tool: one, attempt: count, count }));
      }),
    );
  });

  it("shortens a name and a command visibly", () => {
    expect(toolMessage({ tool: "t".repeat(90), does: "x", delegate: "d" })).toContain(
      `Tool: ${"t".repeat(39)}…`,
    );
    expect(commandMessage({ command: "c".repeat(900), reason: "x", delegate: "d" })).toMatch(/c…/);
  });
});
