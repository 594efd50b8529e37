import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { promptFor } from "../../src/clients/input/prompt.ts";
import { assignmentOf, universalInput } from "../../src/clients/input/universal-input.ts";
import { selfCheckBlock, withBlock, withoutBlock } from "../../src/guard/orchestrator/self-check-block.ts";
import { wrapperFiles } from "../../src/guard/orchestrator/wrapper-files.ts";
import { type Repository, temporaryRepository, verdictIn } from "../support/run-command.ts";
import { command } from "../support/run-hook.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const orchestrator = { CLAUDE_AGENT_ROLE: "orchestrator" };

/** Sends a call of Claude in this repository and returns its exit code. */
async function hooked(
  repository: Repository,
  event: "PreToolUse" | "PostToolUse" | "SessionEnd",
  [tool_name, tool_input]: readonly [string?, object?],
  env: Readonly<Record<string, string>> = orchestrator,
) {
  const call = { session_id: "c1", hook_event_name: event, cwd: repository.path, tool_name, tool_input };
  return repository.run(["guard", "claude"], { input: JSON.stringify(call), env });
}

const stateFile = (repository: Repository) =>
  join(repository.path, ".git/lockstep/tmp/orchestrator-session-state.json");

describe("lockstep agent-session", () => {
  it("starts a session once, shows its summary, resets its count and ends it", async () => {
    using repository = temporaryRepository();
    const begun = verdictIn(await repository.run(["agent-session", "init", "orchestrator", "--json"]));
    expect(begun.details).toMatchObject({ agent_role: "orchestrator" });
    const id = String(begun.details?.session_id);
    const again = await repository.run(["agent-session", "init", "orchestrator"]);
    expect(again.stdout).toBe(`agent session ${id}, role orchestrator\n`);
    expect(
      (await hooked(repository, "PreToolUse", ["Write", { file_path: "a", content: "" }], {})).status,
    ).toBe(2);
    for (const file_path of ["a", "b"]) await hooked(repository, "PreToolUse", ["Read", { file_path }], {});
    const read = () => hooked(repository, "PreToolUse", ["Read", { file_path: "c" }], {});
    expect((await read()).status).toBe(2);
    expect((await repository.run(["agent-session", "reset"])).status).toBe(0);
    expect((await read()).status).toBe(0);
    const summary = await repository.run(["agent-session", "summary"]);
    expect(summary.stdout).toContain("score 0 of 100: not passed, at least 80 is required");
    expect(summary.stdout).toContain("DIRECT_WRITE");
    expect((await repository.run(["agent-session", "clear", "--dry-run"])).stdout).toContain("would end");
    expect((await repository.run(["agent-session", "clear", "--archive"])).stdout).toContain(id);
    expect(existsSync(stateFile(repository))).toBe(false);
    expect(readdirSync(join(repository.path, ".git/lockstep/reports")).sort()).toEqual([
      `orchestrator-compliance-${id}.json`,
      `orchestrator-session-state-${id}.json`,
    ]);
    expect((await repository.run(["agent-session", "clear"])).stdout).toBe("there is no agent session\n");
    await repository.run(["agent-session", "init", "orchestrator"]);
    expect(existsSync(stateFile(repository))).toBe(true);
    expect((await repository.run(["agent-session", "clear"])).status).toBe(0);
    expect(existsSync(stateFile(repository))).toBe(false);
  });

  it("validate exits with 0 for a score of 80 and more, else with 2, also for a session that has ended", async () => {
    using repository = temporaryRepository();
    const { details } = verdictIn(await repository.run(["agent-session", "init", "orchestrator", "--json"]));
    const id = String(details?.session_id);
    const validate = (name: string) => repository.run(["agent-session", "validate", "--session-id", name]);
    for (let at = 0; at < 4; at += 1)
      await hooked(repository, "PostToolUse", ["TodoWrite", { todos: [] }], orchestrator);
    await hooked(repository, "PreToolUse", ["Glob", { pattern: "*" }], orchestrator);
    const passed = await validate(id);
    expect([passed.status, verdictIn(passed).details]).toMatchObject([0, { compliance_score: 80 }]);
    await hooked(repository, "PreToolUse", ["Glob", { pattern: "*" }], orchestrator);
    const failed = await validate("c1");
    expect([failed.status, verdictIn(failed)]).toMatchObject([
      2,
      { code: "R-OR-001", details: { total_tool_calls: 6 } },
    ]);
    expect(failed.stderr).toContain("the compliance score is 67, but at least 80 is required");
    await hooked(repository, "SessionEnd", [], orchestrator);
    expect((await validate(id)).status).toBe(2);
    expect(verdictIn(await validate("sess_0")).code).toBe("R-IN-001");
    expect((await repository.run(["agent-session", "validate"])).status).toBe(2);
  });

  it("lets only a person reset or end an orchestrator's session, and no agent with a task", async () => {
    using repository = temporaryRepository();
    const as = async (env: Readonly<Record<string, string>>, ...words: string[]) =>
      (await repository.run(["agent-session", ...words], { env })).status;
    expect(await as(orchestrator, "init", "orchestrator")).toBe(0);
    expect(await as(orchestrator, "init", "developer")).toBe(2);
    expect(await as(orchestrator, "reset")).toBe(2);
    expect(await as(orchestrator, "clear")).toBe(2);
    expect(await as(orchestrator, "summary")).toBe(0);
    expect(await as({ LOCKSTEP_TASK: "T-1" }, "clear")).toBe(2);
    expect(await as({ LOCKSTEP_TASK: "T-1" }, "init", "orchestrator")).toBe(2);
    expect(await as({}, "init", "developer")).toBe(0);
    expect(await as({}, "init", "no role")).toBe(2);
  });

  it("without a session reports the score 100", async () => {
    using repository = temporaryRepository();
    const { status, stdout } = await repository.run(["agent-session", "summary", "--json"]);
    expect({ status, score: JSON.parse(stdout).compliance_score }).toEqual({ status: 0, score: 100 });
  });

  it("recovers from a state that is not JSON", async () => {
    using repository = temporaryRepository();
    await repository.run(["agent-session", "init", "orchestrator"]);
    writeFileSync(stateFile(repository), "{ broken");
    expect((await repository.run(["agent-session", "clear"])).status).toBe(0);
    expect((await repository.run(["agent-session", "init", "orchestrator"])).status).toBe(0);
    expect(JSON.parse(readFileSync(stateFile(repository), "utf8"))).toMatchObject({ read_count: 0 });
  });

  it("stores its state in `guard.root`, and reports faults of the configuration", async () => {
    using repository = temporaryRepository({ ".lockstep/config.yaml": "guard: { root: .claude/context }\n" });
    await repository.run(["agent-session", "init", "orchestrator"]);
    expect(existsSync(join(repository.path, ".claude/context/tmp/orchestrator-session-state.json"))).toBe(
      true,
    );
    repository.write(".lockstep/config.yaml", "guard: { rot: x }\n");
    const broken = await repository.run(["agent-session", "summary"]);
    expect([broken.status, broken.stderr]).toEqual([2, expect.stringContaining("E-CONFIG")]);
  });
});

