import type { Call, Engine } from "../change/engine.ts";
import { askPerson } from "./ask-person.ts";

export interface VacuousCheck {
  /** The task, or the branch where there is no task. */
  readonly task: string;
  readonly command: string;
  readonly commit: string;
}

/** What a person says to a check that passes without the change too; asked once for each piece of work. */
export function askVacuous(engine: Engine, { task, command, commit }: VacuousCheck, call: Call) {
  return askPerson(
    engine,
    {
      kind: "vacuous",
      task,
      question: `\`${command}\` should prove \`${task}\`, but passes without the change too`,
      options: ["approved", "refused"],
      about: [commit, command],
      commit,
      data: { task, command },
    },
    call,
  );
}
