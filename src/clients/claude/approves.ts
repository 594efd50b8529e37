import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import type { GuardedClient } from "../../contract/tool-call.ts";
import { field } from "../../core/values/fields.ts";
import { isAllowed, rulesIn } from "./permission-rules.ts";

/** The permission modes in which an allow rule answers Claude's question. The other modes ask nothing or allow nothing. */
const askingModes: readonly unknown[] = ["default", "acceptEdits", "dontAsk"];

/** True if the user's own settings let the command run without a question. */
export const approves: NonNullable<GuardedClient["approves"]> = ({ operation }, payload, at) => {
  if (operation.kind !== "shell" || !askingModes.includes(field(payload, "permission_mode"))) return false;
  const own = at.environment.CLAUDE_CONFIG_DIR || join(homedir(), ".claude");
  const files = [
    "/etc/claude-code/managed-settings.json",
    join(own, "settings.json"),
    join(at.root, ".claude/settings.json"),
    join(at.root, ".claude/settings.local.json"),
  ];
  try {
    return isAllowed(operation.command, files.map(readSettings).map(rulesIn));
  } catch {
    return false; // a file that cannot be read may deny the command
  }
};

function readSettings(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}
