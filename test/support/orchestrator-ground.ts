import type { Operation, ToolCall } from "../../src/contract/tool-call.ts";
import type { Place } from "../../src/core/paths/place.ts";
import type { OrchestratorOptions } from "../../src/guard/orchestrator/rules.ts";
import { newState } from "../../src/guard/orchestrator/state.ts";
import { memoryDisk } from "./memory-disk.ts";

const root = "/repo";
export const noon = new Date("2026-01-10T12:00:00.000Z");
const place: Place = { root, home: "/home/user" };

const disk = memoryDisk({
  "/repo/src/a.ts": "x\n",
  "/repo/README.md": "x\n",
  "/repo/.git/HEAD": "x\n",
  "/repo/.claude/tools/gate.mjs": "x\n",
  "/tmp/into": { to: "/repo/src" },
  "/home/user": null,
  "/srv/other": null,
});

/** A project in memory, for tests that need no disk. */
export const ground: OrchestratorOptions = {
  now: noon,
  coordination: [],
  place,
  disk,
  scratch: ["/tmp", "/var/tmp"],
};

export const freshState = newState("orchestrator", { id: "sess_1", clientSession: "client", now: noon });

export function callOf(tool: string, operation: Operation, more: Partial<ToolCall> = {}): ToolCall {
  return {
    event: "before-tool",
    session: "client",
    actor: { agentId: null, agentType: null },
    tool,
    callId: null,
    operation,
    folder: root,
    ...more,
  };
}

export const reading = (...paths: string[]): Operation => ({ kind: "read", paths, search: null });
export const searching = (search: "Grep" | "Glob"): Operation => ({ kind: "read", paths: ["/repo"], search });
export const shell = (command: string): Operation => ({ kind: "shell", command });
export const writing = (path = "/repo/src/a.ts", action: "create" | "edit" = "create"): Operation => ({
  kind: "write",
  targets: [{ path, action }],
  bytes: 12,
});
export const spawning: Operation = { kind: "spawn", agentType: "developer", agentId: null };
export const nothing: Operation = { kind: "none" };
