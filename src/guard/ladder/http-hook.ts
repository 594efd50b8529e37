import type { HttpAccess } from "../../workspace/http-access.ts";

/** Seconds; the server's own limit is far below. */
const clientSeconds = 10;

const variables = {
  "X-Lockstep-Task": "LOCKSTEP_TASK",
  "X-Lockstep-Epoch": "LOCKSTEP_EPOCH",
  "X-Lockstep-Token": "LOCKSTEP_TOKEN",
  "X-Lockstep-Role": "CLAUDE_AGENT_ROLE",
  "X-Lockstep-Name": "CLAUDE_AGENT_NAME",
  "X-Lockstep-Tmpdir": "TMPDIR",
  "X-Lockstep-Path": "PATH",
} as const;

/**
 * A handler for Claude Code's settings. At the beginning of a session, where it does not call over HTTP, and at each
 * prompt belongs a hook line that starts the server beside it, and one that revives it between calls: nobody else can
 * start it.
 */
export function httpHook(client: string, { port, token }: Pick<HttpAccess, "port" | "token">) {
  const interpolated = Object.entries(variables).map(([header, name]) => [header, `$${name}`]);
  return {
    type: "http",
    url: `http://127.0.0.1:${port}/guard/${client}`,
    timeout: clientSeconds,
    onFailure: "block",
    headers: { Authorization: `Bearer ${token}`, ...Object.fromEntries(interpolated) },
    allowedEnvVars: Object.values(variables),
  } as const;
}
