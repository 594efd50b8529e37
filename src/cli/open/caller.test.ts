import { describe, expect, it } from "vitest";
import { callFrom } from "./caller.ts";

describe("the caller of a command", () => {
  it.each<[string, NodeJS.ProcessEnv, object, object]>([
    ["nothing is set", {}, {}, { role: "person" }],
    ["an epoch is given", {}, { epoch: "3" }, { role: "person", epoch: 3 }],
    ["the environment has an epoch", { LOCKSTEP_EPOCH: "4" }, {}, { role: "person", epoch: 4 }],
    ["both have an epoch", { LOCKSTEP_EPOCH: "4" }, { epoch: "0" }, { role: "person", epoch: 0 }],
    ["the environment has a task", { LOCKSTEP_TASK: "T-1" }, {}, { role: "attempt", task: "T-1" }],
    [
      "the environment has everything",
      { LOCKSTEP_TASK: "T-1", LOCKSTEP_EPOCH: "2", LOCKSTEP_TOKEN: "abc" },
      {},
      { role: "attempt", task: "T-1", epoch: 2, token: "abc" },
    ],
    ["empty values", { LOCKSTEP_TASK: "", LOCKSTEP_EPOCH: "", LOCKSTEP_TOKEN: "" }, {}, { role: "person" }],
    ["a token without a task", { LOCKSTEP_TOKEN: "abc" }, {}, { role: "person" }],
    ["an orchestrating role", { CLAUDE_AGENT_ROLE: " Orchestrator " }, {}, { role: "orchestrator" }],
    ["an orchestrating name", { CLAUDE_AGENT_NAME: "master-orchestrator" }, {}, { role: "orchestrator" }],
    [
      "another role before the name",
      { CLAUDE_AGENT_ROLE: "developer", CLAUDE_AGENT_NAME: "orchestrator" },
      {},
      { role: "person" },
    ],
    [
      "a task of an orchestrator",
      { LOCKSTEP_TASK: "T-1", CLAUDE_AGENT_ROLE: "orchestrator" },
      {},
      { role: "attempt", task: "T-1" },
    ],
    ["a key", {}, { key: "k-1" }, { role: "person", key: "k-1" }],
  ])("is identified by its environment: %s", (_name, environment, options, call) => {
    expect(callFrom(environment, options)).toEqual(call);
  });

  it.each<[string, NodeJS.ProcessEnv, object]>([
    ["an invalid task", { LOCKSTEP_TASK: "a b" }, {}],
    ["an invalid epoch", {}, { epoch: "x" }],
    ["a negative epoch", {}, { epoch: "-1" }],
    ["half an epoch", {}, { epoch: "1.5" }],
    ["a key with blanks", {}, { key: "a b" }],
    ["an empty key", {}, { key: "" }],
  ])("is refused with %s", (_name, environment, options) => {
    expect(callFrom(environment, options)).toMatchObject({ allow: false, code: "R-IN-001" });
  });
});
