import type {
  GuardAnswer,
  GuardEvent,
  GuardedClient,
  NativeAnswer,
  ToolCall,
} from "../../contract/tool-call.ts";
import { field, isText } from "../../core/values/fields.ts";
import { contextOf, continuationOf, message, reasonOf, refusal, silent } from "../payload/native-answer.ts";
import { withCommand } from "../payload/replace-command.ts";

const eventNames: Readonly<Partial<Record<GuardEvent, string>>> = {
  "before-tool": "PreToolUse",
  "after-tool": "PostToolUse",
  "session-start": "SessionStart",
  "subagent-start": "SubagentStart",
};

export const render: GuardedClient["render"] = (answer, call, payload) => {
  switch (call.event) {
    case "before-tool":
      if (!answer.allow) return refusal(denial(reasonOf(answer)), reasonOf(answer));
      return answer.command === undefined
        ? withContext(answer, call, payload)
        : message(replacement(answer, payload));
    case "after-tool":
      return answer.allow ? withContext(answer, call, payload) : blocked(answer);
    case "session-start":
    case "subagent-start":
      return withContext(answer, call, payload);
    case "stop":
    case "subagent-stop": {
      const reason = continuationOf(answer);
      return reason === undefined ? silent : message({ decision: "block", reason });
    }
    case "compact":
    case "settings-change":
      return answer.allow ? silent : blocked(answer);
    default:
      return silent;
  }
};

/** With any other event name the tool would run. */
export function denial(reason: string): object {
  return {
    hookSpecificOutput: {
      hookEventName: "PreToolUse",
      permissionDecision: "deny",
      permissionDecisionReason: reason,
    },
  };
}

/** With an allow the client does not ask its user; without one it asks about the new command as about any other. */
export function replacement(answer: GuardAnswer, payload: unknown): object {
  return {
    hookSpecificOutput: {
      hookEventName: "PreToolUse",
      ...(answer.approved === true ? { permissionDecision: "allow" } : {}),
      updatedInput: withCommand(payload, answer.command ?? ""),
    },
  };
}

function blocked(answer: GuardAnswer): NativeAnswer {
  const reason = contextOf(answer) ?? reasonOf(answer);
  return refusal({ decision: "block", reason }, reason);
}

function withContext(answer: GuardAnswer, call: ToolCall, payload: unknown): NativeAnswer {
  const additionalContext = contextOf(answer);
  if (additionalContext === undefined) return silent;
  return message({ hookSpecificOutput: { hookEventName: eventName(call, payload), additionalContext } });
}

export function eventName(call: ToolCall, payload: unknown): string {
  const own = field(payload, "hook_event_name");
  return isText(own) ? own : (eventNames[call.event] ?? "");
}
