import { wrapped } from "../../core/text/display-width.ts";
import { decideCommands, findingLines, type Question, questionText } from "../../view/needs-person.ts";
import { printable } from "../output/table.ts";

interface Shown {
  /** All open decisions. */
  readonly pending: readonly Question[];
  nameOf(task: string): string;
}

/** A question and the commands that answer it, wrapped to the terminal. */
export function questionLines(one: Question, { pending, nameOf }: Shown): readonly string[] {
  const columns = ((process.stdout.isTTY && process.stdout.columns) || 80) - 2;
  const isPending = pending.some(({ id }) => id === one.id);
  const findings = one.findings ?? one.data?.findings ?? [];
  return [
    ...wrapped(questionText(one, nameOf), columns),
    ...findingLines(findings).map(printable),
    ...(isPending && one.data?.commit ? [`to see the work: lockstep diff ${nameOf(one.task)}`] : []),
    ...(isPending ? decideCommands(one, pending) : []),
  ].map((line) => `  ${line}`);
}
