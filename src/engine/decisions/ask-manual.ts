import { reportedIn } from "../../core/tasks/result.ts";
import type { Call, Engine } from "../change/engine.ts";
import { askPerson } from "./ask-person.ts";

const stepsMax = 5;

export interface ManualCheck {
  readonly task: string;
  /** Without the prefix `manual:`. */
  readonly criterion: string;
  readonly commit: string;
}

/** Asks a person to check a criterion that no command can check; once for each commit and criterion. */
export async function askManual(engine: Engine, { task, criterion, commit }: ManualCheck, call: Call) {
  const { result } = (await engine.ledger.task(task)) ?? {};
  const steps = reportedIn(result).manual_steps.slice(0, stepsMax);
  const how = steps.length === 0 ? "" : ` Its agent gives these steps: ${steps.join("; ")}`;
  return askPerson(
    engine,
    {
      kind: "manual",
      task,
      question: `Does \`${task}\` (${commit.slice(0, 12)}) meet this criterion: "${criterion}"?${how}`,
      options: ["approved", "refused"],
      about: [task, commit, criterion],
      commit,
      data: { criterion, ...(steps.length === 0 ? {} : { manual_steps: steps }) },
    },
    call,
  );
}
