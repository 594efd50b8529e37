import type { Call, Engine } from "../change/engine.ts";
import { askPerson } from "./ask-person.ts";

export interface SecurityQuestion {
  readonly task: string;
  readonly agent: string;
  readonly commit: string;
  readonly summary: string;
  readonly findings: readonly string[];
}

/** Asks a person about what a security reviewer could not decide. */
export function askSecurity(engine: Engine, asked: SecurityQuestion, call: Call) {
  const { task, agent, commit, summary, findings } = asked;
  return askPerson(
    engine,
    {
      kind: "security",
      task,
      question: `\`${agent}\` asks whether \`${task}\` may be merged unchanged: ${summary}`,
      options: ["approved", "refused"],
      about: [task, commit, agent],
      commit,
      data: { agent, findings },
    },
    call,
  );
}
