import { shortened } from "../../core/text/quoted.ts";
import { field, isText } from "../../core/values/fields.ts";
import type { AgentEnd } from "../agent.ts";
import { statedWait } from "../process/stated-wait.ts";

const reasonLengthMax = 300;

/** How a failed run ended. Before a session starts, Copilot only prints the cause. */
export function readEnd(error: unknown, tail: string, now: Date): AgentEnd | undefined {
  const message = field(error, "message");
  if (!isText(message)) return readLogin(tail);
  const reason = firstLine(message);
  switch (kindOf(error, message)) {
    case "limited":
      return { how: "limited", until: untilOf(message, now), reason };
    case "unauthenticated":
      return { how: "unauthenticated", reason };
    case "unavailable":
      return { how: "unavailable", reason };
    default:
      return { how: "failed", reason, output: message };
  }
}

type Kind = "limited" | "unauthenticated" | "unavailable";

const kinds: Readonly<Record<string, Kind>> = {
  authentication: "unauthenticated",
  authorization: "unauthenticated",
  quota: "limited",
  rate_limit: "limited",
};
const outages = /could not connect|network|timed? ?out|fetch failed|error sending request/i;

function kindOf(error: unknown, message: string): Kind | undefined {
  const kind = kinds[String(field(error, "errorType"))];
  const status = field(error, "statusCode");
  if (kind !== undefined) return kind;
  if (status === 402 || status === 429) return "limited";
  if (typeof status === "number") return status >= 500 ? "unavailable" : undefined;
  return outages.test(message) ? "unavailable" : undefined;
}

/** If the server could not be reached, the token may be valid. */
function readLogin(tail: string): AgentEnd | undefined {
  const [line] = /^Error: .*authentication.*$/im.exec(tail) ?? [];
  if (line === undefined) return undefined;
  const reason = `${firstLine(line.replace(/^Error: /, ""))} Run \`copilot login\`, or set COPILOT_GITHUB_TOKEN`;
  return { how: outages.test(tail) ? "unavailable" : "unauthenticated", reason };
}

function untilOf(message: string, now: Date): Date | null {
  const ms = statedWait(message);
  return ms === undefined ? null : new Date(now.getTime() + ms);
}

function firstLine(text: string): string {
  return shortened(text.trim().split(/\r?\n/)[0] ?? "", reasonLengthMax).toWellFormed();
}
