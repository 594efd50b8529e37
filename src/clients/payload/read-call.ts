import type { GuardEvent, Operation, Replaceable, ToolCall } from "../../contract/tool-call.ts";
import { field, isObject, isText } from "../../core/values/fields.ts";
import { folderIn, malformed, readOperation } from "./read-operation.ts";
import { readOutcome } from "./read-outcome.ts";
import { hasCommand } from "./replace-command.ts";

/** The keys of all clients. Each client uses some of them. */
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

/** Parts of a payload that a client's own code reads, because its keys differ. */
export interface KnownParts {
  readonly event?: GuardEvent;
  readonly tool?: string;
  readonly input?: unknown;
  readonly response?: unknown;
  readonly agentId?: string | null;
  readonly agentType?: string | null;
  readonly folder?: unknown;
  /** False if the client does not let a hook change a command, or if the changed command could not run. */
  readonly replaceable?: Replaceable | false;
}

/** The neutral form of a payload. `known` overrides the payload's keys. */
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
    return { ...base, actor, folder, operation: malformed("the payload is not a JSON object") };
  if (event !== "before-tool" && event !== "after-tool")
    return { ...base, actor, folder, operation: { kind: "none" } };
  if (tool === "") return { ...base, actor, folder, operation: malformed("the payload names no tool") };
  const operation = readOperation(tool, input, response);
  const call = { ...base, actor, folder: callFolder(operation, input, folder), operation, input };
  if (event === "after-tool") return { ...call, outcome: readOutcome(response, field(payload, "error")) };
  const { replaceable = "as it is" } = known;
  return replaceable !== false && hasCommand(tool, input, operation) ? { ...call, replaceable } : call;
}

/** The clients' own names of events, in lower case. */
const eventNames: Readonly<Record<Exclude<GuardEvent, "other">, string>> = {
  "before-tool":
    "pretooluse beforetool tool.execute.before beforeshellexecution beforemcpexecution beforereadfile beforetabfileread",
  "after-tool":
    "posttooluse posttoolusefailure aftertool tool.execute.after aftershellexecution aftermcpexecution afterfileedit aftertabfileedit",
  "session-start": "sessionstart session.created",
  "session-end": "sessionend",
  compact: "precompact precompress experimental.session.compacting",
  stop: "stop agentstop afteragent",
  "subagent-start": "subagentstart",
  "subagent-stop": "subagentstop",
  "settings-change": "configchange",
};

const events = new Map<string, GuardEvent>(
  Object.entries(eventNames).flatMap(([event, spelled]) =>
    spelled.split(" ").map((name): [string, GuardEvent] => [name, event as GuardEvent]),
  ),
);

/** Without a known event, a payload with a tool's name is judged as a call before the tool. */
function eventOf(name: string | null, tool: string): GuardEvent {
  if (name === null) return "before-tool";
  const event = events.get(name.toLowerCase()) ?? "other";
  return event === "other" && tool !== "" && /^(?:pre|before)/i.test(name) ? "before-tool" : event;
}

/** The path is not normalized, because `..` after a link depends on the disk. */
function folderOf(spelled: string | null, base: string): string {
  if (spelled === null) return base;
  return spelled.startsWith("/") ? spelled : `${base}/${spelled}`;
}

/** A command's input may name its working folder. For other tools, a folder is only one of their paths. */
function callFolder(operation: Operation, input: unknown, folder: string): string {
  const runs = operation.kind === "shell" || (operation.kind === "unknown" && operation.commands.length > 0);
  return runs ? folderOf(folderIn(input), folder) : folder;
}
