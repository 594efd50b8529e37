import { describe, expect, it } from "vitest";
import type { Status, TaskStatus } from "../../engine/views/read-status.ts";
import { type FilterOptions, filterStatus, sinceOf } from "./status-filter.ts";

const now = Date.parse("2026-01-10T00:00:00.000Z");
const task = (key: string, changes: Partial<TaskStatus>) =>
  ({
    ...{ key, state: "MERGED", code: null, batch: null, usage: { cost_usd: null } },
    ...{ created_at: "2026-01-01T00:00:00.000Z", started_at: null, elapsed_seconds: null },
    ...{ waits: [], alive: null },
    ...changes,
  }) as TaskStatus;
const tasks = [
  task("S/merged", { batch: "b1" }),
  task("S/failed", { state: "FAILED" }),
  task("S/refused", { state: "BLOCKED", code: "R-PW-001" }),
  task("S/waiting", { state: "BLOCKED" }),
  task("R/escalated", { state: "ESCALATED" }),
  task("R/rejected", { state: "REJECTED", started_at: "2026-01-09T20:00:00.000Z", elapsed_seconds: 7200 }),
  task("R/new", { state: "PENDING", created_at: "2026-01-09T23:30:00.000Z" }),
];
const decisions = [{ task: "S/waiting" }, { task: "R/new" }, { task: "agent:a" }];
const status = { tasks, decisions, workflow: null, session: null } as unknown as Status;

describe("the filters of a status", () => {
  it.each<[FilterOptions, readonly string[], readonly string[]]>([
    [{ session: "R" }, ["R/escalated", "R/rejected", "R/new"], ["R/new", "agent:a"]],
    [{ failed: true }, ["S/failed", "S/refused", "R/escalated", "R/rejected"], []],
    [{ failed: true, session: "S" }, ["S/failed", "S/refused"], []],
    [{ since: "1h" }, ["R/new"], ["R/new"]],
    // An attempt that ended two hours ago.
    [{ since: "2h" }, ["R/rejected", "R/new"], ["R/new"]],
    [{ since: "2026-01-09T23:00:00Z" }, ["R/new"], ["R/new"]],
  ])("%j", (filter, keys, asked) => {
    const found = filterStatus(status, filter, now);
    expect(found.tasks.map(({ key }) => key)).toEqual(keys);
    expect(found.decisions.map((one) => one.task)).toEqual(asked);
  });

  it.each([
    ["30m", now - 30 * 60_000],
    ["2h", now - 2 * 60 * 60_000],
    ["3d", now - 3 * 24 * 60 * 60_000],
    ["2026-01-01T00:00:00Z", Date.parse("2026-01-01T00:00:00Z")],
  ])("--since %s", (text, ms) => {
    expect(sinceOf(text, now)).toBe(ms);
  });

  it.each(["yesterday", "2", "h", "-2h", ""])("--since refuses %j", (text) => {
    expect(() => sinceOf(text, now)).toThrow("--since takes");
  });
});
