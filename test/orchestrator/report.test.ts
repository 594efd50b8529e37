import { appendFileSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { ToolCall } from "../../src/contract/tool-call.ts";
import {
  type AuditLine,
  appendAudit,
  auditLine,
  type Outcome,
  readAudit,
} from "../../src/guard/orchestrator/audit.ts";
import { orchestratorFolders } from "../../src/guard/orchestrator/folders.ts";
import { OrchestratorLayers } from "../../src/guard/orchestrator/layers.ts";
import { complianceReport, reportOf, scoreOf, sessionReport } from "../../src/guard/orchestrator/report.ts";
import { nodeDisk } from "../../src/workspace/files/disk.ts";
import { findProject } from "../../src/workspace/files/find-project.ts";
import {
  callOf,
  freshState,
  noon,
  nothing,
  reading,
  searching,
  shell,
  spawning,
  writing,
} from "../support/orchestrator-ground.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const line = (call: ToolCall, more: Partial<Parameters<typeof auditLine>[1]> = {}) =>
  auditLine(call, {
    now: noon,
    session_id: "sess_abc123",
    agent_role: "orchestrator",
    outcome: "allowed",
    read_count_after: 2,
    violation: null,
    task: null,
    ...more,
  });

function foldersIn(path: string) {
  const project = findProject(path);
  const folders = orchestratorFolders(project, ".claude/context");
  return { project, folders, log: join(path, ".claude/context/logs/orchestrator-audit.log") };
}

describe("an audit line", () => {
  it("begins with the documented fields, in their order", () => {
    const documented = {
      session_id: "sess_abc123",
      timestamp: "2026-01-10T12:00:00.000Z",
      agent_role: "orchestrator",
      tool: "Read",
      tool_input: { file_path: "/path/to/file.ts" },
      outcome: "allowed",
      read_count_after: 2,
      violation: null,
    };
    const written = line(callOf("Read", reading("/path/to/file.ts")));
    expect(JSON.stringify(written)).toBe(
      JSON.stringify({ ...documented, client_session: "client", agent_id: null, task: null }),
    );
  });

  it.each([
    ["a write by its length", writing("/repo/x.ts"), { file_path: "/repo/x.ts", content_length: 12 }],
    ["a command", shell("ls"), { command: "ls", command_length: 2 }],
    ["a spawn", spawning, { subagent_type: "developer" }],
    ["nothing", nothing, {}],
    [
      "another tool by its target",
      { kind: "unknown", reads: false, paths: ["a"], commands: ["ls"], texts: ["secret prose"] } as const,
      { paths: ["a"], commands: ["ls"], text_length: 12 },
    ],
    ["several files", reading("a", "b"), { file_paths: ["a", "b"], count: 2 }],
  ])("shows %s", (_, operation, expected) => {
    expect(line(callOf("T", operation)).tool_input).toEqual(expected);
  });

  it("has at most about a kilobyte on one line without secrets, for any call", () => {
    const secret = `sk-ant-${"a1B2c3".repeat(8)}`;
    const long = `export KEY=${secret}\n${"\u0000\u2028é".repeat(50_000)}`;
    const many = Array.from({ length: 5000 }, () => long);
    for (const operation of [
      shell(long),
      reading(...many),
      { kind: "unknown", reads: false, paths: many, commands: many, texts: many } as const,
      { kind: "malformed", reason: long } as const,
      { kind: "spawn", agentType: long, agentId: long } as const,
    ]) {
      const written = line(callOf(long, operation, { session: "s".repeat(9000) }));
      const text = JSON.stringify(written);
      expect(JSON.stringify(written.tool_input).length).toBeLessThanOrEqual(500);
      expect(text.length).toBeLessThan(1500);
      expect(text).not.toContain(secret.slice(0, 20));
      expect(text).not.toContain("\n");
    }
  });
});

describe("the audit log", () => {
  it("is append-only, with one line per call", async () => {
    using folder = temporaryFolder();
    const { folders, log } = foldersIn(folder.path);
    await appendAudit(folders, [line(callOf("A", nothing))]);
    const before = readFileSync(log, "utf8");
    await appendAudit(folders, [line(callOf("B", nothing)), line(callOf("C", nothing))]);
    const text = readFileSync(log, "utf8");
    expect(text.startsWith(before)).toBe(true);
    expect(text.trim().split("\n")).toHaveLength(3);
    expect(statSync(log).mode & 0o077).toBe(0);
  });

  it("loses no line after one that was cut off", async () => {
    using folder = temporaryFolder();
    const { folders, log } = foldersIn(folder.path);
    await appendAudit(folders, [line(callOf("A", nothing))]);
    appendFileSync(log, '{"session_id":"sess_abc123","time');
    await appendAudit(folders, [line(callOf("B", nothing))]);
    const found = readAudit(folders, "sess_abc123", { passes: () => true });
    expect(found.map(({ tool }) => tool)).toEqual(["A", "B"]);
  });

  it("is not written through a link", async () => {
    using folder = temporaryFolder({ "elsewhere.log": "" });
    const { folders, log } = foldersIn(folder.path);
    folders.open("logs");
    symlinkSync(join(folder.path, "elsewhere.log"), log);
    await expect(appendAudit(folders, [line(callOf("A", nothing))])).rejects.toThrow(/ELOOP/);
  });

  it("takes the lines of many simultaneous calls in one write, before any call is answered", async () => {
    using folder = temporaryFolder();
    const { folders, log } = foldersIn(folder.path);
    await appendAudit(folders, [line(callOf("first", nothing))]);
    const writes = () => Number(/syscw: (\d+)/.exec(readFileSync("/proc/self/io", "utf8"))?.[1]);
    const before = writes();
    const calls = Array.from({ length: 100 }, (_, at) =>
      appendAudit(folders, [line(callOf(`T${at}`, nothing))]).then(() =>
        readFileSync(log, "utf8").includes(`"T${at}"`),
      ),
    );
    expect(await Promise.all(calls)).toEqual(calls.map(() => true));
    expect(writes() - before).toBeLessThan(20);
    expect(readFileSync(log, "utf8").trim().split("\n")).toHaveLength(101);
  });

  it("is read in pages, or only its end", async () => {
    using folder = temporaryFolder();
    const { folders } = foldersIn(folder.path);
    const lines = Array.from({ length: 9000 }, (_, at) => line(callOf(`T${at}`, shell("x".repeat(60)))));
    await appendAudit(folders, lines);
    const tools = (options: { bytesMax?: number }) =>
      readAudit(folders, "sess_abc123", { passes: () => true, ...options }).map(({ tool }) => tool);
    expect(tools({})).toEqual(lines.map(({ tool }) => tool));
    expect(tools({ bytesMax: 1000 }).at(-1)).toBe("T8999");
    expect(tools({ bytesMax: 1000 }).length).toBeLessThan(5);
  });

  it("has one line for each blocked call and each call that ran", async () => {
    using folder = temporaryFolder();
    const { project, folders, log } = foldersIn(folder.path);
    const options = { folders, place: project.place, disk: nodeDisk(), scratch: ["/tmp"], coordination: [] };
    const layers = new OrchestratorLayers({ ...options, now: () => noon });
    const call = (tool: string, operation: ToolCall["operation"], event: ToolCall["event"], callId: string) =>
      layers.judge(callOf(tool, operation, { event, callId, folder: folder.path }));
    await call("Read", reading("a.ts"), "before-tool", "1");
    await call("Read", reading("a.ts"), "after-tool", "1");
    await call("Grep", searching("Grep"), "before-tool", "2");
    await call("Grep", searching("Grep"), "before-tool", "2");
    await call("Write", writing("b.ts"), "after-tool", "3");
    await call("Agent", spawning, "before-tool", "4");
    await call("Agent", spawning, "after-tool", "4");
    const lines = readFileSync(log, "utf8")
      .trim()
      .split("\n")
      .map((text) => JSON.parse(text));
    expect(lines.map(({ tool, outcome, read_count_after: reads }) => [tool, outcome, reads])).toEqual([
      ["Read", "allowed", 1],
      ["Grep", "blocked", 1],
      ["Write", "warned", 1],
      ["Agent", "allowed", 0],
    ]);
    expect(lines[1]).toMatchObject({
      session_id: `sess_${noon.getTime()}`,
      timestamp: noon.toISOString(),
      agent_role: "orchestrator",
      tool_input: { file_path: "/repo" },
      violation: {
        type: "DIRECT_GREP",
        detail: "search code",
        action: "Spawn analyst subagent via Task tool",
      },
    });
  });
});

describe("a compliance report", () => {
  const lines = (outcome: Outcome, count: number, type?: string, detail = "") =>
    Array.from(
      { length: count },
      (): AuditLine =>
        line(callOf("T", nothing), {
          outcome,
          violation: type === undefined ? null : { type, detail, action: "" },
        }),
    );

  it.each([
    [39, 5, 3, 85],
    [0, 0, 0, 100],
    [8, 0, 2, 80],
    [79, 0, 21, 79],
    [0, 5, 0, 20],
    [0, 0, 5, 0],
  ])("%i allowed, %i warned and %i blocked calls score %i", (allowed, warned, blocked, score) => {
    expect(scoreOf({ allowed, warned, blocked })).toBe(score);
  });

  it("has exactly the documented form", () => {
    const all = [
      ...lines("allowed", 39),
      ...lines("blocked", 2, "READ_LIMIT_EXCEEDED"),
      ...lines("blocked", 1, "DIRECT_GREP"),
      ...lines("warned", 5, "BASH_DANGEROUS_COMMAND", "git"),
    ];
    const facts = {
      session_id: "sess_abc123",
      session_start: "2026-01-10T10:00:00Z",
      session_end: "2026-01-10T11:30:00Z",
      agent_role: "orchestrator",
    } as const;
    const expected = {
      ...facts,
      compliance_score: 85,
      total_tool_calls: 47,
      violations: { blocked: 3, warned: 5, allowed: 39 },
      violation_breakdown: [
        { type: "READ_LIMIT_EXCEEDED", count: 2, blocked: true },
        { type: "DIRECT_GREP", count: 1, blocked: true },
        { type: "BASH_DANGEROUS_COMMAND", count: 5, warned: true },
      ],
      recommendations: [
        "Consider spawning analyst for file analysis tasks",
        "Use Task tool to delegate git operations to developer",
      ],
    };
    expect(JSON.stringify(complianceReport(all, facts))).toBe(JSON.stringify(expected));
  });

  it("is below 5 KB for any number of calls", () => {
    const types = [
      "READ_LIMIT_EXCEEDED",
      "DIRECT_GREP",
      "DIRECT_WRITE",
      "BASH_DANGEROUS_COMMAND",
      "R-PW-001",
    ];
    const all = types.flatMap((type) => [
      ...lines("blocked", 100, type, "git"),
      ...lines("warned", 100, type),
    ]);
    const report = complianceReport(all, {
      ...{ session_id: "sess_1", session_start: "", session_end: "", agent_role: "orchestrator" },
    });
    expect(report.total_tool_calls).toBe(1000);
    expect(JSON.stringify(report, null, 2).length).toBeLessThan(5000);
  });

  it("counts only the orchestrator of its session; agents of a Lockstep session have their own report", async () => {
    using folder = temporaryFolder();
    const { folders } = foldersIn(folder.path);
    const mine = { session_id: "sess_1" };
    await appendAudit(folders, [
      line(callOf("Read", reading("a")), mine),
      line(callOf("Write", writing("a")), { ...mine, agent_role: "subagent", task: "2026-01-10_shop/T-001" }),
      line(callOf("Write", writing("b")), {
        agent_role: "subagent",
        task: "2026-01-10_shop/T-002",
        outcome: "blocked",
        violation: { type: "R-PW-001", detail: "", action: "" },
      }),
      line(callOf("Read", reading("a")), { session_id: "sess_10" }),
    ]);
    const later = new Date(noon.getTime() + 1000);
    expect(reportOf(folders, freshState, later)).toMatchObject({
      ...{ session_id: "sess_1", session_start: noon.toISOString(), session_end: later.toISOString() },
      ...{ agent_role: "orchestrator", total_tool_calls: 1 },
    });
    expect(sessionReport(folders, "2026-01-10_shop", noon)).toMatchObject({
      agent_role: "subagent",
      compliance_score: 50,
      violation_breakdown: [{ type: "R-PW-001", count: 1, blocked: true }],
    });
    expect(sessionReport(folders, "2026-01-10", noon)).toBeUndefined();
  });

  it("ignores foreign lines in the log", () => {
    using folder = temporaryFolder();
    const { folders, log } = foldersIn(folder.path);
    folders.open("logs");
    writeFileSync(
      log,
      [
        '{"session_id":"sess_1"}',
        "null sess_1",
        '{"session_id":"sess_1","timestamp":"x","tool":"y","outcome":"?"}',
        '{"session_id":"sess_1","agent_role":"orchestrator","timestamp":"x","tool":"y","outcome":"allowed"}',
        "",
      ].join("\n"),
    );
    expect(reportOf(folders, freshState, noon)).toMatchObject({ total_tool_calls: 1, compliance_score: 100 });
  });
});
