import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { operate } from "../../src/engine/operate.ts";
import {
  agentEnvironment,
  type GuardedRepository,
  guardedRepository,
} from "../support/guarded-repository.ts";
import { person } from "../support/memory-engine.ts";

let repository: GuardedRepository;
beforeEach(() => {
  repository = guardedRepository();
});
afterEach(() => repository[Symbol.dispose]());

const by = (agent: string) => ({ agent_id: agent, agent_type: "worker" });
const event = (name: string, more: object = {}) => ({
  ...{ session_id: "s1", cwd: repository.path, hook_event_name: name },
  ...more,
});
const bash = (command: string, more: object = {}) =>
  event("PreToolUse", { tool_name: "Bash", tool_use_id: command, tool_input: { command }, ...more });
const post = (call: object) => ({ ...call, hook_event_name: "PostToolUse", tool_response: {} });
const events = (type: string) => repository.withEngine(({ ledger }) => ledger.events({ type }));
const orchestrator = { env: { CLAUDE_AGENT_ROLE: "orchestrator" } };

describe("a compaction", () => {
  const snapshots = () => {
    const folder = join(repository.path, ".git/lockstep/snapshots");
    return existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : [];
  };

  it("saves ledger, locks, blockers and learnings while anything is active, in any session", async () => {
    await repository.dispatch("T-A", ["src/a/**"]);
    await repository.guard(event("PreCompact", { trigger: "auto" }));
    await repository.guard(event("PreCompact"), orchestrator);
    const [first = "", second] = snapshots();
    expect(second).toBeDefined();
    expect(JSON.parse(readFileSync(first, "utf8"))).toMatchObject({
      session: "s1",
      ledger: [{ task_id: "T-A", state: "IN_PROGRESS" }],
      locks: [
        { task_id: "T-A", resource: "src/a/**" },
        { task_id: "T-A", resource: "worklogs/T-A.md" },
      ],
      blockers: [],
      learnings: [],
    });
    await repository.withEngine((engine) => operate(engine, "release", { task: "T-A" }, person));
    const before = snapshots().length;
    await repository.guard(event("PreCompact", { session_id: "s2" }));
    expect(snapshots()).toHaveLength(before);
  });

  it("is refused if they cannot be saved", async () => {
    await repository.dispatch("T-A", ["src/a/**"]);
    repository.write(".git/lockstep/snapshots", "in the way");
    const { exit, stderr } = await repository.guard(event("PreCompact"));
    expect({ exit, stderr }).toEqual({ exit: 2, stderr: expect.stringMatching(/^R-CP-002: /) });
  });

  it("is followed by a session start that states role, task and scope again", async () => {
    const env = agentEnvironment(await repository.dispatch("T-A", ["src/a/**"]));
    const begin = event("SessionStart", { source: "compact" });
    expect((await repository.guard(begin, { env })).stdout).toMatch(
      /task T-A and may write only: `src\/a\/\*\*`/,
    );
    const { stdout } = await repository.guard(begin, orchestrator);
    expect(JSON.parse(stdout).hookSpecificOutput.additionalContext).toMatch(
      /^You are an orchestrating agent/,
    );
    // OpenCode has no such event: it gets the context in the compaction itself.
    const compacting = {
      event: "experimental.session.compacting",
      directory: repository.path,
      input: { sessionID: "o1" },
    };
    const message = await repository.guard(compacting, { env, client: "opencode" });
    expect(JSON.parse(message.stdout).context).toContain("task T-A");
  });
});

describe("an agent with a task that stops without a result", () => {
  const one = by("one");
  const stop = async (more: object = one) => (await repository.guard(event("SubagentStop", more))).stdout;

  it("gets the findings of PostExecution: its changes outside its lock, and the worklog", async () => {
    repository.write("docs/guide.md", "a person's, before the claim");
    await repository.dispatch("T-A", ["src/a/**"]);
    await repository.dispatch("T-B", ["src/b/**"]);
    await repository.guard(bash("lockstep claim T-A", one));
    repository.write("src/a/made.ts", "x");
    repository.write("src/b/x.ts", "the other task's");
    repository.write("tools/gen.go", "strayed");
    const message = await stop();
    expect(JSON.parse(message)).toMatchObject({ decision: "block" });
    expect(message).toMatch(/R-PO-002: [^;]*tools\/gen\.go[^;]*; if this task changed it, put it back/);
    expect(message).toMatch(/R-PO-003: worklog/);
    expect(message).toContain("lockstep submit T-A");
    for (const fine of ["guide.md", "src/b/x.ts", "made.ts"]) expect(message).not.toContain(fine);
  });

  it("gets a finding for protected paths inside its lock, and none once they are restored", async () => {
    await repository.dispatch("T-A", ["."]);
    await repository.guard(bash("lockstep claim T-A", one));
    repository.write(".claude/settings.json", "{}");
    expect(await stop()).toMatch(/R-PW-002: [^;]*\.claude\/settings\.json/);
    repository.git("clean", "-fdq", ".claude");
    const next = await stop();
    expect(next).not.toContain("R-PW-002");
    expect(next).toContain("lockstep submit");
  });

  it("may stop after the second refusal, which is recorded", async () => {
    await repository.dispatch("T-A", ["src/a/**"]);
    await repository.guard(bash("lockstep claim T-A", one));
    expect([await stop(), await stop(), await stop(), await stop()].map((text) => text !== "")).toEqual([
      true,
      true,
      false,
      false,
    ]);
    expect(await events("guard.let-go")).toMatchObject([{ task: "T-A", data: { code: "R-PO-001" } }]);
  });

  it("is checked too if another program gave it the task; an agent that Lockstep started is not", async () => {
    const env = agentEnvironment(await repository.dispatch("T-A", ["src/a/**"]));
    await repository.guard(event("SessionStart"), { env });
    repository.write("tools/gen.go", "strayed");
    expect((await repository.guard(event("Stop"), { env })).stdout).toContain("tools/gen.go");
    const own = { env: { ...env, LOCKSTEP_CHECKOUT: join(repository.path, "x/checkout") } };
    expect((await repository.guard(event("Stop"), own)).stdout).toBe("");
  });
});

