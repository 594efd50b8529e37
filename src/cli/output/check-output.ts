import { style } from "./style.ts";
import { printable } from "./table.ts";

/** What a failed check printed, as far as it tells why, and where the rest is; `name`: what it was run for. */
export function checkOutput(
  details: Readonly<Record<string, unknown>> | undefined,
  { name, linesMax = Infinity }: { readonly name: string; readonly linesMax?: number },
): readonly string[] {
  const { output, command, outcome, log, check } = details ?? {};
  if (typeof output !== "string" || typeof command !== "string" || output.trim() === "") return [];
  const lines = output.trimEnd().split("\n").map(safe);
  const shown = lines.length > linesMax ? [...lines.slice(0, linesMax - 1), "…"] : lines;
  const when = outcome === "flaky" ? " when it failed" : "";
  return [
    `${printable(command)} printed${when}`,
    ...shown.map((line) => `  ${line}`),
    ...(typeof log === "string" ? [style.dim(`all of it: ${printable(log)}`)] : []),
    ...(typeof check === "number" ? [style.dim(`       or: lockstep log ${name} --check ${check}`)] : []),
  ];
}

/** A line of a program's output that commands no terminal; columns stay apart. */
export function safe(line: string): string {
  return printable(line.replaceAll("\t", "    "));
}
