import { displayWidth, fitted, padded, shortened } from "../../core/text/display-width.ts";
import { printable } from "../../core/text/printable.ts";
import { style } from "./style.ts";

export { counted, duration } from "../../core/text/amounts.ts";
export { printable };

/** Names and commands are shortened in the middle, because both ends are informative. */
const named = new Set(["TASK", "BRANCH", "CHECK", "COMMAND", "CHECKOUT", "LOCK", "SCOPE"]);
/** Applies without a terminal, too; `--json` has the whole text. */
const nameWidthMax = 60;

/** An aligned table; if the terminal is too narrow, the widest columns are cut. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const shorten = head.map((name) => (named.has(name) ? shortened : fitted));
  const cells = rows.map((row) =>
    row.map((cell, column) =>
      named.has(head[column] ?? "") ? shortened(cell, nameWidthMax) : printable(cell),
    ),
  );
  const natural = head.map((name, column) =>
    Math.max(name.length, ...cells.map((row) => displayWidth(row[column] ?? ""))),
  );
  const widths = fittedWidths(natural, process.stdout.isTTY ? process.stdout.columns : Infinity);
  const line = (row: readonly string[]) =>
    row
      .map((cell, column) => {
        const width = widths[column] ?? 0;
        return padded((shorten[column] ?? fitted)(cell, width), width);
      })
      .join("  ")
      .trimEnd();
  return [style.bold(line(head)), ...cells.map(line)].map((text) => `${text}\n`).join("");
}

const narrowest = 8;

function fittedWidths(natural: readonly number[], width: number): readonly number[] {
  const widths = [...natural];
  const total = () => widths.reduce((sum, one) => sum + one + 2, -2);
  while (total() > width) {
    const widest = Math.max(...widths);
    if (widest <= narrowest) break;
    widths[widths.indexOf(widest)] = Math.max(narrowest, widest - (total() - width), secondOf(widths));
  }
  return widths;
}

/** The widest column shrinks at most to the width of the next one. */
function secondOf(widths: readonly number[]): number {
  const [widest = 0, second = 0] = [...widths].sort((one, other) => other - one);
  return widest === second ? widest - 1 : second;
}
