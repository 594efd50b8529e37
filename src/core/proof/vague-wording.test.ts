import { describe, expect, it } from "vitest";
import { vagueWarnings } from "./vague-wording.ts";

describe("a criterion", () => {
  it.each([
    ["stuff"],
    ["good"],
    ["works"],
    ["It works."],
    ["it works as expected!"],
    ["the code is clean and robust"],
    ["manual: looks good"],
    ["MANUAL : fine"],
    ["No bugs"],
    ["everything is done correctly"],
    ["…"],
    [""],
  ])("that names nothing to check gets a warning with a better one: %j", (line) => {
    expect(vagueWarnings({ criteria: [line] })).toEqual([
      `\`${line}\` cannot be checked: name a command or what to look at, such as \`cmd: npm test\` or \`manual: the invoice shows two digits\``,
    ]);
  });

  it.each([
    ["cmd: true"],
    ["cmd: works"],
    ["tests pass"],
    ["npm test"],
    ["manual: it reads well"],
    ["manual: the wording is nice"],
    ["the build works"],
    ["it works in Firefox"],
    ["works with 3"],
    ["a.txt is fine"],
    ["exit 0"],
    ["GET /health is ok"],
    ["es funktioniert"],
    ["動作する"],
  ])("that a command or a person can check gets no warning: %j", (line) => {
    expect(vagueWarnings({ criteria: [line] })).toEqual([]);
  });
});

describe("a goal", () => {
  it.each([
    ["fix it"],
    ["Make things better"],
    ["stuff"],
    ["improve the code quality"],
    ["Fix the bug"],
    ["\n"],
  ])("that does not say what will change gets a warning with a better one: %j", (goal) => {
    expect(vagueWarnings({ goal, criteria: ["cmd: npm test"] })).toEqual([
      `the goal \`${goal}\` does not say what will change: name something that can be seen or measured, such as \`totals are rounded to two digits\``,
    ]);
  });

  it.each([
    ["round prices"],
    ["do A"],
    ["fix #12"],
    ["write a.txt"],
    ["make the report faster than 2 s"],
    ["g"],
  ])("that names something concrete gets no warning: %j", (goal) => {
    expect(vagueWarnings({ goal, criteria: [] })).toEqual([]);
  });

  it("is reported before the criteria, and each criterion is reported", () => {
    const warnings = vagueWarnings({ goal: "fix it", criteria: ["good", "cmd: npm test", "manual: fine"] });
    expect(warnings.map((line) => /`([^`]*)`/.exec(line)?.[1])).toEqual(["fix it", "good", "manual: fine"]);
  });
});
