import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** What the person's next conversation runs or believes: hooks, servers, plugins, instructions. */
const orders = {
  files: {
    "settings.json": "{}\n",
    "mcp-config.json": '{"mcpServers":{}}\n',
    "lsp-config.json": '{"lspServers":{}}\n',
    "copilot-instructions.md": "",
  },
  folders: ["agents", "extensions", "hooks", "installed-plugins", "instructions", "skills"],
};

/** Which folders are trusted, among other things. It does not start where it cannot write this mark into it. */
const config = "config.json";
const mark = "firstLaunchAt";

/** Its folder has to be writable as a whole: its database and the records of its sessions lie in it. */
export function copilotState(home: string): {
  readonly state: readonly string[];
  readonly obeys: readonly string[];
} {
  const file = join(home, config);
  const isMarked = !existsSync(file) || readFileSync(file, "utf8").includes(mark);
  const names = [...Object.keys(orders.files), ...orders.folders, ...(isMarked ? [config] : [])];
  return { state: [home], obeys: names.map((name) => join(home, name)) };
}

/** What is not there could not be shown, and an agent could put its own in that place. */
export function makeState(home: string): void {
  for (const name of orders.folders) mkdirSync(join(home, name), { recursive: true, mode: 0o700 });
  const files = { ...orders.files, [config]: `${JSON.stringify({ [mark]: new Date() })}\n` };
  for (const [name, text] of Object.entries(files))
    if (!existsSync(join(home, name))) writeFileSync(join(home, name), text, { mode: 0o600 });
}
