import type { GuardedClient } from "../../contract/tool-call.ts";
import { denial, eventName, replacement } from "../claude/render.ts";
import { contextOf, continuationOf, message, reasonOf, refusal, silent } from "../payload/native-answer.ts";

/** Codex checks documents strictly: with an unknown key, or an allow without a change, the call runs. */
export const render: GuardedClient["render"] = (answer, call, payload) => {
  switch (call.event) {
    case "before-tool":
      if (!answer.allow) return refusal(denial(reasonOf(answer)), reasonOf(answer));
      // Codex uses the new command only with an allow. Commands are replaced only in a mode without questions.
      return answer.command === undefined
        ? silent
        : message(replacement({ ...answer, approved: true }, payload));
    case "after-tool":
    case "session-start":
    case "subagent-start": {
      const additionalContext = contextOf(answer);
      if (additionalContext === undefined) return silent;
      return message({ hookSpecificOutput: { hookEventName: eventName(call, payload), additionalContext } });
    }
    case "stop":
    case "subagent-stop": {
      const reason = continuationOf(answer);
      return reason === undefined ? silent : message({ decision: "block", reason });
    }
    default:
      return silent;
  }
};
