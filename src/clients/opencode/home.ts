import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import { field, isObject } from "../../core/values/fields.ts";
import type { ClientHome, ConversationExport } from "../../workspace/client-home/client-home.ts";

/** Settings for a quick start, and to ignore files that an agent may have written. */
export const quiet = {
  OPENCODE_DISABLE_AUTOUPDATE: "1",
  OPENCODE_DISABLE_MODELS_FETCH: "1",
  OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
  OPENCODE_DISABLE_SHARE: "1",
  // The project's plugins and MCP servers are programs, and agents could have written its settings.
  OPENCODE_DISABLE_PROJECT_CONFIG: "1",
};

/** `XDG_STATE_HOME` is not passed on: Lockstep keeps files there that agents must not see. */
export function opencodeHome(own: Readonly<Record<string, string | undefined>>): ClientHome {
  const further = ["OPENCODE_CONFIG", "OPENCODE_CONFIG_DIR"]
    .map((name) => own[name] ?? "")
    .filter(isAbsolute);
  return {
    name: "opencode",
    folders: [
      {
        path: placed(own, "XDG_DATA_HOME", ".local/share"),
        shows: ["bin"],
        copies: ["mcp-auth.json"],
        logins: [{ file: "auth.json", values: ["access", "refresh", "expires"].map((key) => ["*", key]) }],
        // The database has grants and accounts as well as the conversations, so it is never copied back.
        keeps: ["opencode.db", "opencode.db-shm", "opencode.db-wal", "storage", "snapshot"],
      },
      {
        path: join(homedir(), ".local/state/opencode"),
        ...{ shows: [], copies: ["model.json"], logins: [], keeps: [] },
      },
    ],
    shows: [placed(own, "XDG_CONFIG_HOME", ".config"), ...further],
    conversation,
  };
}

function placed(own: Readonly<Record<string, string | undefined>>, name: string, usual: string): string {
  const moved = own[name] ?? "";
  return join(isAbsolute(moved) ? moved : join(homedir(), usual), "opencode");
}

/** Creates the settings folder as OpenCode does at its first start, because it cannot do so in the sandbox. */
export function makeSettings({ shows: [folder = ""] }: ClientHome): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, ".gitignore");
  const text = ["node_modules", "package.json", "package-lock.json", "bun.lock", ".gitignore"].join("\n");
  if (!existsSync(file)) writeFileSync(file, text);
}

const conversation: ConversationExport = {
  print: (id) => ["opencode", "export", id],
  take: (file) => ["opencode", "import", "--pure", file],
  env: quiet,
  cleaned: (document, { id, checkout }) => {
    const [info, messages] = [field(document, "info"), field(document, "messages")];
    if (!isObject(info) || info.id !== id || info.directory !== checkout) return undefined;
    if (!Array.isArray(messages) || !messages.every((message) => isOf(message, id))) return undefined;
    const { permission: _permission, share: _share, revert: _revert, metadata: _metadata, ...plain } = info;
    return { info: plain, messages };
  },
};

/** False for a message of another conversation, which an import could overwrite. */
function isOf(message: unknown, session: string): boolean {
  const [info, parts] = [field(message, "info"), field(message, "parts")];
  if (field(info, "sessionID") !== session || !Array.isArray(parts)) return false;
  return parts.every(
    (part) => field(part, "sessionID") === session && field(part, "messageID") === field(info, "id"),
  );
}
