import type { GuardedClient } from "../../contract/tool-call.ts";
import { contextOf, continuationOf, message, reasonOf, refusal } from "../payload/native-answer.ts";
import { withCommand } from "../payload/replace-command.ts";

/** Always prints a document: according to Cursor's documentation, empty output may count as a failure. */
export const render: GuardedClient["render"] = (answer, call, payload) => {
  switch (call.event) {
    case "before-tool":
      if (answer.allow)
        return message(
          answer.command === undefined ? {} : { updated_input: withCommand(payload, answer.command) },
        );
      return refusal(denial(reasonOf(answer)), reasonOf(answer));
    case "after-tool":
    case "session-start":
      return message(withPart("additional_context", contextOf(answer)));
    case "stop":
    case "subagent-stop":
      return message(withPart("followup_message", continuationOf(answer)));
    default:
      return message({});
  }
};

/** With both spellings of the keys that Cursor has used. */
export function denial(reason: string): object {
  return {
    permission: "deny",
    userMessage: reason,
    agentMessage: reason,
    user_message: reason,
    agent_message: reason,
  };
}

function withPart(key: string, text: string | undefined): object {
  return text === undefined ? {} : { [key]: text };
}
