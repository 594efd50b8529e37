import { describe, expect, it } from "vitest";
import { altered } from "../../../test/support/altered.ts";
import { judge, memoryPorts } from "../../../test/support/judge.ts";
import * as preDispatch from "./pre-dispatch.ts";

const packet = {
  task_id: "T-123",
  assignment: {
    lock_scope: ["src/a.py", "tests/test_a.py"],
    forbidden_scope: ["src/b.py"],
    acceptance_criteria: ["tests pass"],
    worklog_path: "worklogs/T-123.md",
    timeout_seconds: 1200,
    heartbeat_interval_seconds: 120,
  },
  active_locks: [{ task_id: "T-101", resource: "src/c.py", active: true }],
};

const lockOf = (task_id: unknown, resource: unknown, active: unknown = true) => ({
  task_id,
  resource,
  active,
});
const checklist = {
  "assignment.objective": "round prices",
  "assignment.forbidden_actions": [],
  "assignment.evidence": ["unit tests"],
};

describe("what a packet must carry", () => {
  it.each<[string, Record<string, unknown>, string]>([
    ["the specification's example", {}, "OK"],
    ["unknown fields", { extra: 1, "assignment.extra": {} }, "OK"],
    ["no task id", { task_id: undefined }, "R-PD-001"],
    ["a null task id", { task_id: null }, "R-PD-001"],
    ["a blank task id", { task_id: "  " }, "R-PD-001"],
    ["a task id with a line break", { task_id: "T\n1" }, "R-PD-001"],
    ["a number as task id", { task_id: 7 }, "R-PD-001"],
    ["no assignment", { assignment: undefined }, "R-PD-001"],
    ["a list as assignment", { assignment: [] }, "R-PD-001"],
    ["no lock scope", { "assignment.lock_scope": undefined }, "R-PD-001"],
    ["a null lock scope", { "assignment.lock_scope": null }, "R-PD-001"],
    ["no criteria", { "assignment.acceptance_criteria": undefined }, "R-PD-001"],
    ["empty criteria", { "assignment.acceptance_criteria": [] }, "R-PD-001"],
    ["a blank criterion", { "assignment.acceptance_criteria": ["a", " "] }, "R-PD-001"],
    ["criteria as a text", { "assignment.acceptance_criteria": "tests pass" }, "R-PD-001"],
    ["no active locks", { active_locks: undefined }, "R-PD-001"],
    ["null active locks", { active_locks: null }, "R-PD-001"],
    ["a whole checklist", checklist, "OK"],
    ["an objective alone", { "assignment.objective": "round prices" }, "R-PD-001"],
    ["a checklist with a blank objective", { ...checklist, "assignment.objective": "" }, "R-PD-001"],
    ["a checklist without evidence", { ...checklist, "assignment.evidence": [] }, "R-PD-001"],
    ["a checklist with actions as a text", { ...checklist, "assignment.forbidden_actions": "x" }, "R-PD-001"],
    ["a checklist without actions", { ...checklist, "assignment.forbidden_actions": null }, "R-PD-001"],
  ])("%s: %o gives %s", async (_, changes, code) => {
    expect((await judge(preDispatch, altered(packet, changes))).code).toBe(code);
  });

  it("ignores keys of a prototype", async () => {
    const payload = JSON.parse(`{"__proto__": ${JSON.stringify(packet)}}`);
    expect((await judge(preDispatch, payload)).code).toBe("R-PD-001");
  });

  it("names the missing field", async () => {
    const verdict = await judge(preDispatch, altered(packet, { "assignment.acceptance_criteria": [] }));
    expect(verdict.details).toEqual({ field: "assignment.acceptance_criteria" });
  });
});

describe("the lock scope", () => {
  it.each<[string, unknown, string]>([
    ["empty", [], "R-PD-002"],
    ["blank", ["  "], "R-PD-002"],
    ["a text", "src", "R-PD-002"],
    ["with a number", ["src", 1], "R-PD-002"],
    ["with a null", ["src", null], "R-PD-002"],
    ["leaving the project", ["../other"], "R-PD-002"],
    ["absolute elsewhere", ["/etc"], "R-PD-002"],
    ["with NUL", ["src\u0000"], "R-PD-002"],
    ["of 1000 entries", Array.from({ length: 1000 }, (_, at) => `a/${at}`), "OK"],
    ["of 1001 entries", Array.from({ length: 1001 }, (_, at) => `a/${at}`), "R-PD-002"],
    ["absolute inside", ["/repo/src/a.py"], "OK"],
    ["a glob", ["src/**/*.py"], "OK"],
  ])("a lock scope %s is judged by its entries", async (_, lockScope, code) => {
    const changes = {
      "assignment.lock_scope": lockScope,
      "assignment.forbidden_scope": [],
      active_locks: [],
    };
    expect((await judge(preDispatch, altered(packet, changes))).code).toBe(code);
  });
});