describe("lockstep report and lockstep self-check", () => {
  it("report writes and shows a running session, and shows the last finished one", async () => {
    using repository = temporaryRepository();
    const nothing = await repository.run(["report"]);
    expect([nothing.status, nothing.stderr]).toEqual([2, expect.stringContaining("no agent session")]);
    await hooked(repository, "PreToolUse", ["Bash", { command: "git push" }]);
    const live = JSON.parse((await repository.run(["report", "--json"])).stdout);
    expect(live).toMatchObject({
      compliance_score: 0,
      violation_breakdown: [{ type: "BASH_DANGEROUS_COMMAND", count: 1, blocked: true }],
      recommendations: ["Use Task tool to delegate git operations to developer"],
    });
    const file = join(
      repository.path,
      `.git/lockstep/reports/orchestrator-compliance-${live.session_id}.json`,
    );
    expect(JSON.parse(readFileSync(file, "utf8"))).toEqual(live);
    await hooked(repository, "SessionEnd", []);
    expect((await repository.run(["report"])).stdout).toContain(live.session_id);
    expect((await repository.run(["report", live.session_id])).status).toBe(0);
    expect((await repository.run(["report", "nobody"])).status).toBe(2);
  });

  it("self-check asks the five questions", async () => {
    using repository = temporaryRepository();
    const { stdout } = await repository.run(["self-check"]);
    for (const words of [
      "1. Role Check: Am I an orchestrator?",
      "2. Tool Whitelist Check: Is this tool allowed? Task (Agent), TodoWrite, AskUserQuestion, and Read at most twice",
      "3. Read Count Check: Is this my third Read",
      "4. Bash Command Check: Does the command run rm, git, npm run or node .claude/tools/",
      "5. Analysis Intent Check: Am I about to analyze code?",
      "Stop and delegate if ANY check fails.",
    ])
      expect(stdout).toContain(words);
    const questions = JSON.parse((await repository.run(["self-check", "--json"])).stdout);
    expect(questions).toHaveLength(5);
  });

  it("the prompt of an orchestrator that Lockstep starts contains them; other prompts do not", () => {
    using project = temporaryFolder();
    const root = project.path;
    const task = {
      ...{ id: "T-1", title: "t", goal: "g", lock_scope: ["."], forbidden_scope: [], acceptance_checks: [] },
      ...{ timeout_seconds: 9, heartbeat_interval_seconds: 3, context_files: [] },
    };
    const facts = { attempt: 1, fixDelta: null, branch: "main", projectType: "lib", role: "Coder" } as const;
    const input = universalInput(task, { ...facts, assignment: assignmentOf(task, "w.md") });
    expect(promptFor(input, { role: "Orchestrator", root })).toContain("Analysis Intent Check");
    expect(promptFor(input, { role: "Coder", root })).not.toContain("Analysis Intent Check");
  });
});

