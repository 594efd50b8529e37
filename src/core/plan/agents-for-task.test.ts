import { describe, expect, it } from "vitest";
import { agentsForTask } from "./agents-for-task.ts";

const agents = {
  coder: { role: "Coder" },
  strong: { role: "Coder" },
  tests: { role: "QA" },
};
const taskTypes = {
  product: { agents: { implementer: ["strong", "tests"] } },
  docs: { agents: { implementer: null } },
};

describe("the agents for a task", () => {
  it.each<[string, string | null, string | null, string[]]>([
    ["are the one that it names", "tests", null, ["tests"]],
    ["are all of the role that it names", "Coder", null, ["coder", "strong"]],
    ["are the implementers of its type", null, "product", ["strong", "tests"]],
    ["are those of a role among the implementers", "Coder", "product", ["strong"]],
    ["are none if the type excludes the named agent", "coder", "product", []],
    ["are the named one if the type allows all agents", "tests", "docs", ["tests"]],
    ["are all coders if neither agent nor type is given", null, null, ["coder", "strong"]],
    ["are none for the name of a prototype's property", "constructor", "toString", []],
  ])("%s", (_, agent, type, names) => {
    expect(agentsForTask({ agent, type }, { agents, taskTypes })).toEqual(names);
  });

  it("are the only configured agent, with any role", () => {
    const only = { agents: { x: { role: "Docs" } }, taskTypes: {} };
    expect(agentsForTask({ agent: null, type: null }, only)).toEqual(["x"]);
  });
});
