import { describe, expect, it } from "vitest";
import { asCriterion, commandsIn, isCommand, readCriterion, statementsIn } from "./criterion.ts";

describe("a criterion", () => {
  it.each([
    ["cmd: npm test", "npm test"],
    ["cmd:npm test", "npm test"],
    ["CMD: npm test", "npm test"],
    ["Cmd :  npm test  ", "npm test"],
    [" cmd: npm test", "npm test"],
    ["\u00a0\tcmd: npm test", "npm test"],
    ["\ufeffcmd: npm test", "npm test"],
    ["cmd: npm run a\nnpm run b\n", "npm run a\nnpm run b"],
    ["cmd: manual: x", "manual: x"],
    ["cmd:", ""],
  ])("%j is a command", (line, command) => {
    expect(readCriterion(line)).toEqual({ kind: "command", command });
    expect([isCommand(line), commandsIn([line]), statementsIn([line])]).toEqual([true, [command], []]);
    expect(asCriterion(line)).toBe(line.trim());
  });

  it.each([
    ["manual: it reads well", "it reads well"],
    [" MANUAL : it reads well ", "it reads well"],
    ["manual: see cmd: x", "see cmd: x"],
  ])("%j is for a person", (line, statement) => {
    expect(readCriterion(line)).toEqual({ kind: "manual", statement });
    expect([isCommand(line), commandsIn([line]), statementsIn([line])]).toEqual([false, [], [statement]]);
    expect(asCriterion(line)).toBe(line.trim());
  });

  it.each(["npm test", "command: npm test", "cmd npm test", "cmd\uff1a npm test", "see cmd: x", ""])(
    "%j is a claim, and a command where only commands are allowed",
    (line) => {
      expect(readCriterion(line)).toEqual({ kind: "claim", text: line });
      expect([isCommand(line), commandsIn([line]), statementsIn([line])]).toEqual([false, [], []]);
      expect(asCriterion(line)).toBe(`cmd: ${line}`);
    },
  );

  it("counts once, in any spelling", () => {
    expect(commandsIn(["cmd: a", "CMD:a", "manual: b", "cmd: c"])).toEqual(["a", "c"]);
    expect(statementsIn(["cmd: a", "manual: b", "Manual: b"])).toEqual(["b"]);
  });
});
