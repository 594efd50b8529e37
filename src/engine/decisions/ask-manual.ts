import { reportedIn } from "../../core/tasks/result.ts";
import type { Call, Engine } from "../change/engine.ts";
import { askPerson } from "./ask-person.ts";

const stepsMax = 5;

export interface ManualCheck {
  readonly task: string;
  /** Without its `manual:`. */
  readonly criterion: string;
  readonly commit: string;
}

/** Whether a person finds that a piece of work does what no command can tell; asked once for each. */
export async function askManual(engine: Engine, { task, criterion, commit }: ManualCheck, call: Call) {
  const { result } = (await engine.ledger.task(task)) ?? {};
  const steps = reportedIn(result).manual_steps.slice(0, stepsMax);
  const how = steps.length === 0 ? "" : `; its agent says how to see it: ${steps.join("; ")}`;
  return askPerson(
    engine,
    {
      kind: "manual",
      task,
      question: `is this true of \`${task}\` (${commit.slice(0, 12)}): ${criterion}${how}`,
      options: ["approved", "refused"],
      about: [task, commit, criterion],
      commit,
      data: { criterion, ...(steps.length === 0 ? {} : { manual_steps: steps }) },
    },
    call,
  );
}
