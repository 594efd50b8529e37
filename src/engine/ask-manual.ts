import { askPerson } from "./ask-person.ts";
import type { Call, Engine } from "./engine.ts";

export interface ManualCheck {
  readonly task: string;
  /** Without its `manual:`. */
  readonly criterion: string;
  readonly commit: string;
}

/** Whether a person finds that a piece of work does what no command can tell; asked once for each. */
export function askManual(engine: Engine, { task, criterion, commit }: ManualCheck, call: Call) {
  return askPerson(
    engine,
    {
      kind: "manual",
      task,
      question: `is this true of \`${task}\` (${commit.slice(0, 12)}): ${criterion}`,
      options: ["approved", "refused"],
      about: [task, commit, criterion],
      commit,
      data: { criterion },
    },
    call,
  );
}
