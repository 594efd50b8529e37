import { describe, expect, it } from "vitest";
import { altered } from "../../../test/support/altered.ts";
import { judge, memoryPorts } from "../../../test/support/judge.ts";
import * as preExecution from "./pre-execution.ts";

const start = {
  task_id: "T-123",
  assignment: { lock_scope: ["src/a", "docs/**"], forbidden_scope: [] },
  dependencies: [{ task_id: "T-100", status: "done" }],
  active_locks: [
    { task_id: "T-123", resource: "src", active: true },
    { task_id: "T-123", resource: "docs/**", active: true },
    { task_id: "T-7", resource: "lib", active: true },
  ],
  sandbox: { ready: true, root: "." },
};

const ports = memoryPorts({ "/box": null, "/repo/file": "x", "/repo/box": { to: "/box" } });
const dependency = (status: unknown) => ({ dependencies: [{ task_id: "T-100", status }] });
const locks = (...records: [unknown, unknown, unknown][]) => ({
  active_locks: records.map(([task_id, resource, active]) => ({ task_id, resource, active })),
});
const own: [string, string, boolean] = ["T-123", ".", true];

describe("before a subagent starts", () => {
  it.each<[string, Record<string, unknown>, string]>([
    ["all is ready", {}, "OK"],
    ["no dependencies", { dependencies: [] }, "OK"],
    ["DONE", dependency("DONE"), "OK"],
    ["Completed", dependency("Completed"), "OK"],
    ["MERGED", dependency("MERGED"), "OK"],
    ["a dependency in progress", dependency("in_progress"), "R-PE-001"],
    ["a failed dependency", dependency("failed"), "R-PE-001"],
    ["a dependency without status", dependency(undefined), "R-PE-001"],
    ["dependencies left out", { dependencies: undefined }, "R-PE-001"],
    ["dependencies of the wrong type", { dependencies: {} }, "R-PE-001"],
    ["a dependency that is a text", { dependencies: ["T-100"] }, "R-PE-001"],
    ["a dependency without id", { dependencies: [{ status: "done" }] }, "R-PE-001"],
    ["no task id", { task_id: undefined }, "R-PE-002"],
    ["no assignment", { assignment: null }, "R-PE-002"],
    ["an empty scope", { "assignment.lock_scope": [] }, "R-PE-002"],
    ["a scope that leaves the project", { "assignment.lock_scope": ["../x"] }, "R-PE-002"],
    ["no lock table", { active_locks: undefined }, "R-PE-002"],
    ["a malformed lock table", locks(own, ["T-1", "x", "yes"]), "R-PE-002"],
    ["all locks lost", { active_locks: [] }, "R-PE-002"],
    ["one of two locks lost", locks(["T-123", "src", true]), "R-PE-002"],
    ["an inactive lock", locks(["T-123", ".", false]), "R-PE-002"],
    ["a lock narrower than the scope", locks(["T-123", "src/a/b", true]), "R-PE-002"],
    ["one lock over everything", locks(own), "OK"],
    ["another task's lock inside", locks(own, ["T-7", "src/a/b", true]), "R-PE-002"],
    ["another task's lock above", locks(own, ["T-7", "src", true]), "R-PE-002"],
    ["another task's inactive lock", locks(own, ["T-7", "src", false]), "OK"],
    ["no sandbox", { sandbox: undefined }, "R-PE-003"],
    ["a sandbox not ready", { "sandbox.ready": false }, "R-PE-003"],
    ["ready as a word", { "sandbox.ready": "true" }, "R-PE-003"],
    ["no sandbox root", { "sandbox.root": undefined }, "R-PE-003"],
    ["a root that does not exist", { "sandbox.root": "nowhere" }, "R-PE-003"],
    ["a root that is a file", { "sandbox.root": "file" }, "R-PE-003"],
    ["a root with a line break", { "sandbox.root": "box\n" }, "R-PE-003"],
    ["an absolute root elsewhere", { "sandbox.root": "/box" }, "OK"],
    ["a root that is a link to a folder", { "sandbox.root": "box" }, "OK"],
  ])("%s: %o gives %s", async (_, changes, code) => {
    expect((await judge(preExecution, altered(start, changes), ports)).code).toBe(code);
  });

  it("lists every dependency that it waits for", async () => {
    const dependencies = ["done", "todo", "merged", "failed"].map((status, at) => ({
      task_id: `T-${at}`,
      status,
    }));
    const verdict = await judge(preExecution, altered(start, { dependencies }), ports);
    expect(verdict.details).toEqual({ waiting_for: ["T-1", "T-3"] });
  });

  it("judges dependencies first, then the lock, then the sandbox", async () => {
    const sandbox = { sandbox: null };
    const lock = { active_locks: null };
    const code = async (changes: object) =>
      (await judge(preExecution, altered(start, { ...changes }), ports)).code;
    expect(await code({ ...sandbox, ...lock, dependencies: null })).toBe("R-PE-001");
    expect(await code({ ...sandbox, ...lock })).toBe("R-PE-002");
    expect(await code(sandbox)).toBe("R-PE-003");
  });
});
