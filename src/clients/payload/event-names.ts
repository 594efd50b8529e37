import type { GuardEvent } from "../../contract/tool-call.ts";

/** Every client's own names, in lower case. */
const names: Readonly<Record<Exclude<GuardEvent, "other">, string>> = {
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
  Object.entries(names).flatMap(([event, spelled]) =>
    spelled.split(" ").map((name): [string, GuardEvent] => [name, event as GuardEvent]),
  ),
);

export function eventNamed(name: string): GuardEvent {
  return events.get(name.toLowerCase()) ?? "other";
}
