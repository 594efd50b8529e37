import { describe, expect, it } from "vitest";
import { memoryPorts } from "../../test/support/judge.ts";
import type { Ports } from "../core/points/ports.ts";
import { payloadBytesMax, runPoint } from "./run-point.ts";

const bytes = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));
const write = {
  task_id: "T-1",
  assignment: { lock_scope: ["src"], forbidden_scope: [] },
  write: { resource: "src/a", action: "edit" },
};

describe("one hook call", () => {
  it("denies with an internal code when something under the rules fails", async () => {
    const ports: Ports = {
      ...memoryPorts(),
      disk: {
        ...memoryPorts().disk,
        realPath: () => {
          throw new Error("the disk\nis gone");
        },
      },
    };
    expect(await runPoint("PreWrite", bytes(write), ports)).toEqual({
      allow: false,
      code: "E-INTERNAL",
      reason: "Lockstep failed internally, so the call is denied: the disk is gone",
      details: {},
    });
  });

  it("denies with an internal code when the secret scan fails", async () => {
    const ports = {
      ...memoryPorts({ "/repo/log": "x" }),
      findSecrets: () => Promise.reject(new Error("no rules")),
    };
    const result = { status: "blocked", changes: [], acceptance_check: [], notes_for_orchestrator: ["hi"] };
    const payload = { ...write, result: { ...result, worklog_path: "log" } };
    expect((await runPoint("PostExecution", bytes(payload), ports)).code).toBe("E-INTERNAL");
  });

  it.each<[string, number, string]>([
    ["at the limit", payloadBytesMax, "OK"],
    ["one byte beyond", payloadBytesMax + 1, "R-IN-001"],
  ])("a payload %s is judged by its bytes", async (_, length, code) => {
    const padded = new Uint8Array(length).fill(0x20);
    padded.set(bytes(write));
    expect((await runPoint("PreWrite", padded, memoryPorts())).code).toBe(code);
  });

  it("adds the details of an allow", async () => {
    const tick = { now: "2026-02-14T20:00:00Z", tasks: [] };
    expect(await runPoint("WatchdogTick", bytes(tick), memoryPorts())).toEqual({
      allow: true,
      code: "OK",
      reason: "Validation passed",
      details: { timed_out_count: 0 },
    });
    const snapshot = { ledger: [], locks: [], blockers: [], learnings: [] };
    expect(await runPoint("PreCompact", bytes({ session: "demo", snapshot }), memoryPorts())).toMatchObject({
      allow: true,
      details: { path: "/snapshots/demo.json" },
    });
  });

  it("gives the position of a syntax error, without repeating the text", async () => {
    const verdict = await runPoint("PreWrite", new TextEncoder().encode('{"pass": hunter2}'), memoryPorts());
    expect(verdict.reason).toBe("the payload is not one JSON document: Unexpected token 'h'");
  });
});
