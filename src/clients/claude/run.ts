import { commandsIn } from "../../core/proof/criterion.ts";
import { readAssignment } from "../../core/tasks/assignment.ts";
import { field } from "../../core/values/fields.ts";
import type { AgentClient, AgentStart } from "../agent.ts";
import { type ClientSettings, streamClient, type Words } from "../process/stream-client.ts";
import { claudeHome } from "./home.ts";
import { checkLogin, loginVariables } from "./login.ts";
import { ClaudeReading } from "./read-stream.ts";

const quiet = { CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1", DISABLE_AUTOUPDATER: "1" };

/** Tools that work outside the checkout, after the run, or through other conversations of the user. */
const withheld = ["EnterWorktree", "CronCreate", "ScheduleWakeup", "Workflow", "ListAgents", "SendMessage"];

export function claudeAgent(settings: ClientSettings): AgentClient {
  const own = { ...process.env, ...settings.env };
  const passes = loginVariables(own);
  return streamClient(
    {
      program: "claude",
      install: "`npm install -g @anthropic-ai/claude-code`, and `claude` once to log in",
      can: { resume: true, hooks: true, usage: true, cost: true, model: true, structured: true },
      home: claudeHome(own.CLAUDE_CONFIG_DIR),
      passes,
      words: wordsFor,
      read: () => new ClaudeReading(),
      check: () => checkLogin({ passes, env: { ...settings.env, ...quiet } }),
      resumeCommand: (conversation) => ["claude", "--resume", conversation],
    },
    settings,
  );
}

function wordsFor(start: AgentStart, { model, args }: ClientSettings): Words {
  const { prompt, folder, sandboxed, resume } = start;
  const permissions = sandboxed ? {} : { permissions: { allow: commandsOf(start.input).map(asRule) } };
  return {
    input: prompt,
    words: [
      ...["-p", "--output-format", "stream-json", "--verbose"],
      "--include-partial-messages", // only these report an answer's tokens before the end of the run
      // The project's own settings are not used, because agents could have written them.
      ...[
        "--setting-sources",
        "user",
        "--settings",
        JSON.stringify({ disableAllHooks: false, ...permissions }),
      ],
      "--strict-mcp-config",
      ...["--add-dir", folder], // for its CLAUDE.md, which is otherwise ignored together with the project's settings
      ...["--disallowedTools", withheld.join(",")],
      // Without a sandbox: edits below the folder, read-only tools, and the task's own checks. The rest is refused.
      ...["--permission-mode", sandboxed ? "bypassPermissions" : "acceptEdits"],
      ...(model === null ? [] : ["--model", model]),
      ...(resume === undefined ? [] : ["--resume", resume]),
      ...args,
    ],
    env: {
      ...quiet,
      CLAUDE_CODE_ADDITIONAL_DIRECTORIES_CLAUDE_MD: "1",
      CLAUDE_CODE_DISABLE_AUTO_MEMORY: "1", // or one task's agent would leave notes for another's
      ...(sandboxed && { IS_SANDBOX: "1" }), // without it, root may not bypass permissions
    },
  };
}

/** The commands of the task's checks, and `lockstep widen`. */
function commandsOf(input: unknown): readonly string[] {
  const { acceptance_criteria, proves } = readAssignment(field(input, "assignment"));
  return [...commandsIn(acceptance_criteria ?? []), ...(proves ?? []), "lockstep widen:*"];
}

function asRule(command: string): string {
  return `Bash(${command.replace(/[\\()]/g, "\\$&")})`;
}
