import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import { field } from "../../core/values/fields.ts";
import type { ClientHome } from "../../workspace/client-home/client-home.ts";

/** Hooks, servers, plugins, instructions, permissions, and the program itself if it has updated itself. */
const orders = [
  ...["settings.json", "mcp-config.json", "lsp-config.json", "permissions-config.json"],
  ...["copilot-instructions.md", "agents", "extensions", "hooks", "installed-plugins", "instructions"],
  ...["skills", "pkg"],
];

/** @param moved COPILOT_HOME. */
export function copilotHome(moved: string | undefined): ClientHome {
  return {
    name: "copilot",
    folders: [
      {
        path: moved !== undefined && isAbsolute(moved) ? moved : join(homedir(), ".copilot"),
        shows: orders,
        // The trusted folders and the login, which a refresh does not invalidate. Copilot must be able to write the file.
        copies: ["config.json"],
        logins: [],
        keeps: ["session-state"],
      },
    ],
    shows: [],
    conversation: {
      folder: (_root, { id }) => join("session-state", id),
      file: () => "events.jsonl",
      accepts: ([first], { id, checkout }) => {
        const data = field(first, "data");
        return field(data, "sessionId") === id && field(field(data, "context"), "cwd") === checkout;
      },
    },
  };
}
