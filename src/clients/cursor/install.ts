import { addHooks, marked, removeHooks } from "../settings/hook-entries.ts";
import type { SettingsEdit } from "../settings/settings-edit.ts";

export const settingsFiles = { personal: null, shared: ".cursor/hooks.json" } as const;

const timeoutSeconds = 10;
const extra = { version: 1 };
const events = [
  "preToolUse",
  "postToolUse",
  "postToolUseFailure",
  "sessionStart",
  "sessionEnd",
  "preCompact",
  "stop",
  "subagentStop",
];

export function install(
  text: string | null,
  { command }: { readonly command: string },
  file: string = settingsFiles.shared,
): SettingsEdit {
  const handler = { command: marked(command), timeout: timeoutSeconds };
  const entries = events.map(
    (event) => [event, event === "preToolUse" ? { ...handler, failClosed: true } : handler] as const,
  );
  return addHooks(text, entries, { file, extra });
}

export function uninstall(text: string, file: string = settingsFiles.shared): SettingsEdit {
  return removeHooks(text, { file, extra });
}
