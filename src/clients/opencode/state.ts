import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";

export interface OpencodeState {
  readonly state: readonly string[];
  /** Plugins, servers and instructions: the person's next conversation runs or believes them. */
  readonly obeys: readonly string[];
}

/** Without `XDG_STATE_HOME`, where Lockstep keeps what agents may not see; only locks are in it here. */
export function opencodeState(own: Readonly<Record<string, string | undefined>>): OpencodeState {
  const placed = (name: string, usual: string) => {
    const moved = own[name] ?? "";
    return join(isAbsolute(moved) ? moved : join(homedir(), usual), "opencode");
  };
  const further = ["OPENCODE_CONFIG", "OPENCODE_CONFIG_DIR"]
    .map((name) => own[name] ?? "")
    .filter(isAbsolute);
  return {
    state: [placed("XDG_DATA_HOME", ".local/share"), join(homedir(), ".local/state/opencode")],
    obeys: [placed("XDG_CONFIG_HOME", ".config"), ...further],
  };
}

/** What it makes at its first start, and does not start without; inside the walls it could not. */
export function makeState({ state, obeys: [folder = ""] }: OpencodeState): void {
  for (const one of [...state, folder]) mkdirSync(one, { recursive: true, mode: 0o700 });
  const file = join(folder, ".gitignore");
  const text = ["node_modules", "package.json", "package-lock.json", "bun.lock", ".gitignore"].join("\n");
  if (!existsSync(file)) writeFileSync(file, text);
}
