import { agentKey } from "../../core/names/task-name.ts";
import type { Call, Engine } from "../change/engine.ts";
import { askPerson } from "./ask-person.ts";

/** Asks a person to log an agent in; asks again if the agent is still not logged in afterwards. */
export function askLogin(
  engine: Engine,
  { agent, reason }: { readonly agent: string; readonly reason: string },
  call: Call,
) {
  return askPerson(
    engine,
    {
      kind: "login",
      task: agentKey(agent),
      question: `agent \`${agent}\` is not logged in (${reason}): log in, then answer \`done\``,
      options: ["done"],
      about: ["login", agent],
      onceOnly: true,
      data: { agent },
    },
    call,
  );
}
