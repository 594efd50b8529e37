import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import type { ClientHome } from "../../workspace/client-home/client-home.ts";

/** Hooks, servers, plugins and instructions, and the program itself if it was installed there. */
const orders = [
  ...["settings.json", "CLAUDE.md", "agents", "commands", "skills", "plugins", "hooks", "rules"],
  ...["output-styles", "workflows", "local", ".config.json"],
];

/** Settings, servers and trusted projects, together with some state that need not be copied back. */
const both = ".claude.json";

/** @param moved CLAUDE_CONFIG_DIR, which replaces all paths. */
export function claudeHome(moved: string | undefined): ClientHome {
  const isMoved = moved !== undefined && isAbsolute(moved);
  return {
    name: "claude",
    folders: [
      {
        path: isMoved ? moved : join(homedir(), ".claude"),
        shows: isMoved ? [...orders, both] : orders,
        copies: [],
        logins: [{ file: ".credentials.json", values: refreshed.map((key) => ["claudeAiOauth", key]) }],
        keeps: ["projects"],
      },
    ],
    shows: isMoved ? [] : [join(homedir(), both)],
    conversation: {
      folder: (_root, { checkout }) => join("projects", checkout.replace(/[^A-Za-z0-9]/g, "-")),
      file: (id) => `${id}.jsonl`,
      accepts: () => true, // only its folder decides for which project it is listed
    },
  };
}

const refreshed = ["accessToken", "refreshToken", "expiresAt", "refreshTokenExpiresAt"];
