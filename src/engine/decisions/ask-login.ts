import { agentKey } from "../../core/names/task-name.ts";
import type { Call, Engine } from "../change/engine.ts";
import { askPerson } from "./ask-person.ts";

/** Somebody has to log in before an agent can work; asked anew where it turns out that nobody has. */
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
      question: `agent \`${agent}\` is not logged in (${reason}): log in, then answer`,
      options: ["done"],
      about: ["login", agent],
      onceOnly: true,
      data: { agent },
    },
    call,
  );
}
