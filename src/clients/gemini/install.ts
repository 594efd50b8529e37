import { addHooks, marked, removeHooks } from "../settings/hook-entries.ts";
import type { SettingsEdit } from "../settings/settings-edit.ts";

export const settingsFiles = { personal: null, shared: ".gemini/settings.json" } as const;

const timeoutMs = 10_000;
/** PreCompress is left out: it fires before every request to the model, even if nothing is compressed. */
const events = ["BeforeTool", "AfterTool", "SessionStart", "SessionEnd", "AfterAgent"];

export function install(
  text: string | null,
  { command }: { readonly command: string },
  file: string = settingsFiles.shared,
): SettingsEdit {
  const handler = { type: "command", command: marked(command), timeout: timeoutMs, name: "lockstep" };
  return addHooks(
    text,
    events.map((event) => [event, { hooks: [handler] }] as const),
    { file },
  );
}

export function uninstall(text: string, file: string = settingsFiles.shared): SettingsEdit {
  return removeHooks(text, { file });
}