describe("the forbidden scope", () => {
  it.each<[string, string[], unknown, string]>([
    ["absent", ["src"], undefined, "R-PD-004"],
    ["null", ["src"], null, "R-PD-004"],
    ["a text", ["src"], "src/b", "R-PD-004"],
    ["with a number", ["src"], [1], "R-PD-004"],
    ["with a blank entry", ["src"], [""], "R-PD-004"],
    ["leaving the project", ["src"], ["../x"], "R-PD-004"],
    ["empty", ["src"], [], "OK"],
    ["a carve-out strictly inside", ["src"], ["src/secret"], "OK"],
    ["a glob strictly inside", ["src"], ["src/*.key"], "OK"],
    ["beside", ["src"], ["lib"], "OK"],
    ["equal", ["src"], ["src"], "R-PD-004"],
    ["equal in another spelling", ["src"], ["./src/"], "R-PD-004"],
    ["above", ["src/a"], ["src"], "R-PD-004"],
    ["above one entry of two", ["lib", "src/a"], ["src"], "R-PD-004"],
    ["everything below a plain lock", ["src"], ["src/**"], "R-PD-004"],
    ["everything", ["."], ["**"], "R-PD-004"],
    ["the same glob", ["src/*.ts"], ["src/*.ts"], "R-PD-004"],
    ["one alternative of a lock", ["src/{a,b}"], ["src/a"], "OK"],
    ["both alternatives of a lock", ["src/{a,b}"], ["src/a", "src/b"], "R-PD-004"],
  ])("%s: lock %j and forbidden %j give %s", async (_, lock, forbidden, code) => {
    const changes = { "assignment.lock_scope": lock, "assignment.forbidden_scope": forbidden };
    expect((await judge(preDispatch, altered(packet, { ...changes, active_locks: [] }))).code).toBe(code);
  });
});

describe("worklog, times and lock records", () => {
  it.each<[string, Record<string, unknown>, string]>([
    ["no worklog", { "assignment.worklog_path": undefined }, "R-PD-005"],
    ["a blank worklog", { "assignment.worklog_path": " " }, "R-PD-005"],
    ["a worklog of the wrong type", { "assignment.worklog_path": ["a"] }, "R-PD-005"],
    ["a worklog outside", { "assignment.worklog_path": "../log.md" }, "R-PD-005"],
    ["a worklog through a link that leaves", { "assignment.worklog_path": "out/log.md" }, "R-PD-005"],
    ["no timeout", { "assignment.timeout_seconds": undefined }, "R-PD-006"],
    ["a timeout of zero", { "assignment.timeout_seconds": 0 }, "R-PD-006"],
    ["a timeout as a text", { "assignment.timeout_seconds": "1200" }, "R-PD-006"],
    ["half a second more", { "assignment.timeout_seconds": 1200.5 }, "R-PD-006"],
    ["a timeout beyond whole numbers", { "assignment.timeout_seconds": 2 ** 53 }, "R-PD-006"],
    ["no heartbeat", { "assignment.heartbeat_interval_seconds": undefined }, "R-PD-006"],
    ["a negative heartbeat", { "assignment.heartbeat_interval_seconds": -1 }, "R-PD-006"],
    ["a heartbeat as long as the timeout", { "assignment.heartbeat_interval_seconds": 1200 }, "R-PD-006"],
    ["a heartbeat just shorter", { "assignment.heartbeat_interval_seconds": 1199 }, "OK"],
    ["a table that is not a list", { active_locks: {} }, "R-PD-007"],
    ["a record that is not an object", { active_locks: ["src"] }, "R-PD-007"],
    ["a null record", { active_locks: [null] }, "R-PD-007"],
    ["a record without task", { active_locks: [lockOf(undefined, "src")] }, "R-PD-007"],
    ["a record with a blank task", { active_locks: [lockOf(" ", "src")] }, "R-PD-007"],
    ["a record without resource", { active_locks: [lockOf("T-1", undefined)] }, "R-PD-007"],
    ["a record with a blank resource", { active_locks: [lockOf("T-1", " ")] }, "R-PD-007"],
    ["a record that leaves the project", { active_locks: [lockOf("T-1", "../x")] }, "R-PD-007"],
    ["a record with active as a word", { active_locks: [lockOf("T-1", "x", "true")] }, "R-PD-007"],
    ["a record with active as a number", { active_locks: [lockOf("T-1", "x", 1)] }, "R-PD-007"],
    ["an own record that is malformed", { active_locks: [lockOf("T-123", "x", "true")] }, "R-PD-007"],
  ])("%s: %o gives %s", async (_, changes, code) => {
    const ports = memoryPorts({ "/repo/out": { to: "/elsewhere" } });
    expect((await judge(preDispatch, altered(packet, changes), ports)).code).toBe(code);
  });
});

