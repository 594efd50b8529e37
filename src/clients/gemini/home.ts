import { createHash } from "node:crypto";
import { readdirSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import { field } from "../../core/values/fields.ts";
import type { ClientHome } from "../../workspace/client-home/client-home.ts";
import { readPlain } from "../../workspace/client-home/plain-files.ts";

/** Hooks, servers, instructions, variables, and a search program. */
const orders = [
  ...["settings.json", "trustedFolders.json", "GEMINI.md", "system.md", ".env", "mcp-server-enablement.json"],
  ...["extensions", "commands", "skills", "agents", "policies", "tmp/bin"],
];

/** A refresh does not invalidate these logins, so they are not copied back. */
const copies = [
  ...["oauth_creds.json", "google_accounts.json", "gemini-credentials.json", "mcp-oauth-tokens.json"],
  ...["installation_id", "state.json"],
];

/** The file that names the project of a folder of conversations. */
const owner = ".project_root";
const ownerBytesMax = 4096;

/** @param moved GEMINI_CLI_HOME, which contains its folder. */
export function geminiHome(moved: string | undefined): ClientHome {
  const above = moved !== undefined && isAbsolute(moved) ? moved : homedir();
  return {
    name: "gemini",
    folders: [{ path: join(above, ".gemini"), shows: orders, copies, logins: [], keeps: ["tmp"] }],
    shows: [],
    conversation: {
      folder: (root, { checkout }) => folderOf(root, checkout),
      file: (id) => `chats/session-*-${id.slice(0, 8)}.jsonl`,
      mark: ({ checkout }) => [owner, checkout],
      accepts: ([first], { id }) => field(first, "sessionId") === id,
    },
  };
}

/** Gemini chooses the name of a project's folder, and identifies the folder by a file in it. */
function folderOf(root: string, checkout: string): string {
  const owned = foldersIn(join(root, "tmp"))
    .map((name) => join("tmp", name))
    .find((folder) => readPlain(root, join(folder, owner), ownerBytesMax)?.toString().trim() === checkout);
  return owned ?? join("tmp", `lockstep-${createHash("sha256").update(checkout).digest("hex").slice(0, 12)}`);
}

function foldersIn(folder: string): readonly string[] {
  return statSync(folder, { throwIfNoEntry: false })?.isDirectory() ? readdirSync(folder) : [];
}
