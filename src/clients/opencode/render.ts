import type { GuardedClient } from "../../contract/tool-call.ts";
import { continuationOf, message, reasonOf, refusal } from "../payload/native-answer.ts";

/** The plugin reads this document, and throws if the call is refused. */
export const render: GuardedClient["render"] = (answer, call) => {
  const context = answer.context === undefined ? {} : { context: answer.context.toWellFormed() };
  if (call.event === "stop" || call.event === "subagent-stop") {
    const reason = continuationOf(answer);
    return message({ allow: reason === undefined, reason: reason ?? "", ...context });
  }
  if (answer.allow) {
    const command = answer.command === undefined ? {} : { command: answer.command };
    return message({ allow: true, reason: answer.reason.toWellFormed(), ...context, ...command });
  }
  return refusal({ ...denial(reasonOf(answer)), ...context }, reasonOf(answer));
};

export function denial(reason: string): object {
  return { allow: false, reason };
}
