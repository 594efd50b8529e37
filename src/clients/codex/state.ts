import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** What the person's next conversation runs or believes: hooks, servers, rules, instructions, variables. */
const orders = {
  files: {
    "config.toml": "",
    "hooks.json": '{"hooks":{}}\n',
    "AGENTS.md": "",
    "AGENTS.override.md": "",
    ".env": "",
  },
  folders: ["agents", "hooks", "plugins", "prompts", "rules", "skills"],
};

/** Its folder has to be writable as a whole: its databases and the records of its threads lie in it. */
export function codexState(home: string): {
  readonly state: readonly string[];
  readonly obeys: readonly string[];
} {
  const names = [...Object.keys(orders.files), ...orders.folders];
  return { state: [home], obeys: names.map((name) => join(home, name)) };
}

/** What is not there could not be shown, and an agent could put its own in that place. */
export function makeState(home: string): void {
  for (const name of orders.folders) mkdirSync(join(home, name), { recursive: true, mode: 0o700 });
  for (const [name, text] of Object.entries(orders.files))
    if (!existsSync(join(home, name))) writeFileSync(join(home, name), text, { mode: 0o600 });
}
