import type { GuardEvent, GuardedClient } from "../../contract/tool-call.ts";
import { field, isText } from "../../core/values/fields.ts";
import { type KnownParts, readCall } from "../payload/read-call.ts";

/** Reads the plugin's payload: the two arguments of OpenCode's hook, and the session's data. */
export const parse: GuardedClient["parse"] = (payload, at) => {
  const input = field(payload, "input");
  const output = field(payload, "output");
  const info = field(field(payload, "properties"), "info");
  const about = info ?? payload;
  const session = [input, field(payload, "properties"), payload]
    .map((part) => field(part, "sessionID"))
    .find(isText);
  const parent = field(about, "parentID");
  const agent = field(about, "agent");
  const known: KnownParts = {
    ...eventPart(payload, { isChild: isText(parent) }),
    ...toolPart(input, output),
    agentId: isText(parent) ? (session ?? null) : null,
    agentType: isText(parent) && isText(agent) ? agent : null,
    folder: field(about, "directory"),
  };
  const callId = field(input, "callID");
  const call = readCall(payload, at, known);
  return { ...call, session: session ?? null, callId: isText(callId) ? callId : call.callId };
};

function eventPart(payload: unknown, { isChild }: { isChild: boolean }): { event?: GuardEvent } {
  const name = [field(payload, "event"), field(payload, "type")].find(isText);
  if (name === "session.created") return { event: isChild ? "subagent-start" : "session-start" };
  if (name !== undefined) return {};
  const input = field(payload, "input");
  if (field(input, "args") !== undefined) return { event: "after-tool" };
  return field(input, "tool") === undefined && input !== undefined ? { event: "other" } : {};
}

function toolPart(input: unknown, output: unknown): KnownParts {
  const tool = field(input, "tool");
  if (!isText(tool)) return {};
  return { tool, input: field(input, "args") ?? field(output, "args"), response: output };
}