describe("the block in CLAUDE.md, AGENTS.md and GEMINI.md", () => {
  const block = selfCheckBlock();

  it.each([
    ["an empty file", ""],
    ["a text", "# Mine\n\nwords\n"],
    ["a text without a last line break", "# Mine"],
    ["a text with many", "# Mine\n\n\n"],
    ["a text of another system", "# Mine\r\n\r\nwords\r\n"],
    ["such a text without a last line break", "# Mine\r\nwords"],
  ])("is added to %s once, and removed without a trace", (_, text) => {
    const once = withBlock(text, block);
    expect(once.startsWith(text)).toBe(true);
    expect(once).toContain("Am I an orchestrator?");
    expect(withBlock(once, block)).toBe(once);
    expect(withoutBlock(once)).toBe(text);
    expect(withoutBlock(text)).toBe(text);
    if (text.includes("\r\n")) expect(once).not.toMatch(/[^\r]\n/);
  });

  it("an older block is replaced in its place, and the text around it is unchanged", () => {
    const old = withBlock("# Mine\n", block).replace("Am I an orchestrator?", "Old?");
    const text = withBlock(`${old}\n# More\n`, block);
    expect(text).toBe(`${withBlock("# Mine\n", block)}\n# More\n`);
    expect(withoutBlock(text)).toBe("# Mine\n\n# More\n");
  });

  it("half a block is refused with what to do", () => {
    const half = withBlock("# Mine\n", block).replace(/<!--[^>]*end -->/, "");
    expect(() => withBlock(half, block)).toThrow(/are not paired: delete/);
    expect(() => withoutBlock(half)).toThrow(/are not paired/);
  });
});

