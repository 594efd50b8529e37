import { chmodSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { runPoint } from "../../src/hooks/run-point.ts";
import { findProject } from "../../src/workspace/files/find-project.ts";
import { showBreaker, shownBreaker } from "../../src/workspace/state/breaker-file.ts";
import { openStateFolder } from "../../src/workspace/state/state-folder.ts";
import { memoryPorts } from "../support/judge.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const assignment = {
  lock_scope: ["src"],
  forbidden_scope: [],
  acceptance_criteria: ["tests pass"],
  worklog_path: "worklogs/T-1.md",
  timeout_seconds: 600,
  heartbeat_interval_seconds: 60,
};
const payloads = {
  PreDispatch: { task_id: "T-1", assignment, active_locks: [] },
  PreExecution: {
    task_id: "T-1",
    assignment,
    dependencies: [],
    active_locks: [{ task_id: "T-1", resource: "src", active: true }],
    sandbox: { ready: true, root: "." },
  },
  PreWrite: { task_id: "T-1", assignment, write: { resource: "src/a.ts", action: "edit" } },
  OnLockUpdate: { locks: [] },
  WatchdogTick: { now: "2026-02-14T20:00:00Z", tasks: [] },
};
type Mode = "CLEAR" | "PAUSE" | "STOP";

describe("the circuit breaker before a hook's rules", () => {
  it.each<[keyof typeof payloads, Mode, string]>([
    ["PreDispatch", "CLEAR", "OK"],
    ["PreDispatch", "PAUSE", "R-CB-001"],
    ["PreDispatch", "STOP", "R-CB-001"],
    ["PreExecution", "CLEAR", "OK"],
    ["PreExecution", "PAUSE", "R-CB-001"],
    ["PreExecution", "STOP", "R-CB-001"],
    ["PreWrite", "CLEAR", "OK"],
    ["PreWrite", "PAUSE", "OK"],
    ["PreWrite", "STOP", "R-CB-001"],
    ["OnLockUpdate", "STOP", "OK"],
    ["WatchdogTick", "STOP", "OK"],
  ])("at %s in state %s gives %s", async (point, mode, code) => {
    const bytes = new TextEncoder().encode(JSON.stringify(payloads[point]));
    const verdict = await runPoint(point, bytes, { ...memoryPorts(), breaker: () => mode });
    expect(verdict.code).toBe(code);
    if (!verdict.allow) expect(verdict.details).toEqual({ mode });
  });
});

describe("the circuit breaker's file", () => {
  it("contains the last state, and is readable for its owner only", () => {
    using folder = temporaryFolder({ ".git/HEAD": "x" });
    const project = findProject(folder.path);
    openStateFolder(project);
    for (const mode of ["CLEAR", "PAUSE", "STOP", "PAUSE", "CLEAR", "CLEAR"] as const) {
      showBreaker(project, mode);
      expect(shownBreaker(project)).toBe(mode);
      const file = statSync(join(folder.path, ".git/lockstep/STOP_ALL"), { throwIfNoEntry: false });
      expect(file === undefined ? "none" : file.mode & 0o777).toBe(mode === "CLEAR" ? "none" : 0o600);
    }
  });

  it.each(["", "pause", "STOP\n", "PAUSED", "\0"])("with the text %j means STOP", (text) => {
    using folder = temporaryFolder({ ".git/HEAD": "x", ".git/lockstep/STOP_ALL": text });
    chmodSync(join(folder.path, ".git/lockstep"), 0o700);
    expect(shownBreaker(findProject(folder.path))).toBe("STOP");
  });
});
