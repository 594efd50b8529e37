import { readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type GuardedRepository, guardedRepository } from "../support/guarded-repository.ts";

/** The cases of the source document under its own titles, through the guard as a client calls it. */
const orchestrator = { CLAUDE_AGENT_ROLE: "orchestrator" };
const read = (file_path: string) => ["Read", { file_path }] as const;
const bash = (command: string) => ["Bash", { command }] as const;

let repository: GuardedRepository;
beforeEach(() => {
  repository = guardedRepository();
});
afterEach(() => repository[Symbol.dispose]());

type Call = readonly [tool: string, input: object];

let calls = 0;

async function blocks([tool_name, tool_input]: Call, more: object = {}, env: object = orchestrator) {
  calls += 1;
  const call = { session_id: "c1", cwd: repository.path, hook_event_name: "PreToolUse" };
  const { exit, stdout, stderr } = await repository.guard(
    { ...call, tool_use_id: `t${calls}`, tool_name, tool_input, ...more },
    { env: { ...env } },
  );
  if (exit === 2) expect(stderr + stdout).toMatch(/R-OR-001|ORCHESTRATOR/);
  return exit === 2;
}

const state = () => {
  const folder = join(repository.path, ".git/lockstep");
  const name = readdirSync(folder, { recursive: true, encoding: "utf8" }).find((file) =>
    /session-state.*\.json$/.test(file),
  );
  return join(folder, name ?? "no state");
};

describe("the fourteen cases", () => {
  it("Block Write tool for orchestrator", async () => {
    expect(await blocks(["Write", { file_path: "src/a/x.ts", content: "x" }])).toBe(true);
  });

  it("Block Edit tool for orchestrator", async () => {
    expect(await blocks(["Edit", { file_path: "src/a/x.ts", old_string: "x", new_string: "y" }])).toBe(true);
  });

  it("Block Grep tool for orchestrator", async () => {
    expect(await blocks(["Grep", { pattern: "x" }])).toBe(true);
  });

  it("Block Glob tool for orchestrator", async () => {
    expect(await blocks(["Glob", { pattern: "**/*.ts" }])).toBe(true);
  });

  it("Block git commands in Bash", async () => {
    expect(await blocks(bash("git status"))).toBe(true);
  });

  it("Block rm commands in Bash", async () => {
    expect(await blocks(bash("rm -rf src/a"))).toBe(true);
  });

  it("Allow safe Bash commands", async () => {
    expect(await blocks(bash("ls -la"))).toBe(false);
  });

  it("Allow Task tool for orchestrator", async () => {
    expect(await blocks(["Task", { subagent_type: "developer", prompt: "do it" }])).toBe(false);
  });

  it("Allow TodoWrite for orchestrator", async () => {
    expect(await blocks(["TodoWrite", { todos: [] }])).toBe(false);
  });

  it("Allow AskUserQuestion for orchestrator", async () => {
    expect(await blocks(["AskUserQuestion", { questions: [] }])).toBe(false);
  });

  it("Allow first 2 Read calls", async () => {
    expect(await blocks(read("README.md"))).toBe(false);
    expect(await blocks(read("src/a/x.ts"))).toBe(false);
  });

  it("Block 3rd Read call", async () => {
    for (const file of ["README.md", "src/a/x.ts"]) await blocks(read(file));
    expect(await blocks(read("src/b/x.ts"))).toBe(true);
  });

  it("Allow coordination files after limit", async () => {
    for (const file of ["README.md", "src/a/x.ts"]) await blocks(read(file));
    expect(await blocks(read("src/b/x.ts"))).toBe(true);
    expect(await blocks(read("plan-1.json"))).toBe(false);
    expect(await blocks(read(".claude/agents/developer.md"))).toBe(false);
  });

  it("Allow all tools for subagent", async () => {
    const calls: Call[] = [
      ["Write", { file_path: "src/a/x.ts", content: "x" }],
      ["Grep", { pattern: "x" }],
      bash("git status"),
      ...Array.from({ length: 4 }, () => read("README.md")),
    ];
    for (const call of calls) expect(await blocks(call, {}, { CLAUDE_AGENT_ROLE: "developer" })).toBe(false);
  });
});

