/**
 * Wrapper scripts under the names that orchestrator projects use, for `guard.root: .claude/context`. Each runs
 * `lockstep` from PATH and passes silently if it is not installed.
 */
export function wrapperFiles(): ReadonlyMap<string, string> {
  return new Map([
    [".claude/hooks/orchestrator-enforcement-pre-tool.mjs", preTool],
    [".claude/hooks/orchestrator-audit-post-tool.mjs", postTool],
    [".claude/tools/session-state.mjs", sessionState],
    [".claude/tools/enforcement-gate.mjs", enforcementGate],
    [".claude/tests/test-orchestrator-enforcement.mjs", tests],
  ]);
}

const head = (what: string) => `#!/usr/bin/env node
// Written by \`lockstep init --orchestrator\`: ${what}
import { spawnSync } from "node:child_process";
`;

const preTool = `${head("blocks calls that an orchestrator must delegate.")}
const run = spawnSync("lockstep", ["guard", "claude"], { stdio: "inherit", timeout: 8000 });
if (run.error?.code === "ENOENT") process.exit(0); // Lockstep is not installed
if (run.status !== 0 && run.status !== 2) {
  const why = "lockstep guard gave no answer: run \`lockstep doctor\`";
  const permissionDecision = { permissionDecision: "deny", permissionDecisionReason: why };
  console.log(JSON.stringify({ hookSpecificOutput: { hookEventName: "PreToolUse", ...permissionDecision } }));
  console.error(why);
}
process.exit(run.status === 0 ? 0 : 2);
`;

const postTool = `${head("records tool calls in the audit log.")}
const run = spawnSync("lockstep", ["guard", "claude"], { stdio: "inherit", timeout: 8000 });
if (run.error?.code === "ENOENT") process.exit(0); // Lockstep is not installed
if (run.status === null) console.error("lockstep guard gave no answer: run \`lockstep doctor\`");
process.exit(run.status ?? 0);
`;

const sessionState = `${head("init ROLE, reset, summary, clear.")}
const run = spawnSync("lockstep", ["agent-session", ...process.argv.slice(2)], { stdio: "inherit" });
process.exit(run.error?.code === "ENOENT" ? 0 : (run.status ?? 1));
`;

const enforcementGate = `${head("the compliance gate.")}import { fileURLToPath } from "node:url";

/** { valid, score, reason, report } */
export async function validateOrchestratorCompliance(sessionId) {
  const words = ["agent-session", "validate", "--session-id", sessionId];
  const run = spawnSync("lockstep", words, { encoding: "utf8" });
  if (run.error?.code === "ENOENT")
    return { valid: true, score: null, reason: "lockstep is not installed", report: null };
  if (run.error) throw run.error;
  const { allow, reason, details } = JSON.parse(run.stdout);
  const score = details?.compliance_score ?? null;
  return { valid: allow, score, reason, report: score === null ? null : details };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [command, option, id] = process.argv.slice(2);
  if (command !== "validate-orchestrator" || option !== "--session-id" || id === undefined) {
    console.error("usage: enforcement-gate.mjs validate-orchestrator --session-id ID");
    process.exit(2);
  }
  const result = await validateOrchestratorCompliance(id);
  console.log(JSON.stringify(result, null, 2));
  process.exit(result.valid ? 0 : 2);
}
`;

const tests = `${head("tests that the pre-tool hook blocks and allows calls.")}import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

if (spawnSync("lockstep", ["--version"]).error?.code === "ENOENT") {
  console.log("lockstep is not installed: nothing to test");
  process.exit(0);
}
const hook = fileURLToPath(new URL("../hooks/orchestrator-enforcement-pre-tool.mjs", import.meta.url));
const cwd = realpathSync(mkdtempSync(join(tmpdir(), "orchestrator-test-")));
spawnSync("git", ["init", "-q"], { cwd });
const inherited = Object.entries(process.env).filter(([name]) => !/^(?:LOCKSTEP_|CLAUDE_)/.test(name));
let session = 0;
let calls = 0;

/** True if the hook lets the call pass. */
function allows(tool_name, tool_input, role = "orchestrator") {
  const id = \`test-\${session}\`;
  const call = { hook_event_name: "PreToolUse", session_id: id, tool_use_id: \`call-\${(calls += 1)}\`, cwd };
  const env = { ...Object.fromEntries(inherited), CLAUDE_AGENT_ROLE: role };
  const input = JSON.stringify({ ...call, tool_name, tool_input });
  return spawnSync(process.execPath, [hook], { cwd, env, input }).status === 0;
}

const file = (name) => ({ file_path: join(cwd, name) });
const read = (name) => allows("Read", file(name));
const bash = (command) => allows("Bash", { command });
const write = { ...file("a.ts"), content: "x" };
const edit = { ...file("a.ts"), old_string: "x", new_string: "y" };
const spawned = { subagent_type: "developer", description: "d", prompt: "p" };

const cases = [
  ["Block Write tool for orchestrator", () => !allows("Write", write)],
  ["Block Edit tool for orchestrator", () => !allows("Edit", edit)],
  ["Block Grep tool for orchestrator", () => !allows("Grep", { pattern: "x" })],
  ["Block Glob tool for orchestrator", () => !allows("Glob", { pattern: "**/*.ts" })],
  ["Allow first 2 Read calls", () => read("a.ts") && read("b.ts")],
  ["Block 3rd Read call", () => read("a.ts") && read("b.ts") && !read("c.ts")],
  ["Allow coordination files after limit", () => read("a.ts") && read("b.ts") && read("plan-1.json")],
  ["Block git commands in Bash", () => !bash("git status")],
  ["Block rm commands in Bash", () => !bash("rm -rf build")],
  ["Allow safe Bash commands", () => bash("ls -la") && bash("echo performing the legit format")],
  ["Allow all tools for subagent", () => allows("Write", write, "developer") && allows("Grep", {}, "developer")],
  ["Allow Task tool for orchestrator", () => allows("Task", spawned)],
  ["Allow TodoWrite for orchestrator", () => allows("TodoWrite", { todos: [] })],
  ["Allow AskUserQuestion for orchestrator", () => allows("AskUserQuestion", { questions: [] })],
];

let failed = 0;
try {
  for (const [title, holds] of cases) {
    session += 1;
    const passed = holds();
    if (!passed) failed += 1;
    console.log(\`\${passed ? "✓" : "✗"} \${title}\`);
  }
} finally {
  rmSync(cwd, { recursive: true, force: true });
}
console.log(\`\${cases.length - failed} of \${cases.length} passed\`);
process.exit(failed === 0 ? 0 : 1);
`;
