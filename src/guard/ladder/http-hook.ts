import type { HttpAccess } from "../../workspace/state/http-access.ts";
import { guardHeaders } from "../world/guard-endpoint.ts";

/** Seconds; the server's own limit is far below. */
const clientSeconds = 10;

/**
 * A handler for Claude Code's settings. At the beginning of a session, where it does not call over HTTP, and at each
 * prompt belongs a hook line that starts the server beside it, and one that revives it between calls: nobody else can
 * start it.
 */
export function httpHook(client: string, { port, token }: Pick<HttpAccess, "port" | "token">) {
  const interpolated = guardHeaders.map(({ header, name }) => [header, `$${name}`]);
  return {
    type: "http",
    url: `http://127.0.0.1:${port}/guard/${client}`,
    timeout: clientSeconds,
    onFailure: "block",
    headers: { Authorization: `Bearer ${token}`, ...Object.fromEntries(interpolated) },
    allowedEnvVars: guardHeaders.map(({ name }) => name),
  } as const;
}
