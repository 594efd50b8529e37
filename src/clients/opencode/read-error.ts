import { shortened } from "../../core/text/quoted.ts";
import { field, isText } from "../../core/values/fields.ts";
import type { AgentEnd } from "../agent.ts";
import { statedWait } from "../process/stated-wait.ts";

const reasonLengthMax = 300;

/** How a run with an error ended. OpenCode's internal errors are only described in its log. */
export function readError(error: unknown, tail: string): AgentEnd {
  const data = field(error, "data");
  const name = field(error, "name");
  const said = field(data, "message");
  const logged = name === "UnknownError" ? /\berror="((?:[^"\\]|\\.)*)"/.exec(tail)?.[1] : undefined;
  const message = logged ?? (isText(said) ? said : `it ended with ${name}`);
  const kind = kindOf(message, field(data, "statusCode"), name);
  return endAs(kind, message, headerWait(field(data, "responseHeaders")));
}

/** The error in a log line about a request that will be retried; undefined if waiting does not help. */
export function readRetry(line: string): AgentEnd | undefined {
  const message = /message="stream error".*\berror\.error="((?:[^"\\]|\\.)*)"/.exec(line)?.[1];
  if (message === undefined) return undefined;
  const kind = kindOf(message, undefined, undefined);
  return kind === "limited" || kind === "unavailable" ? endAs(kind, message, undefined) : undefined;
}

type Kind = Exclude<AgentEnd["how"], "done" | "stopped">;

const limits =
  /\bquota\b|rate.?limit|usage limit|too many requests|usage exceeded|insufficient.?(?:funds|credit|balance)|RESOURCE_EXHAUSTED/i;
const logins = /api.?key|unauthori[sz]ed|authenticat|log ?in\b|credentials/i;
const outages =
  /overloaded|unable to connect|cannot connect|service unavailable|server.?error|server had an error|E(?:CONN|NOTFOUND|AI_AGAIN|TIMEDOUT)/i;

/** The server's status decides; the text is used only if there is no status. */
function kindOf(message: string, status: unknown, name: unknown): Kind {
  if (status === 429 || status === 402) return "limited";
  if (status === 401 || name === "ProviderAuthError") return "unauthenticated";
  if (typeof status === "number" && status >= 500) return "unavailable";
  if (limits.test(message)) return "limited";
  if (typeof status === "number") return logins.test(message) ? "unauthenticated" : "failed";
  if (outages.test(message)) return "unavailable";
  return logins.test(message) ? "unauthenticated" : "failed";
}

function endAs(kind: Kind, message: string, waitMs: number | undefined): AgentEnd {
  const line = message.trim().split(/\r?\n|\\n/)[0] ?? "";
  const reason = shortened(line.replace(/^AI_\w+: /, ""), reasonLengthMax).toWellFormed();
  if (kind === "failed") return { how: kind, reason, output: message };
  if (kind !== "limited") return { how: kind, reason };
  const ms = waitMs ?? statedWait(message);
  return { how: kind, until: ms === undefined ? null : new Date(Date.now() + ms), reason };
}

/** `retry-after` is in seconds or a date. */
function headerWait(headers: unknown): number | undefined {
  const [ms, after] = ["retry-after-ms", "retry-after"].map((name) => field(headers, name));
  if (isText(ms) && Number.isFinite(Number(ms))) return Number(ms);
  if (!isText(after)) return undefined;
  const wait = Number.isFinite(Number(after)) ? Number(after) * 1000 : Date.parse(after) - Date.now();
  return Number.isNaN(wait) ? undefined : Math.max(0, wait);
}
