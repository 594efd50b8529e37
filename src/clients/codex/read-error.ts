import { shortened } from "../../core/text/quoted.ts";
import type { AgentEnd } from "../agent.ts";
import { statedWait } from "../process/stated-wait.ts";

const reasonLengthMax = 300;

const limits = /usage limit|quota exceeded|\b429\b|rate.?limit|upgrade to plus|out of credits/i;
const logins =
  /\b401\b|missing environment variable|log ?in again|sign(?:ed)? in|not logged in|refresh.?token/i;
const outages =
  /\bstatus:? 5\d\d\b|stream disconnected|connection failed|error sending request|at capacity|overloaded|high demand|timed? ?out/i;

/** How a run with a failed turn ended. The client gives a text but no code. */
export function readError(message: string, now: Date): AgentEnd {
  const reason = shortened(message.trim().split(/\r?\n/)[0] ?? "", reasonLengthMax).toWellFormed();
  if (limits.test(message)) return { how: "limited", until: readUntil(message, now), reason };
  if (logins.test(message)) return { how: "unauthenticated", reason };
  if (outages.test(message)) return { how: "unavailable", reason };
  return { how: "failed", reason, output: message };
}

/** `try again at 10:00 PM` (today) or `try again at Nov 18th, 2026 5:47 PM`, in local time. */
const clockTime =
  /try again at (?:([A-Z][a-z]{2}) (\d{1,2})(?:st|nd|rd|th), (\d{4}) )?(\d{1,2}):(\d{2}) ([AP])M/;
const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const minuteMs = 60_000;

function readUntil(message: string, now: Date): Date | null {
  const ms = statedWait(message);
  if (ms !== undefined) return new Date(now.getTime() + ms);
  const [, month, day, year, hour, minute, half] = clockTime.exec(message) ?? [];
  if (hour === undefined) return null;
  const at = new Date(
    year === undefined ? now.getFullYear() : Number(year),
    month === undefined ? now.getMonth() : months.indexOf(month),
    day === undefined ? now.getDate() : Number(day),
    (Number(hour) % 12) + (half === "P" ? 12 : 0),
    Number(minute),
  );
  // The text has no seconds.
  return new Date(at.getTime() + minuteMs);
}
