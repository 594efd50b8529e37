import { untestedIn, untestedText } from "../../core/proof/check-record.ts";
import type { TaskStatus } from "../../engine/views/read-status.ts";
import { isMerged } from "../../view/task-words.ts";
import { style } from "../output/style.ts";
import { printable } from "../output/table.ts";

type Remarked = Partial<Pick<TaskStatus, "evidence" | "weakened" | "unproven_claims" | "unproven_deeds">>;

/** Checks that ran no test, tests that a task weakened, and claims of its agent that nothing confirms. */
export function lessWords({
  evidence = [],
  weakened = [],
  unproven_claims: claims = [],
  unproven_deeds: deeds = [],
}: Remarked): readonly string[] {
  const unproven = style.red("unproven claim:");
  return [
    ...untestedIn(evidence).map((one) => `${style.red("warning:")} ${printable(untestedText(one))}`),
    ...weakened.map(({ path, what }) => `${style.red("tests weakened:")} ${printable(`${path}: ${what}`)}`),
    ...(claims.length === 0 ? [] : [`${unproven} ${printable(claimsText(claims))}`]),
    ...deeds.map((deed) => `${unproven} ${printable(`the agent says "${deed}", but nothing confirms it`)}`),
  ];
}

const claimsShown = 5;

/** The agent says that it changed files, but its work does not contain them. */
function claimsText(claims: readonly string[]): string {
  const shown = claims.slice(0, claimsShown).join(", ");
  const more = claims.length > claimsShown ? ` and ${claims.length - claimsShown} more` : "";
  return `the agent says that it changed ${shown}${more}, but its work does not contain that`;
}

/** The lines of all merged tasks, each with the task's name. */
export function lessLines(tasks: readonly TaskStatus[], nameOf: (key: string) => string): readonly string[] {
  return tasks
    .filter(isMerged)
    .flatMap((task) => lessWords(task).map((words) => `${nameOf(task.key)}  ${words}`));
}