const write: Call = ["Write", { file_path: "src/a/x.ts", content: "x" }];

describe("the role of a caller", () => {
  beforeEach(() => {
    repository.write("CLAUDE.md", "You are the orchestrator.\n");
  });

  it.each([
    [{ CLAUDE_AGENT_ROLE: "orchestrator" }, true],
    [{ CLAUDE_AGENT_ROLE: "developer" }, false],
    [{ CLAUDE_AGENT_NAME: "orchestrator" }, true],
    [{ CLAUDE_AGENT_NAME: "master-orchestrator" }, true],
    [{ CLAUDE_AGENT_NAME: "analyst" }, false],
    [{ CLAUDE_AGENT_ROLE: "orchestrator", CLAUDE_AGENT_NAME: "developer" }, true],
    [{ CLAUDE_AGENT_ROLE: "developer", CLAUDE_AGENT_NAME: "orchestrator" }, false],
    [{}, false],
  ])("with %j and without a state is the orchestrator: %s", async (env, orchestrates) => {
    expect(await blocks(write, {}, env)).toBe(orchestrates);
  });

  it("comes from the state only if the environment sets no role", async () => {
    await repository.run("agent-session", "init", "orchestrator");
    for (const [env, orchestrates] of [
      [{}, true],
      [{ CLAUDE_AGENT_ROLE: "developer" }, false],
      [{ CLAUDE_AGENT_NAME: "analyst" }, false],
      [{ CLAUDE_AGENT_NAME: "master-orchestrator" }, true],
    ] as const)
      expect(await blocks(write, {}, env)).toBe(orchestrates);
  });
});

describe("faults", () => {
  it("a stale state blocks no caller", async () => {
    await repository.run("agent-session", "init", "orchestrator");
    const long = new Date(Date.now() - 13 * 3600 * 1000);
    utimesSync(state(), long, long);
    expect(await blocks(write, {}, {})).toBe(false);
    await repository.run("agent-session", "init", "orchestrator");
    expect(await blocks(write, {}, {})).toBe(true);
  });

  it("a session that was cleared or restarted for another role blocks no caller", async () => {
    await repository.run("agent-session", "init", "orchestrator");
    expect(await blocks(write, {}, {})).toBe(true);
    await repository.run("agent-session", "clear");
    expect(await blocks(write, {}, {})).toBe(false);
    await repository.run("agent-session", "init", "developer");
    expect(JSON.parse(readFileSync(state(), "utf8"))).toMatchObject({ agent_role: "subagent" });
    expect(await blocks(write, {}, {})).toBe(false);
  });

  it("a corrupt state still blocks an orchestrator, and is set aside", async () => {
    expect(await blocks(write)).toBe(true);
    const file = state();
    for (const broken of ["", "{", "[]", '{"read_count":"many"}']) {
      writeFileSync(file, broken);
      expect(await blocks(write)).toBe(true);
      expect(JSON.parse(readFileSync(file, "utf8"))).toMatchObject({ agent_role: "orchestrator" });
    }
  });

  it("parallel subagents are not blocked, and do not change the orchestrator's count", async () => {
    expect(await blocks(read("README.md"))).toBe(false);
    const before = readFileSync(state(), "utf8");
    const subagents = Array.from({ length: 8 }, (_, index) =>
      blocks(index % 2 === 0 ? write : read("src/b/x.ts"), {
        agent_id: `a${index}`,
        agent_type: "developer",
      }),
    );
    expect(await Promise.all(subagents)).toEqual(Array.from({ length: 8 }, () => false));
    expect(readFileSync(state(), "utf8")).toBe(before);
  });

  it("a subagent with an inherited environment is not an orchestrator", async () => {
    expect(await blocks(write, { agent_id: "a1", agent_type: "developer" })).toBe(false);
    expect(await blocks(write)).toBe(true);
  });
});
