import { style } from "./style.ts";
import { printable } from "./table.ts";

/** The relevant output of a failed check, and where the rest is. `name`: the task or branch that it was run for. */
export function checkOutput(
  details: Readonly<Record<string, unknown>> | undefined,
  {
    name,
    what = "",
    linesMax = Infinity,
  }: { readonly name: string; readonly what?: string; readonly linesMax?: number },
): readonly string[] {
  const { output, command, outcome, log, check } = details ?? {};
  if (typeof output !== "string" || typeof command !== "string" || output.trim() === "") return [];
  const lines = output.trimEnd().split("\n").map(safe);
  const shown = lines.length > linesMax ? [...lines.slice(0, linesMax - 1), "…"] : lines;
  const when = outcome === "flaky" ? " when it failed" : "";
  return [
    `output of ${printable(command)}${what}${when}:`,
    ...shown.map((line) => `  ${line}`),
    ...(typeof log === "string" ? [style.dim(`full output: ${printable(log)}`)] : []),
    ...(typeof check === "number" ? [style.dim(`         or: lockstep log ${name} --check ${check}`)] : []),
  ];
}

/** A line of a program's output without control characters; tabs become spaces. */
export function safe(line: string): string {
  return printable(line.replaceAll("\t", "    "));
}
