import { addHooks, marked, removeHooks } from "../settings/hook-entries.ts";
import type { SettingsEdit } from "../settings/settings-edit.ts";

/** A separate file: an empty matcher in a shared file makes Copilot ignore all other hooks in it. */
export const settingsFiles = { personal: null, shared: ".github/hooks/lockstep.json" } as const;

const timeoutSec = 10;
const extra = { version: 1 };
const events = [
  "preToolUse",
  "postToolUse",
  "postToolUseFailure",
  "sessionStart",
  "sessionEnd",
  "preCompact",
  "agentStop",
  "subagentStop",
];

export function install(
  text: string | null,
  { command }: { readonly command: string },
  file: string = settingsFiles.shared,
): SettingsEdit {
  const handler = { type: "command", bash: marked(command), timeoutSec };
  return addHooks(
    text,
    events.map((event) => [event, handler] as const),
    { file, extra },
  );
}

export function uninstall(text: string, file: string = settingsFiles.shared): SettingsEdit {
  return removeHooks(text, { file, extra });
}
