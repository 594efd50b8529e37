import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";

export interface ClaudeState {
  readonly state: readonly string[];
  readonly obeys: readonly string[];
}

/** Hooks, servers, plugins and instructions: the person's next conversation runs or believes them. */
const orders = [
  ...["settings.json", "CLAUDE.md", "agents", "commands", "skills", "plugins", "hooks", "rules"],
  ...["output-styles", "workflows"],
];

/** @param moved CLAUDE_CONFIG_DIR, which takes everything along. */
export function claudeState(moved: string | undefined): ClaudeState {
  const isMoved = moved !== undefined && isAbsolute(moved);
  const folder = isMoved ? moved : join(homedir(), ".claude");
  const file = join(isMoved ? folder : homedir(), ".claude.json");
  return { state: [folder], obeys: [file, ...orders.map((name) => join(folder, name))] };
}

/** What is not there could not be shown, and an agent could put its own in that place. */
export function makeState({ state: [folder = ""] }: ClaudeState): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, "settings.json");
  if (!existsSync(file)) writeFileSync(file, "{}\n", { mode: 0o600 });
}
