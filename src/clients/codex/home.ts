import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import { field } from "../../core/values/fields.ts";
import type { ClientHome } from "../../workspace/client-home/client-home.ts";

/** Hooks, servers, rules, instructions, variables, and the program itself if it was installed there. */
const orders = [
  ...["config.toml", "managed_config.toml", "hooks.json", "AGENTS.md", "AGENTS.override.md", ".env"],
  ...["agents", "hooks", "plugins", "prompts", "rules", "skills", "packages"],
];

/** @param moved CODEX_HOME. */
export function codexHome(moved: string | undefined): ClientHome {
  return {
    name: "codex",
    folders: [
      {
        path: moved !== undefined && isAbsolute(moved) ? moved : join(homedir(), ".codex"),
        shows: orders,
        copies: ["installation_id", "models_cache.json"],
        logins: [{ file: "auth.json", values: [...tokens.map((key) => ["tokens", key]), ["last_refresh"]] }],
        keeps: ["sessions"],
      },
    ],
    shows: [],
    conversation: {
      folder: () => "sessions",
      file: (id) => `*/*/*/rollout-*-${id}.jsonl`,
      accepts: (lines, { id, checkout }) => {
        const placed = lines.filter((line) => places.includes(field(line, "type")));
        const isHere = (line: unknown) => field(field(line, "payload"), "cwd") === checkout;
        return field(field(lines[0], "payload"), "id") === id && placed.every(isHere);
      },
    },
  };
}

const tokens = ["id_token", "access_token", "refresh_token"];
/** The types of lines that name the project. */
const places: readonly unknown[] = ["session_meta", "turn_context"];
