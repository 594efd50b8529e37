import type { Call, Engine } from "../change/engine.ts";
import { askPerson } from "./ask-person.ts";

export interface SecurityQuestion {
  readonly task: string;
  readonly agent: string;
  readonly commit: string;
  readonly summary: string;
  readonly findings: readonly string[];
}

/** What a reviewer of security leaves to a person. */
export function askSecurity(engine: Engine, asked: SecurityQuestion, call: Call) {
  const { task, agent, commit, summary, findings } = asked;
  return askPerson(
    engine,
    {
      kind: "security",
      task,
      question: `\`${agent}\` asks whether \`${task}\` may come in as it is: ${summary}`,
      options: ["approved", "refused"],
      about: [task, commit, agent],
      commit,
      data: { agent, findings },
    },
    call,
  );
}