describe("overlap with active locks", () => {
  it.each<[string, string, unknown, string]>([
    ["the same path", "src/a", lockOf("T-1", "src/a"), "R-PD-003"],
    ["a folder above", "src/a", lockOf("T-1", "src"), "R-PD-003"],
    ["a path below", "src", lockOf("T-1", "src/a/b"), "R-PD-003"],
    ["the same name prefix", "src/a", lockOf("T-1", "src/ab"), "OK"],
    ["another spelling", "./src//a/", lockOf("T-1", "src\\a"), "R-PD-003"],
    ["the root", "src", lockOf("T-1", "."), "R-PD-003"],
    ["a glob that can match", "src/a.ts", lockOf("T-1", "src/*.ts"), "R-PD-003"],
    ["globs that cannot meet", "src/*.py", lockOf("T-1", "src/*.ts"), "OK"],
    ["an inactive lock", "src", lockOf("T-1", "src", false), "OK"],
    ["an own lock", "src", lockOf("T-123", "src"), "OK"],
    ["another case", "src", lockOf("T-1", "SRC"), "OK"],
  ])("%s: %s against %o gives %s", async (_, lock, record, code) => {
    const changes = { "assignment.lock_scope": [lock], active_locks: [record] };
    expect((await judge(preDispatch, altered(packet, changes))).code).toBe(code);
  });

  it("counts the worklog as part of the lock", async () => {
    const payload = altered(packet, { active_locks: [lockOf("T-1", "worklogs")] });
    expect((await judge(preDispatch, payload)).code).toBe("R-PD-003");
  });

  it("refuses a table with too many globs to compare", async () => {
    const globs = Array.from({ length: 1001 }, (_, at) => lockOf(`T-${at}`, `lib/**/f${at}`));
    expect((await judge(preDispatch, altered(packet, { active_locks: globs }))).code).toBe("R-PD-007");
    expect((await judge(preDispatch, altered(packet, { active_locks: globs.slice(1) }))).code).toBe("OK");
  });

  it("ignores case if the file system does", async () => {
    const ports = memoryPorts();
    const folding = { ...ports, place: { ...ports.place, folds: true } };
    const payload = altered(packet, { active_locks: [lockOf("T-1", "SRC/A.PY")] });
    expect((await judge(preDispatch, payload, folding)).code).toBe("R-PD-003");
  });

  it("names both sides of the conflict", async () => {
    const payload = altered(packet, { active_locks: [lockOf("T-9", "docs"), lockOf("T-101", "src")] });
    expect((await judge(preDispatch, payload)).details).toEqual({
      task_id: "T-123",
      resource: "src/a.py",
      conflict_task_id: "T-101",
      conflict_resource: "src",
    });
  });
});

describe("precedence", () => {
  // Each breaks one rule; if two are combined, the earlier one in this list decides.
  const faults: [string, Record<string, unknown>][] = [
    ["R-PD-001", { task_id: "" }],
    ["R-PD-002", { "assignment.lock_scope": [] }],
    ["R-PD-004", { "assignment.forbidden_scope": "x" }],
    ["R-PD-005", { "assignment.worklog_path": "" }],
    ["R-PD-006", { "assignment.timeout_seconds": 0 }],
    ["R-PD-007", { active_locks: [lockOf("T-1", "src"), lockOf("T-2", "x", "true")] }],
  ];
  const conflict = { active_locks: [lockOf("T-1", "src")] };

  it("reports the conflict last, after every fault of form", async () => {
    expect((await judge(preDispatch, altered(packet, conflict))).code).toBe("R-PD-003");
    for (const [code, fault] of faults)
      expect((await judge(preDispatch, altered(packet, { ...conflict, ...fault }))).code).toBe(code);
  });

  it("follows the order of the table for every pair", async () => {
    for (const [at, [code, fault]] of faults.entries())
      for (const [, later] of faults.slice(at + 1))
        expect((await judge(preDispatch, altered(packet, { ...later, ...fault }))).code).toBe(code);
  });
});
