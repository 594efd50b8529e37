import { printable } from "../core/text/printable.ts";
import { style } from "./style.ts";

export { printable };

/** Columns that align; where the terminal is too narrow, the widest ones are cut. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const cells = rows.map((row) => row.map(printable));
  const natural = head.map((name, column) =>
    Math.max(name.length, ...cells.map((row) => lengthOf(row[column] ?? ""))),
  );
  const widths = fitted(natural, process.stdout.isTTY ? process.stdout.columns : Infinity);
  const line = (row: readonly string[]) =>
    row
      .map((cell, column) => pad(cut(cell, widths[column] ?? 0), widths[column] ?? 0))
      .join("  ")
      .trimEnd();
  return [style.bold(line(head)), ...cells.map(line)].map((text) => `${text}\n`).join("");
}

const narrowest = 8;

function fitted(natural: readonly number[], width: number): readonly number[] {
  const widths = [...natural];
  const total = () => widths.reduce((sum, one) => sum + one + 2, -2);
  while (total() > width) {
    const widest = Math.max(...widths);
    if (widest <= narrowest) break;
    widths[widths.indexOf(widest)] = Math.max(narrowest, widest - (total() - width), secondOf(widths));
  }
  return widths;
}

/** The widest one shrinks no further than to the next. */
function secondOf(widths: readonly number[]): number {
  const [widest = 0, second = 0] = [...widths].sort((one, other) => other - one);
  return widest === second ? widest - 1 : second;
}

export function cut(text: string, width: number): string {
  return lengthOf(text) <= width ? text : `${[...text].slice(0, Math.max(0, width - 1)).join("")}…`;
}

function pad(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - lengthOf(text)));
}

function lengthOf(text: string): number {
  return [...text].length;
}

/** 75 → `1m 15s`. */
export function duration(seconds: number): string {
  if (seconds < 60) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}m ${seconds % 60}s`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours}h ${minutes % 60}m` : `${Math.floor(hours / 24)}d ${hours % 24}h`;
}

export function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? "" : "s"}`;
}
