import type { GuardedClient } from "../../contract/tool-call.ts";
import { denial, eventName, replacement } from "../claude/render.ts";
import { goOnOf, message, reasonOf, refusal, silent, toldBy } from "../payload/native-answer.ts";

/** Its documents are checked strictly: with one key too many, or a bare allow, the call runs. */
export const render: GuardedClient["render"] = (answer, call, payload) => {
  switch (call.event) {
    case "before-tool":
      if (!answer.allow) return refusal(denial(reasonOf(answer)), reasonOf(answer));
      // Without its allow the new command is not taken. Commands are replaced only where it asks nothing anyway.
      return answer.command === undefined
        ? silent
        : message(replacement({ ...answer, approved: true }, payload));
    case "after-tool":
    case "session-start":
    case "subagent-start": {
      const additionalContext = toldBy(answer);
      if (additionalContext === undefined) return silent;
      return message({ hookSpecificOutput: { hookEventName: eventName(call, payload), additionalContext } });
    }
    case "stop":
    case "subagent-stop": {
      const reason = goOnOf(answer);
      return reason === undefined ? silent : message({ decision: "block", reason });
    }
    default:
      return silent;
  }
};
