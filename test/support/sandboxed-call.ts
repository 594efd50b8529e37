import type { GuardedRepository } from "./guarded-repository.ts";

/** A call of Claude's shell tool. */
export function shellPayload(cwd: string, command: string, more: object = {}) {
  return {
    session_id: "s1",
    cwd,
    hook_event_name: "PreToolUse",
    permission_mode: "bypassPermissions",
    tool_name: "Bash",
    tool_input: { command, description: "a call" },
    tool_use_id: "t1",
    ...more,
  };
}

/** The command that Claude runs in place of this one. */
export async function replacedCommand(
  repository: GuardedRepository,
  command: string,
  env: Readonly<Record<string, string>>,
): Promise<string> {
  const { exit, stdout, stderr } = await repository.guard(shellPayload(repository.path, command), { env });
  if (exit !== 0) throw new Error(`the guard refused \`${command}\`: ${stderr}`);
  return stdout === "" ? command : JSON.parse(stdout).hookSpecificOutput.updatedInput.command;
}
