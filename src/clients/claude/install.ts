import { addHooks, marked, removeHooks } from "../settings/hook-entries.ts";
import type { SettingsEdit } from "../settings/settings-edit.ts";

/** Copilot and Cursor also read the shared file. */
export const settingsFiles = {
  personal: ".claude/settings.local.json",
  shared: ".claude/settings.json",
} as const;

const timeoutSeconds = 10;

/** Events that an HTTP hook can handle. For the others it is skipped, or its failure does not block. */
const toolEvents = ["PreToolUse", "PostToolUse", "PostToolUseFailure"];
const otherEvents = ["SessionStart", "SessionEnd", "PreCompact", "Stop", "SubagentStop", "ConfigChange"];

export interface ClaudeHook {
  readonly command: string;
  /** The handler for tool events that replaces the command. */
  readonly http?: Readonly<Record<string, unknown>>;
  /** Starts the HTTP server at the start of a session, and again at a prompt if it has ended. */
  readonly start?: string;
  /** The same after a batch of calls, including refused ones, for a server that ended during a turn. */
  readonly revive?: string;
}

export function install(
  text: string | null,
  { command, http, start, revive }: ClaudeHook,
  file: string = settingsFiles.personal,
): SettingsEdit {
  const running = (words: string) => ({ type: "command", command: marked(words), timeout: timeoutSeconds });
  const handler = running(command);
  const starts = start === undefined ? [] : ["SessionStart", "UserPromptSubmit"];
  const others = new Set([...otherEvents, ...starts]);
  const entries = [
    ...toolEvents.map((event) => [event, { matcher: "*", hooks: [http ?? handler] }] as const),
    ...[...others].map(
      (event) => [event, { hooks: [starts.includes(event) ? running(start ?? "") : handler] }] as const,
    ),
  ];
  const revives = revive === undefined ? [] : [["PostToolBatch", { hooks: [running(revive)] }] as const];
  return addHooks(text, [...entries, ...revives], { file });
}

export function uninstall(text: string, file: string = settingsFiles.personal): SettingsEdit {
  return removeHooks(text, { file });
}
