import type { GuardEvent, Operation, Replaceable, ToolCall } from "../../contract/tool-call.ts";
import { field, isObject, isText } from "../../core/values/fields.ts";
import { eventNamed } from "./event-names.ts";
import { folderIn, malformed, readOperation } from "./read-operation.ts";
import { readOutcome } from "./read-outcome.ts";
import { hasCommand } from "./replace-command.ts";

/** The keys of every client: which of them a payload has is the client's affair. */
const keys = {
  event: ["hook_event_name", "hookEventName", "hookName", "event", "type"],
  session: ["session_id", "sessionId", "sessionID", "conversation_id"],
  agentId: ["agent_id", "agentId", "subagent_id"],
  agentType: ["agent_type", "agentType", "subagent_type"],
  tool: ["tool_name", "toolName", "tool"],
  input: ["tool_input", "toolInput", "toolArgs", "args"],
  response: ["tool_response", "toolResult", "tool_result", "tool_output", "result_json"],
  callId: ["tool_use_id", "toolUseId", "toolCallId", "callID"],
  folder: ["cwd", "directory"],
} as const;

/** What a client's folder knows better than the keys tell. */
export interface KnownParts {
  readonly event?: GuardEvent;
  readonly tool?: string;
  readonly input?: unknown;
  readonly response?: unknown;
  readonly agentId?: string | null;
  readonly agentType?: string | null;
  readonly folder?: unknown;
  /** False where the client does not let a hook change a command, or where the changed one could not run. */
  readonly replaceable?: Replaceable | false;
}

/** The neutral form of a payload; `known` comes before what the payload's own keys say. */
export function readCall(
  payload: unknown,
  at: { readonly folder: string },
  known: KnownParts = {},
): ToolCall {
  const text = (name: keyof typeof keys) => keys[name].map((key) => field(payload, key)).find(isText) ?? null;
  const any = (name: keyof typeof keys) =>
    keys[name].map((key) => field(payload, key)).find((value) => value !== undefined);
  const tool = known.tool ?? text("tool") ?? "";
  const event = known.event ?? eventOf(text("event"), tool);
  const input = "input" in known ? known.input : any("input");
  const response = "response" in known ? known.response : any("response");
  const base = { event, session: text("session"), tool, callId: text("callId") };
  const actor = {
    agentId: known.agentId === undefined ? text("agentId") : known.agentId,
    agentType: known.agentType === undefined ? text("agentType") : known.agentType,
  };
  const folder = folderOf(isText(known.folder) ? known.folder : text("folder"), at.folder);
  if (!isObject(payload))
    return { ...base, actor, folder, operation: malformed("the payload is no JSON object") };
  if (event !== "before-tool" && event !== "after-tool")
    return { ...base, actor, folder, operation: { kind: "none" } };
  if (tool === "") return { ...base, actor, folder, operation: malformed("the payload names no tool") };
  const operation = readOperation(tool, input, response);
  const call = { ...base, actor, folder: callFolder(operation, input, folder), operation, input };
  if (event === "after-tool") return { ...call, outcome: readOutcome(response, field(payload, "error")) };
  const { replaceable = "as it is" } = known;
  return replaceable !== false && hasCommand(tool, input, operation) ? { ...call, replaceable } : call;
}

/** Without an event that is known, a tool's name is enough to be judged as a call to come. */
function eventOf(name: string | null, tool: string): GuardEvent {
  if (name === null) return "before-tool";
  const event = eventNamed(name);
  return event === "other" && tool !== "" && /^(?:pre|before)/i.test(name) ? "before-tool" : event;
}

/** Not tidied up: what `..` means behind a link is for the disk to say. */
function folderOf(spelled: string | null, base: string): string {
  if (spelled === null) return base;
  return spelled.startsWith("/") ? spelled : `${base}/${spelled}`;
}

/** A command may say where it runs; the folder of a tool that runs none is but one of its paths. */
function callFolder(operation: Operation, input: unknown, folder: string): string {
  const runs = operation.kind === "shell" || (operation.kind === "unknown" && operation.commands.length > 0);
  return runs ? folderOf(folderIn(input), folder) : folder;
}
