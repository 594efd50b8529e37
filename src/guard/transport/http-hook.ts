import type { HttpAccess } from "../../workspace/state/http-access.ts";
import { guardHeaders } from "../world/guard-endpoint.ts";

/** In seconds. The server's own timeout is much shorter. */
const clientSeconds = 10;

/**
 * A handler for Claude Code's settings. It needs hook lines next to it: one that starts the server at the start of a
 * session, where Claude Code does not call over HTTP, and one that revives it at each prompt. Nothing else can start it.
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
