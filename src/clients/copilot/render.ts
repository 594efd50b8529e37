import type { GuardAnswer, GuardedClient, NativeAnswer } from "../../contract/tool-call.ts";
import { field, isText } from "../../core/values/fields.ts";
import { denial } from "../claude/render.ts";
import { contextOf, continuationOf, message, reasonOf, refusal, silent } from "../payload/native-answer.ts";
import { withCommand } from "../payload/replace-command.ts";

/** Exit 2 refuses only before a tool. For other events it is a warning, and the document is not read. */
export const render: GuardedClient["render"] = (answer, call, payload) => {
  const own = field(payload, "hook_event_name");
  const pascalName = isText(own) ? own : undefined;
  switch (call.event) {
    case "before-tool":
      if (answer.allow)
        return answer.command === undefined ? silent : message(replacement(answer.command, payload));
      return refusal((pascalName === undefined ? plainDenial : denial)(reasonOf(answer)), reasonOf(answer));
    case "after-tool":
    case "session-start":
    case "subagent-start":
      return withContext(answer, pascalName);
    case "stop":
    case "subagent-stop":
      return goOn(answer);
    default:
      return silent;
  }
};

function replacement(command: string, payload: unknown): object {
  return { modifiedArgs: withCommand(payload, command) };
}

/** For hooks with camelCase names; the others use Claude's form. */
export function plainDenial(reason: string): object {
  return { permissionDecision: "deny", permissionDecisionReason: reason };
}

function withContext(answer: GuardAnswer, hookEventName: string | undefined): NativeAnswer {
  const additionalContext = contextOf(answer);
  if (additionalContext === undefined) return silent;
  if (hookEventName === undefined) return message({ additionalContext });
  return message({ additionalContext, hookSpecificOutput: { hookEventName, additionalContext } });
}

function goOn(answer: GuardAnswer): NativeAnswer {
  const reason = continuationOf(answer);
  return reason === undefined ? silent : message({ decision: "block", reason });
}
