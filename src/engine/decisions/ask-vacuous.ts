import type { Call, Engine } from "../change/engine.ts";
import { askPerson } from "./ask-person.ts";

export interface VacuousCheck {
  /** The task, or the branch if there is no task. */
  readonly task: string;
  readonly command: string;
  readonly why: string;
  readonly commit: string;
}

/** Asks about a check that proves nothing; once for each commit and command. */
export function askVacuous(engine: Engine, { task, command, why, commit }: VacuousCheck, call: Call) {
  return askPerson(
    engine,
    {
      kind: "vacuous",
      task,
      question: `\`${command}\` should prove \`${task}\`, but proves nothing: ${why}. Merge \`${task}\` without this proof?`,
      options: ["approved", "refused"],
      about: [commit, command],
      commit,
      data: { task, command },
    },
    call,
  );
}
