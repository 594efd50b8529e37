import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** What the person's next conversation runs or believes: hooks, servers, instructions, and a search program. */
const orders = {
  files: { "settings.json": "{}\n", "trustedFolders.json": "{}\n", "GEMINI.md": "" },
  folders: ["extensions", "commands", "skills", "agents", "policies", "tmp/bin"],
};

/** Its folder has to be writable as a whole: it puts new files in the place of old ones. */
export function geminiState(folder: string): {
  readonly state: readonly string[];
  readonly obeys: readonly string[];
} {
  const names = [...Object.keys(orders.files), ...orders.folders, ".env"];
  return { state: [folder], obeys: names.map((name) => join(folder, name)) };
}

/** What is not there could not be shown, and an agent could put its own in that place. */
export function makeState(folder: string): void {
  for (const name of orders.folders) mkdirSync(join(folder, name), { recursive: true, mode: 0o700 });
  for (const [name, text] of Object.entries(orders.files))
    if (!existsSync(join(folder, name))) writeFileSync(join(folder, name), text, { mode: 0o600 });
}
