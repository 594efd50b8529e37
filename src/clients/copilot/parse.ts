import type { GuardEvent, GuardedClient } from "../../contract/tool-call.ts";
import { field, isText } from "../../core/values/fields.ts";
import { readCall } from "../payload/read-call.ts";

/** Payloads for hooks with camelCase names do not name the event: their other fields show it. */
export const parse: GuardedClient["parse"] = (payload, at) => {
  const isNamed = ["hook_event_name", "hookName"].some((key) => isText(field(payload, key)));
  const event = isNamed ? undefined : eventShown(payload);
  return readCall(payload, at, event === undefined ? {} : { event });
};

function eventShown(payload: unknown): GuardEvent | undefined {
  const has = (key: string) => field(payload, key) !== undefined;
  if (has("toolName")) return has("toolResult") || has("error") ? "after-tool" : "before-tool";
  if (has("stopReason")) return has("agentName") || has("response") ? "subagent-stop" : "stop";
  if (has("agentName")) return "subagent-start";
  if (has("source")) return "session-start";
  if (has("trigger")) return "compact";
  if (has("prompt") || has("error")) return "other";
  return has("reason") ? "session-end" : undefined;
}
