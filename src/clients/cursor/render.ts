import type { GuardedClient } from "../../contract/tool-call.ts";
import { goOnOf, message, reasonOf, refusal, toldBy } from "../payload/native-answer.ts";
import { withCommand } from "../payload/replace-command.ts";

/** From its documentation; nothing printed may count as a failure. */
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
      return message(withPart("additional_context", toldBy(answer)));
    case "stop":
    case "subagent-stop":
      return message(withPart("followup_message", goOnOf(answer)));
    default:
      return message({});
  }
};

/** With the keys of both spellings that it has had. */
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
