import { editSettings, type SettingsEdit, UnreadableSettings } from "../settings/settings-edit.ts";
import { pluginText, pluginTitle } from "./plugin-text.ts";

/** OpenCode has no command hooks, so a plugin calls ours. */
export const settingsFiles = { personal: null, shared: ".opencode/plugins/lockstep.js" } as const;

export function install(
  text: string | null,
  { command }: { readonly command: string },
  file: string = settingsFiles.shared,
): SettingsEdit {
  return editSettings(file, text, () => {
    if (text !== null && !isOurs(text))
      throw new UnreadableSettings("another plugin has this name", {
        at: 0,
        expected: "another name for it",
      });
    return pluginText(command);
  });
}

export function uninstall(text: string, file: string = settingsFiles.shared): SettingsEdit {
  return editSettings(file, text, () => (isOurs(text) ? null : text));
}

function isOurs(text: string): boolean {
  return text.startsWith(pluginTitle);
}
