import { describe, expect, it } from "vitest";
import { altered } from "../../../test/support/altered.ts";
import { judge } from "../../../test/support/judge.ts";
import * as watchdogTick from "./watchdog-tick.ts";

const now = "2026-02-14T20:00:00Z";
const task = (last_heartbeat_at: unknown, more: object = {}) => ({
  task_id: "T-123",
  status: "in_progress",
  timeout_seconds: 1200,
  last_heartbeat_at,
  ...more,
});
const fresh = task("2026-02-14T19:55:00Z");
const late = task("2026-02-14T19:20:00Z", { task_id: "T-late" });
const future = task("2026-02-14T20:10:31Z", { task_id: "T-future" });

describe("one tick", () => {
  it.each<[string, unknown[], string]>([
    ["no tasks", [], "OK"],
    ["a fresh heartbeat", [fresh], "OK"],
    ["the specification's example", [task("2026-02-14T19:30:00Z")], "R-WD-001"],
    ["exactly the timeout", [task("2026-02-14T19:40:00Z")], "OK"],
    ["a moment more", [task("2026-02-14T19:39:59.999Z")], "R-WD-001"],
    ["late, in capitals", [{ ...late, status: "IN_PROGRESS" }], "R-WD-001"],
    ["late, with a dash", [{ ...late, status: "in-progress" }], "R-WD-001"],
    ["done long ago", [{ ...late, status: "done" }], "OK"],
    ["not started, without a heartbeat", [{ task_id: "T-2", status: "todo", last_heartbeat_at: null }], "OK"],
    ["30 s in the future", [task("2026-02-14T20:00:30Z")], "OK"],
    ["more than 30 s in the future", [task("2026-02-14T20:00:30.001Z")], "R-WD-002"],
    ["no heartbeat", [task(null)], "R-WD-002"],
    ["a number as heartbeat", [task(1771099200)], "R-WD-002"],
    ["a heartbeat that is not a date", [task("2026-02-30T19:55:00Z")], "R-WD-002"],
    ["a heartbeat in another zone", [task("2026-02-14T20:55:00+01:00")], "OK"],
    ["a heartbeat without a zone", [task("2026-02-14T19:55:00")], "OK"],
    ["no timeout", [task(fresh.last_heartbeat_at, { timeout_seconds: undefined })], "R-WD-002"],
    ["a timeout of zero", [task(fresh.last_heartbeat_at, { timeout_seconds: 0 })], "R-WD-002"],
    ["a timeout as a text", [task(fresh.last_heartbeat_at, { timeout_seconds: "1200" })], "R-WD-002"],
    ["a record that is a text", ["T-123"], "R-WD-002"],
    ["a record without id", [{ status: "todo" }], "R-WD-002"],
    ["a record without status", [{ task_id: "T-1" }], "R-WD-002"],
    ["a bad one before a late one", [future, late], "R-WD-001"],
  ])("%s: %j gives %s", async (_, tasks, code) => {
    expect((await judge(watchdogTick, { now, tasks })).code).toBe(code);
  });

  it.each<[string, Record<string, unknown>, string]>([
    ["no now", { now: undefined }, "R-WD-002"],
    ["a now that is not a time", { now: "today" }, "R-WD-002"],
    ["no tasks", { tasks: undefined }, "R-WD-002"],
    ["tasks that are not a list", { tasks: {} }, "R-WD-002"],
  ])("%s gives the code of an invalid time", async (_, changes, code) => {
    expect((await judge(watchdogTick, altered({ now, tasks: [fresh] }, changes))).code).toBe(code);
  });

  it("reports which tasks are late or invalid and what follows for each", async () => {
    const { details } = await judge(watchdogTick, {
      now,
      tasks: [fresh, future, late, { task_id: "T-odd" }],
    });
    expect(details).toEqual({
      timed_out: [
        {
          task_id: "T-late",
          last_heartbeat_at: "2026-02-14T19:20:00Z",
          timeout_seconds: 1200,
          age_seconds: 2400,
        },
      ],
      invalid: [
        { index: 1, task_id: "T-future", reason: "its heartbeat lies 631 s in the future" },
        { index: 3, reason: "`T-odd` has no usable `status`" },
      ],
      actions: [
        { action: "release_locks", task_id: "T-late" },
        { action: "block", task_id: "T-late", code: "R-WD-001" },
        { action: "block", task_id: "T-future", code: "R-WD-002" },
      ],
    });
  });

  it("counts no timeouts when it allows", () => {
    expect(watchdogTick.allowDetails()).toEqual({ timed_out_count: 0 });
  });
});