describe("the commands under .claude/", () => {
  /** A project with the wrappers; `lockstep` is on PATH only if it is installed. */
  function wrapped(repository: Repository, { installed }: { readonly installed: boolean }) {
    for (const [path, text] of wrapperFiles()) {
      mkdirSync(dirname(join(repository.path, path)), { recursive: true });
      writeFileSync(join(repository.path, path), text);
    }
    const bin = join(repository.path, ".git/bin");
    mkdirSync(bin);
    if (installed) symlinkSync(command, join(bin, "lockstep"));
    const others = installed ? [dirname(process.execPath), "/usr/bin", "/bin"] : [];
    const own = Object.entries(process.env).filter(([name]) => !/^(?:LOCKSTEP_|CLAUDE_)/.test(name));
    const env = { ...Object.fromEntries(own), PATH: [bin, ...others].join(delimiter) };
    return (file: string, words: readonly string[] = [], input = "", more = {}) =>
      spawnSync(process.execPath, [join(repository.path, ".claude", file), ...words], {
        ...{ cwd: repository.path, encoding: "utf8", input, env: { ...env, ...more } },
      });
  }

  const payload = (repository: Repository, event: string) =>
    JSON.stringify({
      ...{ session_id: "c1", hook_event_name: event, cwd: repository.path, tool_name: "Grep" },
      tool_input: { pattern: "x" },
    });

  it("their own tests pass", () => {
    using repository = temporaryRepository();
    const run = wrapped(repository, { installed: true });
    const { status, stdout, stderr } = run("tests/test-orchestrator-enforcement.mjs");
    expect(stderr).toBe("");
    expect(stdout.match(/^✓ /gm)).toHaveLength(14);
    expect([status, stdout.trim().split("\n").at(-1)]).toEqual([0, "14 of 14 passed"]);
  });

  it("the hooks block and record, the tools manage the session and its gate", () => {
    using repository = temporaryRepository({ ".lockstep/config.yaml": "guard: { root: .claude/context }\n" });
    const run = wrapped(repository, { installed: true });
    const context = join(repository.path, ".claude/context");
    expect(run("tools/session-state.mjs", ["init", "orchestrator"]).status).toBe(0);
    const { session_id: id } = JSON.parse(
      readFileSync(join(context, "tmp/orchestrator-session-state.json"), "utf8"),
    );
    const pre = run("hooks/orchestrator-enforcement-pre-tool.mjs", [], payload(repository, "PreToolUse"));
    expect([pre.status, JSON.parse(pre.stdout).hookSpecificOutput.permissionDecision]).toEqual([2, "deny"]);
    expect(pre.stderr).toContain("ORCHESTRATOR VIOLATION");
    run("hooks/orchestrator-audit-post-tool.mjs", [], payload(repository, "PostToolUse"));
    const log = readFileSync(join(context, "logs/orchestrator-audit.log"), "utf8").trim().split("\n");
    expect(log.map((line) => JSON.parse(line).outcome)).toEqual(["blocked", "warned"]);
    expect(run("tools/session-state.mjs", ["summary"]).stdout).toContain("DIRECT_GREP");
    const gate = run("tools/enforcement-gate.mjs", ["validate-orchestrator", "--session-id", id]);
    expect([gate.status, JSON.parse(gate.stdout)]).toMatchObject([2, { valid: false, score: 10 }]);
    expect(run("tools/session-state.mjs", ["reset"]).status).toBe(0);
    expect(run("tools/session-state.mjs", ["clear", "--archive"]).status).toBe(0);
    expect(readdirSync(join(context, "reports"))).toContain(`orchestrator-compliance-${id}.json`);
    const code = `import { validateOrchestratorCompliance as v } from "./.claude/tools/enforcement-gate.mjs";
      console.log((await v(${JSON.stringify(id)})).valid);`;
    const path = `${join(repository.path, ".git/bin")}${delimiter}${process.env.PATH}`;
    const options = { cwd: repository.path, encoding: "utf8", env: { ...process.env, PATH: path } } as const;
    expect(execFileSync(process.execPath, ["--input-type=module", "-e", code], options)).toBe("false\n");
  });

  it("all pass silently if Lockstep is not installed", () => {
    using repository = temporaryRepository();
    const run = wrapped(repository, { installed: false });
    const input = payload(repository, "PreToolUse");
    for (const [file, words] of [
      ["hooks/orchestrator-enforcement-pre-tool.mjs", []],
      ["hooks/orchestrator-audit-post-tool.mjs", []],
      ["tools/session-state.mjs", ["summary"]],
    ] as const)
      expect(run(file, words, input)).toMatchObject({ status: 0, stdout: "", stderr: "" });
    const gate = run("tools/enforcement-gate.mjs", ["validate-orchestrator", "--session-id", "sess_1"]);
    expect([gate.status, JSON.parse(gate.stdout).valid]).toEqual([0, true]);
    expect(run("tests/test-orchestrator-enforcement.mjs").status).toBe(0);
  });

  it("a guard that gives no answer blocks a call before it runs", () => {
    using repository = temporaryRepository();
    using folder = temporaryFolder({ lockstep: "#!/bin/sh\nexit 1\n" });
    execFileSync("chmod", ["755", join(folder.path, "lockstep")]);
    const run = wrapped(repository, { installed: false });
    const pre = run("hooks/orchestrator-enforcement-pre-tool.mjs", [], "{}", { PATH: folder.path });
    expect([pre.status, JSON.parse(pre.stdout).hookSpecificOutput.permissionDecision]).toEqual([2, "deny"]);
    expect(pre.stderr).toContain("lockstep doctor");
  });
});

describe("the role of a caller", () => {
  const write = ["Write", { file_path: "a.ts", content: "x" }] as const;
  const status = async (repository: Repository, env: Readonly<Record<string, string>>) =>
    (await hooked(repository, "PreToolUse", write, env)).status;

  it("comes from the environment first: a stale state blocks no developer, and CLAUDE.md does not count", async () => {
    using repository = temporaryRepository({ "CLAUDE.md": "You are the orchestrator.\n" });
    expect(await status(repository, {})).toBe(0);
    await repository.run(["agent-session", "init", "orchestrator"]);
    expect(await status(repository, {})).toBe(2);
    expect(await status(repository, { CLAUDE_AGENT_ROLE: "developer" })).toBe(0);
    expect(await status(repository, { CLAUDE_AGENT_NAME: "analyst" })).toBe(0);
    expect(await status(repository, { CLAUDE_AGENT_ROLE: " " })).toBe(2);
    expect(await status(repository, { CLAUDE_AGENT_NAME: "Master-Orchestrator" })).toBe(2);
    expect(
      await status(repository, { CLAUDE_AGENT_ROLE: "developer", CLAUDE_AGENT_NAME: "orchestrator" }),
    ).toBe(0);
  });

  it("a subagent with the inherited environment of an orchestrator is not blocked", async () => {
    using repository = temporaryRepository();
    expect(await status(repository, orchestrator)).toBe(2);
    const call = {
      ...{ session_id: "c1", hook_event_name: "PreToolUse", cwd: repository.path, agent_id: "a1" },
      ...{ agent_type: "developer", tool_name: "Write", tool_input: write[1] },
    };
    const before = readFileSync(stateFile(repository), "utf8");
    const run = await repository.run(["guard", "claude"], { input: JSON.stringify(call), env: orchestrator });
    expect(run.status).toBe(0);
    expect(readFileSync(stateFile(repository), "utf8")).toBe(before);
  });
});