describe("an orchestrator's command with unknown writes", () => {
  const state = () =>
    JSON.parse(
      readFileSync(join(repository.path, ".git/lockstep/tmp/orchestrator-session-state.json"), "utf8"),
    );

  it("is compared afterwards: its changes are reported, counted against it and recorded", async () => {
    await repository.dispatch("T-A", ["src/a/**"]);
    const run = bash("sometool --all");
    expect(await repository.guard(run, orchestrator)).toMatchObject({ exit: 0 });
    repository.write("src/b/x.ts", "trampled");
    repository.write("src/a/x.ts", "the task's own work");
    const { stdout } = await repository.guard(post(run), orchestrator);
    expect(stdout).toContain("src/b/x.ts");
    expect(stdout).not.toContain("src/a/x.ts");
    expect(state().violations).toMatchObject([{ type: "BASH_DIRECT_WRITE", blocked: false }]);
    expect(await events("guard.strayed")).toMatchObject([
      { task: null, data: { target: "src/b/x.ts", code: "R-OR-001" } },
    ]);
    const log = readFileSync(join(repository.path, ".git/lockstep/logs/orchestrator-audit.log"), "utf8");
    expect(JSON.parse(log.trim())).toMatchObject({ outcome: "warned" });
  });

  it("is compared like an unknown tool, whatever the names of its arguments", async () => {
    await repository.dispatch("T-A", ["src/a/**"]);
    const publish = {
      tool_name: "mcp__notes__publish",
      tool_use_id: "m",
      tool_input: { where: "src/b/x.ts" },
    };
    const run = event("PreToolUse", publish);
    expect(await repository.guard(run, orchestrator)).toMatchObject({ exit: 0 });
    repository.write("src/b/x.ts", "trampled");
    expect((await repository.guard(post(run), orchestrator)).stdout).toContain("src/b/x.ts");
  });

  it("is no violation if nothing changed, nor for the guard's own files in the project", async () => {
    repository.write(".lockstep/config.yaml", "guard: { root: .claude/context }\n");
    for (const tool of ["one", "two"]) {
      await repository.guard(bash(tool), orchestrator);
      // Another call meanwhile is counted and audited there.
      const grep = { tool_name: "Grep", tool_use_id: `meanwhile ${tool}`, tool_input: { pattern: "x" } };
      expect((await repository.guard(event("PreToolUse", grep), orchestrator)).exit).toBe(2);
      const { stdout } = await repository.guard(post(bash(tool)), orchestrator);
      expect(stdout).toBe("");
    }
  });
});

it.each(["of the worktree's own session", "of a session in the main checkout"])(
  "a command in a linked worktree is compared there: %s",
  async (whose) => {
    const tree = `${repository.path}-tree`;
    repository.git("worktree", "add", "-q", tree, "-b", "w1");
    for (const folder of ["", `../${basename(tree)}/`])
      repository.write(`${folder}.lockstep/config.yaml`, "guard: { opaque: verify }\n");
    const from = whose.includes("main") ? repository.path : tree;
    try {
      const env = agentEnvironment(await repository.dispatch("T-A", ["src/a/**"]));
      const run = bash("./gen.sh", { cwd: tree });
      expect(await repository.guard(run, { env, folder: from })).toMatchObject({ exit: 0 });
      repository.write(`../${basename(tree)}/src/b/x.ts`, "trampled");
      repository.write(".git/hooks/pre-commit", "x");
      const { stderr } = await repository.guard(post(run), { env, folder: from });
      for (const path of ["src/b/x.ts", ".git/hooks/pre-commit"]) expect(stderr).toContain(`\`${path}\``);
    } finally {
      repository.git("worktree", "remove", "--force", tree);
    }
  },
);
