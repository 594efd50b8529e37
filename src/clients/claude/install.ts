import { addHooks, marked, removeHooks } from "../settings/hook-entries.ts";
import type { SettingsEdit } from "../settings/settings-edit.ts";

/** Only the shared one is also read by Copilot, and by Cursor. */
export const settingsFiles = {
  personal: ".claude/settings.local.json",
  shared: ".claude/settings.json",
} as const;

const timeoutSeconds = 10;

/** Those that an HTTP hook may take: elsewhere it is skipped, or cannot be made to block where it fails. */
const toolEvents = ["PreToolUse", "PostToolUse", "PostToolUseFailure"];
const otherEvents = ["SessionStart", "SessionEnd", "PreCompact", "Stop", "SubagentStop", "ConfigChange"];

export interface ClaudeHook {
  readonly command: string;
  /** The whole handler for the events about tools, in place of the command. */
  readonly http?: Readonly<Record<string, unknown>>;
  /** Starts the server that answers HTTP: when a session begins, and at each prompt should it have ended. */
  readonly start?: string;
  /** The same after a batch of calls, refused ones too, for a server that died in the middle of a turn. */
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
