import { shortened } from "../../core/text/quoted.ts";
import { field, isText } from "../../core/values/fields.ts";
import type { AgentEnd } from "../agent.ts";
import { statedWait } from "../process/stated-wait.ts";

const reasonLengthMax = 300;

/** Gemini's exit code for a missing login. */
const noLogin = 41;

/** How a failed run ended. Its exit code is the server's HTTP status modulo 256. */
export function readEnd({
  exit,
  said,
  tail,
}: {
  readonly exit: number | null;
  /** The last message of the client; empty if there was none. */
  readonly said: string;
  readonly tail: string;
}): AgentEnd | undefined {
  const answered = (status: number) => exit === status % 256;
  if (exit === noLogin) return { how: "unauthenticated", reason: lastLine(tail) };
  if (said === "") return undefined;
  const reason = reasonOf(said);
  if (answered(429) || /\bquota\b|RESOURCE_EXHAUSTED|rate limit/i.test(said))
    return { how: "limited", until: untilOf(said, tail), reason };
  if (answered(401) || /UNAUTHENTICATED|\bAPI_KEY|API key|log ?in again|re-?authenticate/i.test(said))
    return { how: "unauthenticated", reason };
  if ([500, 502, 503, 504].some(answered) || /overloaded|fetch failed|E[A-Z]+REFUSED|ENOTFOUND/.test(said))
    return { how: "unavailable", reason };
  return { how: "failed", reason, output: said };
}

function lastLine(text: string): string {
  return shortened(text.trim().split(/\r?\n/).at(-1) ?? "", reasonLengthMax);
}

/** The text in `[API Error: …]`, or the message in the server's document there. */
function reasonOf(said: string): string {
  const inner = /^\[API Error: ([\s\S]*)\]/.exec(said)?.[1] ?? said;
  const text = messageIn(inner) ?? inner;
  return shortened(text.trim().split(/\r?\n/)[0] ?? "", reasonLengthMax).toWellFormed();
}

function messageIn(json: string): string | undefined {
  if (!json.startsWith("{")) return undefined;
  try {
    const message = field(field(JSON.parse(json), "error"), "message");
    return isText(message) ? message : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** A daily quota has no end time. */
function untilOf(said: string, tail: string): Date | null {
  const dumped = /\bretryDelayMs: (\d+)/.exec(tail)?.[1];
  const ms = statedWait(said) ?? (dumped === undefined ? undefined : Number(dumped));
  return ms === undefined ? null : new Date(Date.now() + ms);
}
