import { describe, expect, it } from "vitest";
import { readAssignment } from "./assignment.ts";

describe("an assignment", () => {
  it("is the document itself, including the keys that Lockstep does not read", () => {
    const document = {
      ...{ lock_scope: ["src/"], forbidden_scope: [], acceptance_criteria: ["cmd: npm test"] },
      ...{ worklog_path: "log.md", timeout_seconds: 900, heartbeat_interval_seconds: 60 },
      ...{ objective: "a shop", proves: [], uses: ["db"], may_change_tests: null, branch: "feature/x" },
      ...{ deadline: "soon", nested: { lock_scope: 1 } },
    };
    expect(readAssignment(document)).toBe(document);
  });

  it.each<[string, unknown]>([
    ["lock_scope", "src/"],
    ["lock_scope", ["src/", 3]],
    ["forbidden_scope", { paths: [] }],
    ["acceptance_criteria", true],
    ["worklog_path", ["log.md"]],
    ["timeout_seconds", "900"],
    ["heartbeat_interval_seconds", []],
    ["objective", 1],
    ["proves", "npm test"],
    ["uses", "db"],
    ["may_change_tests", "test/"],
    ["branch", {}],
  ])("separates a field of the wrong type: %s %j", (name, value) => {
    const read = readAssignment({ [name]: value, deadline: "soon" });
    expect(read).toEqual({ deadline: "soon", unread: { [name]: value } });
    expect(readAssignment(read)).toBe(read);
  });

  it.each([[null], [undefined], ["src/"], [["src/"]]])("is empty if it is not a document: %j", (document) => {
    expect(readAssignment(document)).toEqual({});
  });
});
