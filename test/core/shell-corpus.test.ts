import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { fixtureProject } from "../support/fixture-project.ts";

interface Row {
  readonly id: string;
  readonly command: string;
}

interface Vector {
  readonly id: string;
  readonly tool: string;
  readonly input: string;
  readonly expect: string;
  readonly runnable: boolean;
}

const rowsOf = <T>(path: string): T[] =>
  readFileSync(new URL(path, import.meta.url), "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line.replaceAll("<+>", "")) as T);

const project = fixtureProject;

const attacks = rowsOf<Row>("../corpus/attacks.jsonl");
const ordinary = rowsOf<Row>("../corpus/ordinary.jsonl");
const opaque = rowsOf<Row>("../corpus/opaque.jsonl");
const vectors = rowsOf<Vector>("../vectors/guard.jsonl").filter((row) => row.tool === "Bash" && row.runnable);

it("the corpora are complete", () => {
  expect(attacks.length).toBeGreaterThanOrEqual(1740);
  expect(ordinary.length).toBeGreaterThanOrEqual(1100);
  expect(opaque.length).toBeGreaterThanOrEqual(140);
  expect(vectors.length).toBe(76);
});

it("no command is refused because the analysis itself failed", () => {
  const commands = [...attacks, ...ordinary, ...opaque].map(({ command }) => command);
  const failed = commands.filter((command) =>
    project.analyze(command).refusals.some(({ why }) => why.includes("the analysis failed")),
  );
  expect(failed).toEqual([]);
});

describe("dangerous commands are refused", () => {
  it.each(attacks)("$id: $command", ({ command }) => {
    expect(project.judge(command)).not.toEqual([]);
  });
});

describe("ordinary commands are allowed", () => {
  it.each(ordinary)("$id: $command", ({ command }) => {
    expect(project.judge(command)).toEqual([]);
  });
});

describe("commands with unknown effects are allowed and called opaque", () => {
  it.each(opaque)("$id: $command", ({ command }) => {
    expect(project.judge(command)).toEqual([]);
    expect(project.analyze(command).opaque).not.toEqual([]);
  });
});

describe("the guard's own cases", () => {
  it.each(vectors)("$id", ({ input, expect: expected }) => {
    const command =
      typeof input === "string" ? input : (input as { tool_input: { command: string } }).tool_input.command;
    const objections = project.judge(command);
    if (expected.startsWith("deny")) expect(objections).not.toEqual([]);
    else expect(objections).toEqual([]);
    if (expected === "post-check") expect(project.analyze(command).opaque).not.toEqual([]);
  });
});
