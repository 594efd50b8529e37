import type { TaskStatus } from "../../engine/views/read-status.ts";
import { style } from "../output/style.ts";
import { printable } from "../output/table.ts";
import { isMerged } from "./task-words.ts";

type Remarked = Partial<Pick<TaskStatus, "weakened" | "unproven_claims" | "unproven_deeds">>;

/** What is verified less than before a task, and what its agent claims without a proof. */
export function lessWords({
  weakened = [],
  unproven_claims: claims = [],
  unproven_deeds: deeds = [],
}: Remarked): readonly string[] {
  const unproven = style.red("unproven claim:");
  return [
    ...weakened.map(({ path, what }) => `${style.red("tests weakened:")} ${printable(`${path}: ${what}`)}`),
    ...(claims.length === 0 ? [] : [`${unproven} ${printable(claimsText(claims))}`]),
    ...deeds.map((deed) => `${unproven} ${printable(`it says "${deed}", which nothing shows`)}`),
  ];
}

const claimsShown = 5;

/** Of an agent that says it changed files which its work does not have. */
function claimsText(claims: readonly string[]): string {
  const shown = claims.slice(0, claimsShown).join(", ");
  const more = claims.length > claimsShown ? ` and ${claims.length - claimsShown} more` : "";
  return `it says that it changed ${shown}${more}, which is not in its work`;
}

/** Of all tasks that are in, each line with its task. */
export function lessLines(tasks: readonly TaskStatus[], nameOf: (key: string) => string): readonly string[] {
  return tasks
    .filter(isMerged)
    .flatMap((task) => lessWords(task).map((words) => `${nameOf(task.key)}  ${words}`));
}
