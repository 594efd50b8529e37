import type { GuardedClient } from "../../contract/tool-call.ts";
import { field, isText } from "../../core/values/fields.ts";
import { contextOf, continuationOf, message, reasonOf, refusal, silent } from "../payload/native-answer.ts";
import { withCommand } from "../payload/replace-command.ts";

export const render: GuardedClient["render"] = (answer, call, payload) => {
  switch (call.event) {
    case "before-tool":
      if (!answer.allow) return refusal(denial(reasonOf(answer)), reasonOf(answer));
      return answer.command === undefined ? silent : message(replacement(answer.command, payload));
    case "after-tool":
    case "session-start": {
      // Not a refusal, which would hide the call's result from the model.
      const additionalContext = contextOf(answer);
      if (additionalContext === undefined) return silent;
      const own = field(payload, "hook_event_name");
      const usual = call.event === "after-tool" ? "AfterTool" : "SessionStart";
      return message({ hookSpecificOutput: { hookEventName: isText(own) ? own : usual, additionalContext } });
    }
    case "stop": {
      const reason = continuationOf(answer);
      return reason === undefined ? silent : message({ decision: "deny", reason });
    }
    default:
      return silent;
  }
};

export function denial(reason: string): object {
  return { decision: "deny", reason };
}

/** The allow does not replace the user's approval: Gemini checks the new command by its own rules. */
function replacement(command: string, payload: unknown): object {
  return {
    decision: "allow",
    hookSpecificOutput: { hookEventName: "BeforeTool", tool_input: withCommand(payload, command) },
  };
}
